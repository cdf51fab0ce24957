import { isAbsolute, join, normalize } from "node:path";
import { McpxError } from "../errors/mod.ts";
import type { UpstreamTarget } from "../mcp/types.ts";
import { sha256 } from "./digest.ts";
import { literalSecrets } from "./literal_secrets.ts";
import { type ExpandOptions, expandString, homePath, placeOf } from "./expand.ts";
import type { Environment } from "./paths.ts";
import { isSecretFlag, isSecretVariable, looksSecret, passwordInUrl } from "./secrets.ts";
import type { ServerAuth, ServerDefinition } from "./types.ts";

/** A server ready to be reached, for one caller. */
export interface ExpandedServer {
  /** Where to connect, with nothing left to expand. */
  target: UpstreamTarget;
  /** SHA-256, in hexadecimal, of all that shapes the process: target, protocol, values passed through. */
  digest: string;
  /** Values that must not show in a log, an error or a listing; longest first. */
  secrets: string[];
  /** OAuth's strings, expanded, where the server wants OAuth. */
  oauth?: Extract<ServerAuth, { type: "oauth" }>;
}

/** What an expansion shares with others, and whom it tells that it waits. */
export type ExpandServerOptions = Pick<
  ExpandOptions,
  "onWait" | "commandTimeoutMs" | "waitNoticeMs" | "commands" | "signal"
>;

type Expand = (text: string, path: (string | number)[]) => Promise<string>;

/**
 * Expands a server for one caller: command, arguments, environment, folder, url, headers, credentials.
 *
 * @param definition the server as configured
 * @param callerEnv the caller's variables that the configuration names, and `HOME`
 * @param options command outputs that are shared, and whom to tell about a wait
 * @returns the target, its digest for the pool's instance key, and the values to redact
 * @throws {McpxError} the definition's own `error`; `missing-variable`, `untrusted-config`, `server-config`
 * @see spec/98 item 14
 *
 * @example
 * ```ts
 * import { expandServer } from "./expand_server.ts";
 * import type { ServerDefinition } from "./types.ts";
 * async function show(definition: ServerDefinition): Promise<void> {
 *   const { target } = await expandServer(definition, { HOME: "/home/me", TOKEN: "t" });
 *   console.log(target.kind);
 * }
 * ```
 */
export async function expandServer(
  definition: ServerDefinition,
  callerEnv: Environment,
  options: ExpandServerOptions = {},
): Promise<ExpandedServer> {
  if (definition.error) throw definition.error;
  const origin = definition.targetSource ?? definition.source;
  const secrets = new Set<string>();
  const expand: Expand = (text, path) =>
    expandString(text, {
      ...options,
      env: callerEnv,
      file: origin.file,
      folder: origin.folder,
      field: placeOf(definition.name, path),
      allowCommands: origin.trusted,
      onValue: (value, from) => {
        const secret = "variable" in from
          ? isSecretVariable(from.variable, value) || (isCredential(path) && value.length >= 4)
          : value.length >= 4;
        if (secret) secrets.add(value);
      },
    });
  const target = definition.target.kind === "stdio"
    ? await expandProcess(definition.target, { definition, callerEnv, expand, secrets })
    : await expandEndpoint(definition.target, { definition, expand, secrets });
  const oauth = definition.auth?.type === "oauth"
    ? await expandOauth(definition.auth, { expand, secrets })
    : undefined;
  return {
    target,
    digest: await digestTarget(target, { protocol: definition.protocol, ...(oauth ? { oauth } : {}) }),
    secrets: [...secrets].sort((a, b) => b.length - a.length),
    ...(oauth ? { oauth } : {}),
  };
}

function isCredential(path: readonly (string | number)[]): boolean {
  return path[0] === "auth" || path[0] === "headers";
}

