import { isObject } from "../fields.ts";
import { codex } from "./codex.ts";
import { ANY, OWN } from "./dialect.ts";
import { jsonHost } from "./json_host.ts";
import { objectAt, parseJsonFile } from "./json_file.ts";
import { HOSTS, OWN_FORMAT } from "./table.ts";
import type { HostFormat, HostPlace } from "./types.ts";

const ROOTS: readonly (readonly string[])[] = [
  ["mcpServers"],
  ["servers"],
  ["mcp_servers"],
  ["mcp", "servers"],
  ["mcp"],
  ["context_servers"],
];

/** Base names and endings that tell a host. */
const BY_NAME: readonly [RegExp, string][] = [
  [/\/claude_desktop_config\.json$/, "claude"],
  [/\/\.claude\.json$/, "claude-code"],
  [/\/\.cursor\/mcp\.json$/, "cursor"],
  [/\/(?:\.vscode|Code\/User)\/mcp\.json$/, "vscode"],
  [/\/mcp_config\.json$/, "windsurf"],
  [/\/opencode\.jsonc?$/, "opencode"],
  [/\/\.gemini\/settings\.json$/, "gemini"],
];

/**
 * Tells which host's format a file is in, by its name, else by what it holds.
 *
 * @param path the file
 * @param text its text
 * @returns the format; one that takes every root key and spelling where nothing tells
 * @throws {McpxError} `invalid-config` when the text is no JSON and the name not TOML's
 */
export function formatOfFile(path: string, text: string): HostFormat {
  if (path.endsWith(".toml")) return codex;
  const id = BY_NAME.find(([pattern]) => pattern.test(path))?.[1];
  const named = HOSTS.find((host) => host.id === id);
  if (named) return named;
  if (/\/\.mcpx\.json$|\/\.?mcpx\/config\.json$/.test(path)) return OWN_FORMAT;
  const value = parseJsonFile(text, path);
  const mcp = objectAt(value, ["mcp"]);
  const local = Object.values(mcp ?? {}).some((one) =>
    isObject(one) && (one.type === "local" || one.type === "remote")
  );
  const host = local
    ? "opencode"
    : objectAt(value, ["servers"]) && !objectAt(value, ["mcpServers"])
    ? "vscode"
    : "";
  return HOSTS.find((one) => one.id === host) ?? anyFormat(value);
}

function anyFormat(value: Record<string, unknown>): HostFormat {
  const entries = Object.values(objectAt(value, ["mcpServers"]) ?? {});
  const own = entries.some((entry) => isObject(entry) && Object.hasOwn(entry, "mcpx"));
  const bare = !ROOTS.some((root) => objectAt(value, root));
  return jsonHost({
    id: "file",
    title: "the file",
    checked: "2026-11",
    dialect: own ? OWN : ANY,
    files: (_place: HostPlace) => [],
    roots: () => bare ? [[]] : ROOTS,
    write: (_written, entry) => ({ ...entry }),
  });
}
