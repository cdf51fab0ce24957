import type { ManifestInput } from "./manifest_types.ts";

function flag(
  name: string,
  kind: ManifestInput["kind"],
  help: string,
  rest: Partial<ManifestInput> = {},
): ManifestInput {
  return { name, kind, required: false, help, in: "body", ...rest };
}

/** Flags that every command takes, anywhere on the line. */
export const GLOBAL_FLAGS: readonly ManifestInput[] = [
  flag("help", "boolean", "Show help for the command.", { short: "h" }),
  flag("version", "boolean", "Print the version.", { short: "V" }),
  flag("json", "boolean", "Print one JSON document on stdout and nothing else there."),
  flag("plain", "boolean", "Print tables as tab-separated lines without headings.", { conflicts: ["json"] }),
  flag("quiet", "boolean", "Print no notes, logs or progress.", { short: "q", conflicts: ["verbose"] }),
  flag("verbose", "boolean", "Print debug records too.", { short: "v" }),
  flag("color", "boolean", "Colour the output, or not; by default only on a terminal."),
  flag("config", "string", "Use this configuration file alone (MCPX_CONFIG).", { completion: "file" }),
  flag("session", "string", "Name the session that instances may be keyed by (MCPX_SESSION_ID)."),
  flag("debug", "boolean", "Show stack traces and what the command line does."),
];