async function expandProcess(
  target: Extract<ServerDefinition["target"], { kind: "stdio" }>,
  { definition, callerEnv, expand, secrets }: {
    definition: ServerDefinition;
    callerEnv: Environment;
    expand: Expand;
    secrets: Set<string>;
  },
): Promise<UpstreamTarget> {
  const env = new Map<string, string>();
  for (const name of definition.envPassthrough) {
    const value = Object.hasOwn(callerEnv, name) ? callerEnv[name] : undefined;
    if (value === undefined) continue;
    env.set(name, value);
    if (isSecretVariable(name, value)) secrets.add(value);
  }
  for (const [name, text] of Object.entries(target.env)) {
    const value = await expand(text, ["env", name]);
    env.set(name, value);
    noteSecret(secrets, name, value);
    for (const secret of literalSecrets(name, text, { exists })) secrets.add(secret);
  }
  const command = homePath(await expand(target.command, ["command"]), callerEnv);
  const args: string[] = [];
  for (const [at, text] of target.args.entries()) {
    const value = await expand(text, ["args", at]);
    args.push(value);
    noteArgumentSecret(secrets, target.args[at - 1] ?? "", value);
  }
  const cwd = await expandFolder(target.cwd, { definition, callerEnv, expand });
  const base = cwd ?? (definition.targetSource ?? definition.source).folder;
  return {
    kind: "stdio",
    // A relative path with a slash would start at the daemon's working folder.
    command: command.includes("/") && !isAbsolute(command) ? join(base, command) : command,
    args,
    env: Object.fromEntries(env),
    ...(cwd === undefined ? {} : { cwd }),
  };
}

async function expandFolder(
  text: string | undefined,
  { definition, callerEnv, expand }: { definition: ServerDefinition; callerEnv: Environment; expand: Expand },
): Promise<string | undefined> {
  if (text === undefined) return undefined;
  const path = homePath(await expand(text, ["cwd"]), callerEnv);
  const { folder } = definition.targetSource ?? definition.source;
  const plain = normalize(isAbsolute(path) ? path : join(folder, path));
  return plain.length > 1 ? plain.replace(/\/+$/, "") : plain;
}

async function expandEndpoint(
  target: Extract<ServerDefinition["target"], { kind: "http" }>,
  { definition, expand, secrets }: { definition: ServerDefinition; expand: Expand; secrets: Set<string> },
): Promise<UpstreamTarget> {
  const url = parseUrl(await expand(target.url, ["url"]), definition);
  const headers = new Map<string, string>();
  const setHeader = (name: string, value: string, path: (string | number)[]): void => {
    checkHeader(name, value, { definition, path });
    for (const known of headers.keys()) {
      if (known.toLowerCase() === name.toLowerCase()) headers.delete(known);
    }
    headers.set(name, value);
  };
  for (const [name, text] of Object.entries(target.headers)) {
    const value = await expand(text, ["headers", name]);
    setHeader(name, value, ["headers", name]);
    noteSecret(secrets, name, value);
    for (const secret of literalSecrets(name, text, { exists })) secrets.add(secret);
  }
  for (const [name, value] of url.searchParams) noteSecret(secrets, name, value);
  const auth = definition.auth;
  if (auth && auth.type !== "oauth") {
    const [name, value] = await credentials(auth, { expand, secrets });
    if (auth.type === "query") {
      url.searchParams.set(name, value);
      // As the url carries it.
      secrets.add(new URLSearchParams({ "": value }).toString().slice(1));
    } else setHeader(name, value, ["auth"]);
  }
  return { kind: "http", url: url.href, headers: Object.fromEntries(headers), transport: target.transport };
}

async function credentials(
  auth: Exclude<ServerAuth, { type: "oauth" }>,
  { expand, secrets }: { expand: Expand; secrets: Set<string> },
): Promise<[name: string, value: string]> {
  const secret = async (text: string, key: string): Promise<string> => {
    const value = await expand(text, ["auth", key]);
    if (value.length >= 4) secrets.add(value);
    return value;
  };
  switch (auth.type) {
    case "bearer":
      return ["Authorization", `Bearer ${await secret(auth.token, "token")}`];
    case "basic": {
      const pair = `${await expand(auth.username, ["auth", "username"])}:${await secret(
        auth.password,
        "password",
      )}`;
      const encoded = new TextEncoder().encode(pair).toBase64();
      secrets.add(encoded);
      return ["Authorization", `Basic ${encoded}`];
    }
    case "header":
    case "query":
      return [await expand(auth.name, ["auth", "name"]), await secret(auth.value, "value")];
  }
}

