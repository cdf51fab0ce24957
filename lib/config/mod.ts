/**
 * Configuration: finding, reading and merging its files, expanding its strings, trusting and watching it, and reading and
 * writing other hosts' files.
 *
 * The command line's quick path imports `search.ts`, `paths.ts` and `mentioned_variables.ts` alone.
 *
 * @module
 */
export { type ExpandOptions, expandString } from "./expand.ts";
export { type ExpandedServer, expandServer, type ExpandServerOptions } from "./expand_server.ts";
export { GUARDED_SETTINGS } from "./guard.ts";
export {
  formatOfFile,
  type HostFile,
  type HostFormat,
  type HostPlace,
  HOSTS,
  type HostServer,
  OWN_FORMAT,
  type PortableServer,
} from "./hosts/mod.ts";
export { type ImportResult, importServers } from "./import.ts";
export { isMcpxItself } from "./itself.ts";
export { loadConfiguration, type LoadOptions } from "./load.ts";
export { mentionedVariables } from "./mentioned_variables.ts";
export { type Environment, type McpxPaths, mcpxPaths } from "./paths.ts";
export { type ConfigText, readConfigFile } from "./read.ts";
export { type ConfigFile, type ConfigSearch, configSetKey, findConfigFiles } from "./search.ts";
export { replaceFile } from "./replace_file.ts";
export {
  listTrusted,
  recordTrust,
  removeTrust,
  type TrustPolicy,
  trustPolicy,
  type TrustRecord,
} from "./trust.ts";
export type {
  ConfigSource,
  Configuration,
  ProtocolChoice,
  Scope,
  ServerAuth,
  ServerDefinition,
  ServerTarget,
  Sharing,
  ToolFilter,
} from "./types.ts";
export { type ConfigWatch, watchConfigFiles, type WatchOptions } from "./watch.ts";
