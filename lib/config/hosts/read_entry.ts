import { isMcpxItself } from "../itself.ts";
import { FieldFault, isObject } from "../fields.ts";
import { inputReason, templateStrings, unknownReason } from "../server.ts";
import { allParts, parseTemplate } from "../template.ts";
import type { ServerAuth } from "../types.ts";
import { readAuth } from "../auth.ts";
import { type Dialect, OWN, readDialect } from "./dialect.ts";
import type { HostServer, PortableServer } from "./types.ts";

/** How one host's entries differ from the others'. */
export interface EntryRules {
  dialect: Dialect;
  /** The project's folder, for `${workspaceFolder}`. */
  folder: string;
  /** What a bare `url` means, where it is not for mcpx to find out. */
  urlTransport?: "http" | "sse";
  /** Keys of the host's that set something of mcpx's block. */
  block?: Readonly<Record<string, (value: unknown) => [key: string, value: unknown] | undefined>>;
}

/**
 * Reads one entry, in whichever host's spelling: the keys of all of them are understood everywhere.
 *
 * @param name the entry's key
 * @param raw its value
 * @param rules the host's way with variables
 * @returns the server in mcpx's form, or why it is left out
 */
export function readEntry(name: string, raw: unknown, rules: EntryRules): HostServer {
  const server: HostServer = { name, entry: {}, notes: [] };
  if (!isObject(raw)) return { ...server, skipped: "its entry is no object" };
  const rest = new Map(Object.entries(raw));
  const take = (...keys: string[]): unknown => {
    const key = keys.find((one) => rest.has(one));
    const value = key === undefined ? undefined : rest.get(key);
    for (const one of keys) rest.delete(one);
    return value;
  };
  let odd: string | undefined;
  const text = (value: unknown, field: string): string => {
    if (typeof value === "object") odd ??= "one of its values should be a string";
    const { text: written, kept, problem } = readDialect(String(value), rules.dialect, rules.folder);
    odd ??= problem;
    if (kept) {
      server.notes.push(
        `${name}.${field} names a file or a command, which stays text: an import reads and runs nothing.`,
      );
    }
    return written;
  };
  const texts = (value: unknown, field: string): string[] =>
    (Array.isArray(value) ? value : [value]).map((item, at) => text(item, `${field}[${at}]`));
  const record = (value: unknown, field: string): Record<string, string> =>
    Object.fromEntries(
      Object.entries(isObject(value) ? value : {}).map(([key, item]) => [key, text(item, `${field}.${key}`)]),
    );
  /** A variable by its name alone. */
  const variable = (named: unknown): string => {
    if (typeof named === "string" && /^[A-Za-z_]\w*$/.test(named)) return `\${${named}}`;
    odd ??= `${JSON.stringify(named)} is no name of a variable`;
    return "";
  };
  const { entry } = server;

  const type = take("type");
  const command = take("command");
  const args = take("args");
  const env = take("env", "environment");
  const cwd = take("cwd");
  const httpUrl = take("httpUrl");
  const plainUrl = take("url", "serverUrl");
  const url = httpUrl ?? plainUrl;
  const headers = take("headers", "http_headers");
  const transport = take("transport");
  const enabled = take("enabled");
  const disabled = take("disabled");
  if (command !== undefined && command !== null) {
    const [first, ...more] = texts(command, "command");
    entry.command = first ?? "";
    entry.args = [...more, ...args === undefined ? [] : texts(args, "args")];
    if (isObject(env) && Object.keys(env).length > 0) entry.env = record(env, "env");
    if (typeof cwd === "string") entry.cwd = text(cwd, "cwd");
  }
  if (url !== undefined && url !== null) {
    entry.url = text(url, "url");
    if (isObject(headers)) entry.headers = record(headers, "headers");
    const kind = transportOf(transport ?? type) ?? (httpUrl === undefined ? rules.urlTransport : "http");
    if (kind) entry.transport = kind;
  }
  readCodexKeys(entry, { take, text, variable });
  if (disabled === true || enabled === false) entry.disabled = true;
  const passthrough = take("envPassthrough", "env_vars");
  if (Array.isArray(passthrough)) {
    entry.envPassthrough = passthrough.filter((one): one is string => typeof one === "string");
  }
  if (rest.has("auth")) {
    const value = take("auth");
    if (rules.dialect !== OWN) server.notes.push(`${name}.auth is not imported: write it in mcpx's form.`);
    else {
      try {
        entry.auth = withTexts(readAuth({ value, path: ["auth"] }), (one, key) => text(one, `auth.${key}`));
      } catch (fault) {
        if (fault instanceof FieldFault) return { ...server, skipped: fault.message };
        throw fault;
      }
    }
  }
  const block = take("mcpx");
  if (isObject(block)) entry.mcpx = block;
  for (const [key, value] of rest) {
    const set = rules.block?.[key]?.(value);
    if (set) entry.mcpx = { ...entry.mcpx, [set[0]]: set[1] };
    else if (rules.dialect === OWN && key === "aliasOf") return { ...server, skipped: "it is an alias" };
    else server.notes.push(`${name}.${key} is not imported: mcpx has no such key.`);
  }
  const skipped = odd ?? reasonToSkip(entry);
  return skipped === undefined ? server : { ...server, skipped };
}

