/**
 * Configuration: finding, reading and merging its files, expanding its strings, trusting and watching it, and reading and
 * writing other hosts' files.
 *
 * The command line's quick path imports `search.ts`, `paths.ts` and `mentioned_variables.ts` alone. Other hosts' formats
 * are behind doors of their own, `import.ts` and `hosts/mod.ts`, to be opened when somebody asks for them.
 *
 * @module
 */
export { EditWatch } from "./edit_watch.ts";
export { type ExpandOptions, expandString } from "./expand.ts";
export { type ExpandedServer, expandServer, type ExpandServerOptions } from "./expand_server.ts";
export type { HostFile, HostFormat, HostPlace, HostServer, PortableServer } from "./hosts/types.ts";
export { isMcpxItself } from "./itself.ts";
export { loadConfiguration, type LoadOptions } from "./load.ts";
export type { FileSetting, TopLevelRules } from "./loaded_file.ts";
export { mentionedVariables } from "./mentioned_variables.ts";
export { type Environment, type McpxPaths, mcpxPaths } from "./paths.ts";
export { type ConfigText, type Position, readConfigFile } from "./read.ts";
export { type ConfigFile, type ConfigSearch, configSetKey, findConfigFiles } from "./search.ts";
export { ownUsers, passedOver, strangeFolder, strangerOf } from "./stranger.ts";
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
