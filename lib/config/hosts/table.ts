import { McpxError } from "../../errors/mod.ts";
import { folderVariable } from "../paths.ts";
import { codex } from "./codex.ts";
import { BRACES, CURLY, EDITOR, EDITOR_FILES, LITERAL, OWN, SHELL } from "./dialect.ts";
import { jsonHost } from "./json_host.ts";
import type { HostFormat, HostPlace } from "./types.ts";
import { withoutEmpty, type WrittenServer } from "./write_entry.ts";

/** Where programs keep their files on this platform. */
function appFolder({ home, env, os }: HostPlace): string {
  if (os === "darwin") return `${home}/Library/Application Support`;
  return folderVariable(env, "XDG_CONFIG_HOME") ?? `${home}/.config`;
}

/** The entry that most hosts have: keys named as Claude Desktop names them. */
function commonEntry(
  { command, args, env, cwd, url, headers, transport }: WrittenServer,
): Record<string, unknown> {
  if (url === undefined) return withoutEmpty({ command, args, cwd, env });
  return withoutEmpty({ type: transport === "sse" ? "sse" : "http", url, headers });
}

const patterns = (key: string) => (value: unknown): [string, unknown] | undefined =>
  Array.isArray(value) ? [key, value] : undefined;
const words = (key: string) => (value: unknown): [string, unknown] | undefined =>
  typeof value === "string" ? [key, value] : undefined;
const milliseconds = (key: string) => (value: unknown): [string, unknown] | undefined =>
  typeof value === "number" ? [key, value] : undefined;

const claude = jsonHost({
  id: "claude",
  title: "Claude Desktop",
  checked: "2026-10",
  dialect: LITERAL,
  files: (place) => [{ path: `${appFolder(place)}/Claude/claude_desktop_config.json`, scope: "user" }],
  roots: () => [["mcpServers"]],
  write(server): Record<string, unknown> {
    if (server.url === undefined) return commonEntry(server);
    throw new McpxError(
      "unsupported",
      `Cannot write ${server.url} for Claude Desktop: its file holds commands only.`,
      {
        hint: "Let Claude Desktop start mcpx itself, which reaches it: mcpx serve",
      },
    );
  },
});

const claudeCode = jsonHost({
  id: "claude-code",
  title: "Claude Code",
  checked: "2026-10",
  dialect: BRACES,
  files: ({ home, cwd }) => [
    { path: `${home}/.claude.json`, scope: "user" },
    { path: `${cwd}/.mcp.json`, scope: "project" },
  ],
  roots: ({ cwd }) => [["projects", cwd, "mcpServers"], ["mcpServers"]],
  newRoot: ["mcpServers"],
  write: commonEntry,
});

const cursor = jsonHost({
  id: "cursor",
  title: "Cursor",
  checked: "2026-10",
  dialect: EDITOR,
  files: ({ home, cwd }) => [
    { path: `${cwd}/.cursor/mcp.json`, scope: "project" },
    { path: `${home}/.cursor/mcp.json`, scope: "user" },
  ],
  roots: () => [["mcpServers"]],
  write: ({ command, args, env, url, headers }) =>
    url === undefined ? withoutEmpty({ command, args, env }) : withoutEmpty({ url, headers }),
});

const vscode = jsonHost({
  id: "vscode",
  title: "VS Code",
  checked: "2026-10",
  dialect: EDITOR,
  files: (place) => [
    { path: `${place.cwd}/.vscode/mcp.json`, scope: "project" },
    { path: `${appFolder(place)}/Code/User/mcp.json`, scope: "user" },
    { path: `${place.home}/.copilot/mcp-config.json`, scope: "user" },
  ],
  roots: () => [["servers"], ["mcp", "servers"], ["mcpServers"]],
  write: ({ command, args, env, cwd, url, headers, transport }) =>
    url === undefined
      ? withoutEmpty({ type: "stdio", command, args, cwd, env })
      : withoutEmpty({ type: transport === "sse" ? "sse" : "http", url, headers }),
});

const windsurf = jsonHost({
  id: "windsurf",
  title: "Windsurf",
  checked: "2026-10",
  dialect: EDITOR_FILES,
  files: ({ home }) => [
    { path: `${home}/.codeium/windsurf/mcp_config.json`, scope: "user" },
    { path: `${home}/.codeium/mcp_config.json`, scope: "user" },
  ],
  roots: () => [["mcpServers"]],
  write: ({ command, args, env, url, headers }) =>
    url === undefined ? withoutEmpty({ command, args, env }) : withoutEmpty({ serverUrl: url, headers }),
  block: { disabledTools: patterns("excludeTools") },
});

const opencode = jsonHost({
  id: "opencode",
  title: "opencode",
  checked: "2026-10",
  dialect: CURLY,
  files: (place) => {
    const folder = `${folderVariable(place.env, "XDG_CONFIG_HOME") ?? `${place.home}/.config`}/opencode`;
    return [
      { path: `${place.cwd}/opencode.json`, scope: "project" },
      { path: `${place.cwd}/opencode.jsonc`, scope: "project" },
      { path: `${folder}/opencode.json`, scope: "user" },
      { path: `${folder}/opencode.jsonc`, scope: "user" },
    ];
  },
  roots: () => [["mcp", "servers"], ["mcp"]],
  newRoot: ["mcp"],
  write: ({ command, args, env, url, headers }, { disabled }) =>
    url === undefined
      ? withoutEmpty({ type: "local", command: [command, ...args], environment: env, enabled: !disabled })
      : withoutEmpty({ type: "remote", url, headers, enabled: !disabled }),
});

const gemini = jsonHost({
  id: "gemini",
  title: "Gemini CLI",
  checked: "2026-10",
  dialect: SHELL,
  files: ({ home, cwd }) => [
    { path: `${cwd}/.gemini/settings.json`, scope: "project" },
    { path: `${home}/.gemini/settings.json`, scope: "user" },
  ],
  roots: () => [["mcpServers"]],
  urlTransport: "sse",
  write: ({ command, args, env, cwd, url, headers, transport }) =>
    url === undefined
      ? withoutEmpty({ command, args, cwd, env })
      : withoutEmpty({ ...(transport === "sse" ? { url } : { httpUrl: url }), headers }),
  block: {
    includeTools: patterns("tools"),
    excludeTools: patterns("excludeTools"),
    description: words("description"),
    timeout: milliseconds("callTimeout"),
  },
});

/** Every host whose files mcpx reads and writes; adding one is one row. */
export const HOSTS: readonly HostFormat[] = [
  claude,
  claudeCode,
  cursor,
  vscode,
  codex,
  windsurf,
  opencode,
  gemini,
];

/** mcpx's own files, for writing servers into them. */
export const OWN_FORMAT: HostFormat = jsonHost({
  id: "mcpx",
  title: "mcpx",
  checked: "2026-11",
  dialect: OWN,
  files: ({ cwd }) => [{ path: `${cwd}/.mcpx.json`, scope: "project" }],
  roots: () => [["mcpServers"]],
  write: (_written, entry) => withoutEmpty({ ...entry }),
});
