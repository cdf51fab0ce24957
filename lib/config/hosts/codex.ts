import { McpxError } from "../../errors/mod.ts";
import { isObject } from "../fields.ts";
import { folderVariable } from "../paths.ts";
import { allParts, parseTemplate } from "../template.ts";
import { LITERAL } from "./dialect.ts";
import { readEntry } from "./read_entry.ts";
import { parseToml, tomlKey, tomlTable } from "./toml.ts";
import type { HostFormat, HostServer, PortableServer } from "./types.ts";
import { withoutEmpty, writeEntry } from "./write_entry.ts";

const seconds = (key: string) => (value: unknown): [string, unknown] | undefined =>
  typeof value === "number" ? [key, `${value}s`] : undefined;
const list = (key: string) => (value: unknown): [string, unknown] | undefined =>
  Array.isArray(value) ? [key, value] : undefined;

/** OpenAI Codex: TOML, with the names of variables instead of expressions. */
export const codex: HostFormat = {
  id: "codex",
  title: "Codex",
  checked: "2026-10",
  files: ({ home, cwd, env }) => [
    { path: `${cwd}/.codex/config.toml`, scope: "project" },
    { path: `${folderVariable(env, "CODEX_HOME") ?? `${home}/.codex`}/config.toml`, scope: "user" },
  ],
  parse(text, path, place): HostServer[] {
    const root = parseToml(text, path).mcp_servers;
    return Object.entries(isObject(root) ? root : {}).map(([name, raw]) =>
      readEntry(name, raw, {
        dialect: LITERAL,
        folder: place.cwd,
        block: {
          startup_timeout_sec: seconds("startTimeout"),
          tool_timeout_sec: seconds("callTimeout"),
          enabled_tools: list("tools"),
          disabled_tools: list("excludeTools"),
        },
      })
    );
  },
  render(text, servers): string {
    let edited = text ?? "";
    parseToml(edited, "the file");
    for (const [name, entry] of Object.entries(servers)) {
      edited = withoutTable(edited, name);
      if (entry) edited = appended(edited, tomlTable(["mcp_servers", name], codexEntry(name, entry)));
    }
    const parsed = parseToml(edited, "the file").mcp_servers;
    const wrong = Object.entries(servers).find(([name, entry]) =>
      (entry !== undefined) !== (isObject(parsed) && Object.hasOwn(parsed, name))
    );
    if (wrong === undefined) return edited;
    throw new McpxError(
      "unsupported",
      `Cannot change mcp_servers.${wrong[0]}: it is written in a form of its own.`,
      {
        hint: `Write it as a table: [mcp_servers.${tomlKey(wrong[0])}]`,
      },
    );
  },
};

function codexEntry(name: string, entry: PortableServer): Record<string, unknown> {
  const { env = {}, headers = {}, auth, ...rest } = entry;
  const passed = Object.entries(env).filter(([key, text]) => onlyVariable(text) === key).map(([key]) => key);
  const named = Object.entries(headers).flatMap(([key, text]) => {
    const variable = onlyVariable(text);
    return variable === undefined ? [] : [[key, variable]];
  });
  const token = auth?.type === "bearer" ? onlyVariable(auth.token) : undefined;
  const written = writeEntry(name, {
    ...rest,
    env: Object.fromEntries(Object.entries(env).filter(([key]) => !passed.includes(key))),
    headers: Object.fromEntries(
      Object.entries(headers).filter(([, text]) => onlyVariable(text) === undefined),
    ),
    ...(auth && token === undefined ? { auth } : {}),
  }, { title: "Codex", dialect: LITERAL });
  return withoutEmpty({
    command: written.command,
    args: written.args,
    cwd: written.cwd,
    url: written.url,
    bearer_token_env_var: token,
    env_vars: [...entry.envPassthrough ?? [], ...passed],
    enabled: entry.disabled ? false : undefined,
    env: written.env,
    http_headers: written.headers,
    env_http_headers: Object.fromEntries(named),
  });
}

/** The variable that a string consists of, where it is nothing else. */
function onlyVariable(text: string): string | undefined {
  const parts = [...allParts(parseTemplate(text))];
  const [first] = parts;
  return parts.length === 1 && first?.kind === "variable" && !first.fallback ? first.name : undefined;
}

/** Cuts a server's table and its sub-tables out; what stands around them stays as it is. */
function withoutTable(text: string, name: string): string {
  const key = `(?:${escapeRegExp(name)}|"${escapeRegExp(JSON.stringify(name).slice(1, -1))}"|'${
    escapeRegExp(name)
  }')`;
  const own = new RegExp(`^\\s*\\[\\s*mcp_servers\\s*\\.\\s*${key}\\s*(?:\\.[^\\]]*)?\\]\\s*(?:#.*)?$`);
  let inside = false;
  return text.split(/(?<=\n)/).filter((line) => {
    if (/^\s*\[/.test(line)) inside = own.test(line.trimEnd());
    return !inside;
  }).join("");
}

function appended(text: string, table: string): string {
  if (text.trim() === "") return table;
  return `${text.replace(/\s*$/, "")}\n\n${table}`;
}

function escapeRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/-]/g, "\\$&");
}
