/**
 * The command line: a thin client that knows its commands from plain data, sends one request to the daemon and shows the answer.
 *
 * @module
 */
export type { Api, ApiRequest, ApiResponse } from "./api.ts";
export type { CliEntries, DaemonOptions, InlineOptions } from "./entries.ts";
export { type CliIo, processIo } from "./io.ts";
export { type CliOptions, runCli } from "./main.ts";
export type {
  InputKind,
  Manifest,
  ManifestCommand,
  ManifestInput,
  ManifestOperation,
  ManifestSetting,
} from "./manifest_types.ts";
export { type DaemonFiles, daemonFiles } from "./socket_path.ts";
