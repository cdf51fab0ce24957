import { type ErrorCode, isErrorCode } from "../errors/mod.ts";
import { parseJson } from "../json/mod.ts";
import type { SandboxLayer, ScriptGrants, ScriptHooks, ScriptLog } from "./types.ts";

/*
 * The lines between the daemon and a sandbox process: one JSON object each. Whatever comes out of a sandbox is checked member by
 * member; one line that does not fit ends the process.
 */

/** What a process is told first: the permissions that its worker gets. */
export interface InitMessage {
  t: "init";
  grants: Omit<ScriptGrants, "env">;
  /** Layers that are left out, in tests that show that the next one holds. */
  without?: readonly SandboxLayer[];
}

/** The one script that a process runs. */
export interface RunMessage {
  t: "run";
  source: string;
  filename: string;
  args: string;
  exportName: string;
  namespaces: { namespace: string; names: string[] }[];
  grants: Omit<ScriptGrants, "env">;
  env: Record<string, string>;
  maxCalls: number;
  maxConcurrentCalls: number;
  maxResultBytes: number;
  maxOutputBytes: number;
  maxArtifactBytes: number;
  maxScratchBytes: number;
  hooks: ScriptHooks;
}

/** What a script can ask of the daemon. */
export type RequestKind = "call" | "search" | "describe" | "artifact";

/** A failure as the sandbox reports it. */
export interface SandboxFailure {
  code: ErrorCode;
  message: string;
  name?: string;
  stack?: string;
  hint?: string;
  data?: Record<string, unknown>;
  diagnostics?: readonly unknown[];
}

/** A line out of a sandbox, checked. */
export type SandboxMessage =
  | { t: "ready" }
  | { t: "parsed" }
  | { t: "call"; id: number; op: RequestKind; name: string; body: string; mime?: string }
  | { t: "emit"; json: string }
  | { t: "log"; record: ScriptLog }
  | { t: "done"; result?: string; open: number }
  | { t: "fail"; error: SandboxFailure };

const KINDS: ReadonlySet<string> = new Set<RequestKind>(["call", "search", "describe", "artifact"]);
const LEVELS: ReadonlySet<string> = new Set<ScriptLog["level"]>(["debug", "info", "warn", "error"]);

/** A line that is no message. */
export class ProtocolFault extends Error {
  override readonly name = "ProtocolFault";
}

/**
 * Reads one line of a sandbox.
 *
 * @param line the line without its newline
 * @returns the message, every member checked
 * @throws {ProtocolFault} when the line is not exactly a message
 *
 * @example
 * ```ts
 * import { parseSandboxLine } from "./protocol.ts";
 * console.assert(parseSandboxLine('{"t":"ready"}').t === "ready");
 * ```
 */
export function parseSandboxLine(line: string): SandboxMessage {
  const message = object(read(line), "the line");
  switch (message.t) {
    case "ready":
      return { t: "ready" };
    case "parsed":
      return { t: "parsed" };
    case "call":
      return request(message);
    case "emit":
      return { t: "emit", json: json(message.json, "json") };
    case "log":
      return { t: "log", record: log(message) };
    case "done":
      return {
        t: "done",
        open: count(message.open, "open"),
        ...(message.result === undefined ? {} : { result: json(message.result, "result") }),
      };
    case "fail":
      return { t: "fail", error: failure(object(message.error, "error")) };
    default:
      throw new ProtocolFault("its kind is unknown");
  }
}

function request(message: Record<string, unknown>): SandboxMessage {
  const { op } = message;
  if (!isKind(op)) throw new ProtocolFault("its op is unknown");
  const body = text(message.body, "body");
  if (op === "call") object(read(body), "body");
  return {
    t: "call",
    id: count(message.id, "id"),
    op,
    name: text(message.name, "name"),
    body,
    ...(message.mime === undefined ? {} : { mime: text(message.mime, "mime") }),
  };
}

function log(message: Record<string, unknown>): ScriptLog {
  const { level } = message;
  if (!isLevel(level)) throw new ProtocolFault("its level is unknown");
  return {
    level,
    text: text(message.text, "text"),
    ...(message.attributes === undefined ? {} : { attributes: json(message.attributes, "attributes") }),
  };
}

function failure(error: Record<string, unknown>): SandboxFailure {
  const code = isErrorCode(error.code) ? error.code : undefined;
  if (code === undefined) throw new ProtocolFault("its error code is unknown");
  return {
    code,
    message: text(error.message, "message"),
    ...optionalText(error, "name"),
    ...optionalText(error, "stack"),
    ...optionalText(error, "hint"),
    ...(error.data === undefined || error.data === null ? {} : { data: object(error.data, "data") }),
    ...(Array.isArray(error.diagnostics) ? { diagnostics: error.diagnostics } : {}),
  };
}

function isKind(value: unknown): value is RequestKind {
  return typeof value === "string" && KINDS.has(value);
}

function isLevel(value: unknown): value is ScriptLog["level"] {
  return typeof value === "string" && LEVELS.has(value);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function read(line: string): unknown {
  try {
    return parseJson(line);
  } catch {
    throw new ProtocolFault("it is not JSON");
  }
}

function object(value: unknown, what: string): Record<string, unknown> {
  if (!isObject(value)) throw new ProtocolFault(`${what} is no object`);
  return value;
}

function text(value: unknown, what: string): string {
  if (typeof value !== "string") throw new ProtocolFault(`its ${what} is no string`);
  return value;
}

function json(value: unknown, what: string): string {
  const content = text(value, what);
  try {
    JSON.parse(content);
  } catch {
    throw new ProtocolFault(`its ${what} is not JSON`);
  }
  return content;
}

function count(value: unknown, what: string): number {
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 0) {
    throw new ProtocolFault(`its ${what} is no count`);
  }
  return value;
}

function optionalText<Key extends string>(
  from: Record<string, unknown>,
  key: Key,
): { [name in Key]?: string } {
  const value = from[key];
  const found: { [name in Key]?: string } = {};
  if (typeof value === "string") found[key] = value;
  return found;
}

/** The line that answers a request with JSON text, which goes through as it is. */
export function answerLine(id: number, json: string): string {
  return `{"t":"ret","id":${id},"body":${oneLine(json)}}`;
}

/** The line that answers a request with a failure. */
export function failureLine(id: number, error: Omit<SandboxFailure, "stack">): string {
  return `{"t":"ret","id":${id},"error":${JSON.stringify(error)}}`;
}

/** JSON text on one line: a raw newline can only stand between its tokens. */
function oneLine(json: string): string {
  return json.includes("\n") ? json.replaceAll("\n", " ") : json;
}
