import { nearest } from "../catalog/nearest.ts";
import { FieldFault, readChoice, readString, readTextRecord, readTexts } from "./fields.ts";
import { type MergedEntry, TARGET_KEYS } from "./merge.ts";
import { unreachable } from "./reachable.ts";
import { escapeTemplate } from "./template.ts";
import type { ServerTarget } from "./types.ts";

const TRANSPORTS = ["http", "sse", "auto"] as const;
const TYPES: Record<string, "stdio" | "http" | "sse"> = {
  "stdio": "stdio",
  "local": "stdio",
  "http": "http",
  "streamable-http": "http",
  "streamableHttp": "http",
  "streamable_http": "http",
  "remote": "http",
  "sse": "sse",
};
const URL_KEYS = ["url", "serverUrl", "httpUrl"];

/**
 * Reads how a server is reached: a command, or a url in any spelling that other hosts have for it.
 *
 * @param entry the merged entry
 * @returns the target, its strings unexpanded and `cwd` rooted at the file's folder
 * @throws {FieldFault} naming the keys that do not go together
 */
export function readTarget(entry: MergedEntry): ServerTarget {
  const has = (key: string): boolean => entry.fields.has(key);
  const urlKeys = URL_KEYS.filter(has);
  const urlKey = urlKeys[0];
  if (has("command") && urlKey) {
    throw new FieldFault([urlKey], `it has both command and ${urlKey}; keep one of them`);
  }
  if (urlKey && urlKeys[1]) {
    throw new FieldFault([urlKeys[1]], `it has both ${urlKeys.join(" and ")}; keep one`);
  }
  const type = typeOf(entry);
  if (has("command")) return commandTarget(entry, type);
  if (urlKey) return urlTarget(entry, urlKey, type);
  throw missingTarget(entry);
}

function typeOf(entry: MergedEntry): "stdio" | "http" | "sse" | undefined {
  const field = entry.fields.get("type");
  if (field === undefined) return undefined;
  const known = typeof field.value === "string" && Object.hasOwn(TYPES, field.value);
  if (known) return TYPES[String(field.value)];
  throw new FieldFault(["type"], `type must be one of stdio, http, sse, not ${JSON.stringify(field.value)}`);
}

function commandTarget(entry: MergedEntry, type: "stdio" | "http" | "sse" | undefined): ServerTarget {
  if (type === "http" || type === "sse") {
    throw new FieldFault(["type"], `type is ${type}, but it has a command and no url`);
  }
  const command = entry.fields.get("command")?.value;
  if (Array.isArray(command)) {
    throw new FieldFault(["command"], "command must be a string, with its arguments in args");
  }
  for (const key of ["headers", "transport"]) {
    if (entry.fields.has(key)) {
      throw new FieldFault([key], `${key} is for servers with a url, but it has a command`);
    }
  }
  const program = readString({ value: command, path: ["command"] });
  requireReachable({ command: program }, "command");
  return {
    kind: "stdio",
    command: program,
    args: readTexts({ value: entry.fields.get("args")?.value ?? [], path: ["args"] }),
    env: readEnv(entry),
    ...readFolder(entry),
  };
}

/**
 * A project's server starts in the project's folder unless it says otherwise, wherever the caller is: the arguments of
 * such entries are often relative paths. One whose scope is a folder starts in the caller's.
 */
function readFolder(entry: MergedEntry): { cwd?: string } {
  const cwd = entry.fields.get("cwd");
  if (cwd) return { cwd: rooted(readString({ value: cwd.value, path: ["cwd"] }), cwd.layer.file.folder) };
  const { file, folder } = (entry.targetFrom ?? entry.definedBy).file;
  const followsCaller = ["cwd", "worktree", "repo"].includes(String(entry.mcpx.get("scope")?.value));
  const local = file.kind === "project" || file.kind === "explicit";
  return local && !followsCaller ? { cwd: escapeTemplate(folder) } : {};
}

function readEnv(entry: MergedEntry): Record<string, string> {
  const env = readTextRecord({ value: entry.fields.get("env")?.value ?? {}, path: ["env"] });
  const bad = Object.keys(env).find((name) => name === "" || /[=\0]/.test(name));
  if (bad === undefined) return env;
  throw new FieldFault(["env", bad], `env has the name ${JSON.stringify(bad)}, which no variable can have`);
}

/** A path that begins with an expression is rooted after it is expanded. */
function rooted(path: string, folder: string): string {
  return /^[/~$]/.test(path) ? path : `${folder === "/" ? "" : escapeTemplate(folder)}/${path}`;
}

function urlTarget(
  entry: MergedEntry,
  urlKey: string,
  type: "stdio" | "http" | "sse" | undefined,
): ServerTarget {
  if (type === "stdio") throw new FieldFault(["type"], `type is stdio, but it has ${urlKey} and no command`);
  for (const key of ["args", "cwd"]) {
    if (entry.fields.has(key)) {
      throw new FieldFault([key], `${key} is for servers with a command, but it has a url`);
    }
  }
  const url = readString({ value: entry.fields.get(urlKey)?.value, path: [urlKey] });
  requireReachable({ url }, urlKey);
  const transport = entry.fields.get("transport");
  return {
    kind: "http",
    url,
    headers: readTextRecord({ value: entry.fields.get("headers")?.value ?? {}, path: ["headers"] }),
    transport: transport === undefined
      ? type ?? (urlKey === "httpUrl" ? "http" : "auto")
      : readTransport(transport.value),
  };
}

function requireReachable(target: { command?: string; url?: string }, key: string): void {
  const fault = unreachable(target);
  if (fault) throw new FieldFault([key], fault.what.replace(/^url/, key));
}

function readTransport(value: unknown): "http" | "sse" | "auto" {
  const plain = value === "streamable-http" || value === "streamableHttp" ? "http" : value;
  return readChoice({ value: plain, path: ["transport"] }, TRANSPORTS);
}

function missingTarget(entry: MergedEntry): FieldFault {
  for (const key of entry.fields.keys()) {
    const meant = TARGET_KEYS.has(key) ? undefined : nearest(key, ["command", "url"])[0];
    if (meant) return new FieldFault([key], `it has no command and no url; is ${key} meant to be ${meant}?`);
  }
  return new FieldFault([], "it has no command and no url");
}