/** Codex names variables instead of expanding them. */
function readCodexKeys(
  entry: PortableServer,
  { take, text, variable }: {
    take: (...keys: string[]) => unknown;
    text: (value: unknown, field: string) => string;
    variable: (name: unknown) => string;
  },
): void {
  const tokenVariable = take("bearer_token_env_var");
  const token = take("bearer_token");
  const variables = take("env_http_headers");
  if (typeof tokenVariable === "string") entry.auth = { type: "bearer", token: variable(tokenVariable) };
  else if (typeof token === "string") entry.auth = { type: "bearer", token: text(token, "bearer_token") };
  if (!isObject(variables)) return;
  const named = Object.entries(variables).map(([header, one]) => [header, variable(one)]);
  entry.headers = { ...entry.headers, ...Object.fromEntries(named) };
}

/** Credentials with each of their strings rewritten. */
function withTexts(auth: ServerAuth, write: (text: string, key: string) => string): ServerAuth {
  switch (auth.type) {
    case "bearer":
      return { ...auth, token: write(auth.token, "token") };
    case "basic":
      return {
        ...auth,
        username: write(auth.username, "username"),
        password: write(auth.password, "password"),
      };
    case "header":
    case "query":
      return { ...auth, name: write(auth.name, "name"), value: write(auth.value, "value") };
    case "oauth": {
      const { clientId, clientSecret, scope } = auth;
      return {
        type: "oauth",
        ...(clientId === undefined ? {} : { clientId: write(clientId, "clientId") }),
        ...(clientSecret === undefined ? {} : { clientSecret: write(clientSecret, "clientSecret") }),
        ...(scope === undefined ? {} : { scope: write(scope, "scope") }),
      };
    }
  }
}

function transportOf(type: unknown): "http" | "sse" | undefined {
  if (type === "sse") return "sse";
  return type === "http" || type === "streamable-http" || type === "streamableHttp" ? "http" : undefined;
}

function reasonToSkip(entry: PortableServer): string | undefined {
  if (entry.command !== undefined && entry.url !== undefined) return "it has both command and url";
  if (!entry.command && !entry.url) return "it has no command and no url";
  if (entry.command && isMcpxItself(entry.command, entry.args ?? [])) return "it is mcpx itself";
  for (const { text } of entryStrings(entry)) {
    for (const part of allParts(parseTemplate(text))) {
      if (part.kind === "input") return inputReason(part.body);
      if (part.kind === "unknown") return unknownReason(part.text);
    }
  }
  return undefined;
}

/** Every string of an entry that is expanded, with the keys that lead to it. */
export function entryStrings(entry: PortableServer): Iterable<{ path: (string | number)[]; text: string }> {
  const { command = "", args = [], env = {}, cwd, url, headers = {}, transport = "auto", auth } = entry;
  return templateStrings({
    target: url === undefined
      ? { kind: "stdio", command, args, env, ...(cwd === undefined ? {} : { cwd }) }
      : { kind: "http", url, headers, transport },
    ...(auth ? { auth } : {}),
  });
}
