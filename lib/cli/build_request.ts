import { McpxError } from "../errors/mod.ts";
import { type CallArguments, readArgsFlag, readArguments } from "./call_arguments.ts";
import { flagName } from "./flag_names.ts";
import type { ManifestInput, ManifestOperation } from "./manifest_types.ts";
import type { FlagValue } from "./parse.ts";
import type { TextSource } from "./read_text.ts";

/** A request without its headers. */
export interface BuiltRequest {
  method: string;
  /** Path and query. */
  path: string;
  /** JSON text. */
  body?: string;
}

const SCRIPT_PATH = /\/|\.[cm]?[jt]sx?$/;

/**
 * Writes the values of a command line into the operation's route, query and body.
 *
 * The body is put together as text, so that a JSON value goes out digit for digit as it was given.
 *
 * @param operation the operation
 * @param values its inputs as typed
 * @param source where `-`, `@file` and script files come from
 * @returns the request
 * @throws {McpxError} `usage` when a value does not have the shape of its kind
 */
export async function buildRequest(
  operation: ManifestOperation,
  values: ReadonlyMap<string, FlagValue>,
  source: TextSource,
): Promise<BuiltRequest> {
  let path = operation.path;
  const query: string[] = [];
  const members: [string, string][] = [];
  const argumentsGiven = await callArguments(operation, values, source);
  for (const input of operation.inputs) {
    const value = values.get(input.name);
    if (input.kind === "pairs") {
      if (argumentsGiven) members.push(argumentsMember(input.name, argumentsGiven));
      continue;
    }
    if (value === undefined) continue;
    if (input.in === "path") path = path.replace(`{${input.name}}`, routePart(input, String(value)));
    else if (input.in === "query") query.push(...queryParts(input, value));
    else members.push(...await bodyMembers(input, value, source));
  }
  // An optional part of the route that was not given ends it.
  path = path.replace(/\/\{[^}]*\}/g, "");
  return {
    method: operation.method,
    path: query.length === 0 ? path : `${path}?${query.join("&")}`,
    ...(operation.method === "GET" ? {} : { body: objectText(members) }),
  };
}

/** A URL takes `.` and `..` away, and another route would be meant. */
function routePart(input: ManifestInput, text: string): string {
  if (!/^\.{0,2}$/.test(text)) return encodeURIComponent(text);
  throw new McpxError("usage", `Cannot use ${JSON.stringify(text)} as <${input.name}>: it names nothing.`);
}

async function callArguments(
  operation: ManifestOperation,
  values: ReadonlyMap<string, FlagValue>,
  source: TextSource,
): Promise<CallArguments | undefined> {
  const input = operation.inputs.find((one) => one.kind === "pairs");
  if (!input) return undefined;
  const words = values.get(input.name);
  const flag = values.get("args");
  if (typeof flag !== "string") return await readArguments(Array.isArray(words) ? words : [], source);
  if (Array.isArray(words)) throw new McpxError("usage", "Cannot use --args and argument words together.");
  return await readArgsFlag(flag, source);
}

function argumentsMember(name: string, given: CallArguments): [string, string] {
  return "json" in given ? [name, given.json] : ["textArguments", JSON.stringify(given.pairs)];
}

function queryParts(input: ManifestInput, value: FlagValue): string[] {
  const name = encodeURIComponent(input.name);
  if (Array.isArray(value)) return value.map((one) => `${name}=${encodeURIComponent(one)}`);
  return [`${name}=${encodeURIComponent(typeof value === "string" ? checked(input, value) : String(value))}`];
}

async function bodyMembers(
  input: ManifestInput,
  value: FlagValue,
  source: TextSource,
): Promise<[string, string][]> {
  if (typeof value !== "string") return [[input.name, JSON.stringify(value)]];
  if (input.reads === "script") return await scriptMembers(input, value, source);
  if (input.reads === "stdin" && value === "-") return [[input.name, JSON.stringify(await source.stdin())]];
  switch (input.kind) {
    case "integer":
    case "number":
    case "json":
      return [[input.name, checked(input, value)]];
    default:
      return [[input.name, JSON.stringify(value)]];
  }
}

/** A script by name stays a name; by path, or from standard input, its source goes along. */
async function scriptMembers(
  input: ManifestInput,
  value: string,
  source: TextSource,
): Promise<[string, string][]> {
  if (value === "-") return [["code", JSON.stringify(await source.stdin())]];
  if (!SCRIPT_PATH.test(value)) return [[input.name, JSON.stringify(value)]];
  return [["code", JSON.stringify(await source.file(value))], ["filename", JSON.stringify(value)]];
}

/** Gives the text of a number or of JSON back when it is one. */
function checked(input: ManifestInput, value: string): string {
  if (input.kind === "integer" && !/^-?(0|[1-9]\d*)$/.test(value)) {
    throw unfit(input, value, "a whole number");
  }
  if (input.kind === "number" && !/^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(value)) {
    throw unfit(input, value, "a number");
  }
  if (input.kind === "json") {
    try {
      JSON.parse(value);
    } catch (error) {
      throw unfit(input, value, "JSON", error);
    }
  }
  return value;
}

function unfit(input: ManifestInput, value: string, what: string, cause?: unknown): McpxError {
  return new McpxError(
    "usage",
    `Cannot read --${flagName(input)}: ${JSON.stringify(value.slice(0, 80))} is not ${what}.`,
    { cause },
  );
}

function objectText(members: readonly [string, string][]): string {
  return `{${members.map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(",")}}`;
}