async function expandOauth(
  auth: Extract<ServerAuth, { type: "oauth" }>,
  { expand, secrets }: { expand: Expand; secrets: Set<string> },
): Promise<Extract<ServerAuth, { type: "oauth" }>> {
  const expanded: Extract<ServerAuth, { type: "oauth" }> = { type: "oauth" };
  for (const key of ["clientId", "clientSecret", "scope"] as const) {
    const text = auth[key];
    if (text !== undefined) expanded[key] = await expand(text, ["auth", key]);
  }
  if (expanded.clientSecret) secrets.add(expanded.clientSecret);
  return expanded;
}

function parseUrl(text: string, definition: ServerDefinition): URL {
  const url = URL.parse(text);
  if (url?.username || url?.password) {
    throw unusable(definition, ["url"], "it has a name or a password in it; give those in headers or auth");
  }
  if (url && (url.protocol === "http:" || url.protocol === "https:")) return url;
  throw unusable(definition, ["url"], "it must be a whole URL that begins with http:// or https://");
}

function checkHeader(
  name: string,
  value: string,
  { definition, path }: { definition: ServerDefinition; path: (string | number)[] },
): void {
  if (!/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(name)) {
    throw unusable(definition, path, `${JSON.stringify(name)} cannot be the name of a header`);
  }
  // deno-lint-ignore no-control-regex -- exactly these characters end or break a header
  if (/[\0\r\n]|[^\x00-\xff]/.test(value)) {
    throw unusable(definition, path, "its value has a line break or a character that a header cannot carry");
  }
}

function unusable(definition: ServerDefinition, path: (string | number)[], reason: string): McpxError {
  const { file } = definition.targetSource ?? definition.source;
  const field = placeOf(definition.name, path);
  return new McpxError("server-config", `Cannot use ${field} in ${file}: ${reason}.`, {
    hint: `Correct ${field} in ${file}.`,
    data: { server: definition.name, file, field },
  });
}

/** Whether there is such a file, or the folder that it will be made in. */
function exists(path: string): boolean {
  for (const one of [path, path.slice(0, path.lastIndexOf("/"))]) {
    try {
      Deno.lstatSync(one);
      return one !== "";
    } catch {
      // Not there, or not to be looked at: the folder above may be.
    }
  }
  return false;
}

function noteSecret(secrets: Set<string>, name: string, value: string): void {
  if (looksSecret(name, value)) secrets.add(value);
  const bare = /^(?:Bearer|Basic|Token)\s+(\S{4,})$/i.exec(value)?.[1];
  if (bare) secrets.add(bare);
  const password = passwordInUrl(value);
  if (password) secrets.add(password);
}

/** `--api-key=VALUE`, `--api-key VALUE`, and a bare value with a secret's shape. */
function noteArgumentSecret(secrets: Set<string>, before: string, value: string): void {
  const [, flag, inline] = /^--?([\w-]+)=(.+)$/s.exec(value) ?? [];
  if (flag !== undefined && inline !== undefined) noteSecret(secrets, flag, inline);
  else if (isSecretFlag(before, value)) noteSecret(secrets, before, value);
  else noteSecret(secrets, "", value);
}

/** Digests a target so that the order of variables and headers does not matter. */
function digestTarget(target: UpstreamTarget, rest: Record<string, unknown>): Promise<string> {
  const sorted = (record: Record<string, string>): [string, string][] =>
    Object.entries(record).sort(([a], [b]) => a < b ? -1 : a > b ? 1 : 0);
  const shape = target.kind === "stdio"
    ? [target.kind, target.command, target.args, sorted(target.env), target.cwd ?? null]
    : [target.kind, target.url, sorted(target.headers), target.transport];
  return sha256(JSON.stringify([shape, rest]));
}
