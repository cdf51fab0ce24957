import { nearest } from "../catalog/nearest.ts";
import { McpxError } from "../errors/mod.ts";
import { readAuth } from "./auth.ts";
import {
  type Field,
  FieldFault,
  isObject,
  readBoolean,
  readChoice,
  readCount,
  readDuration,
  readNames,
  readString,
} from "./fields.ts";
import type { LoadedFile } from "./loaded_file.ts";
import { type EntryLayer, type FilterLayer, isOwn, type MergedEntry, type MergedField } from "./merge.ts";
import { readTarget } from "./target.ts";
import { allParts, parseTemplate } from "./template.ts";
import type { ProtocolChoice, Scope, ServerDefinition, Sharing } from "./types.ts";

const SHARING: readonly Sharing[] = ["shared", "exclusive"];
const SCOPES: readonly Scope[] = [
  "global",
  "repo",
  "worktree",
  "cwd",
  "session",
  "parent-session",
  "pid",
  "call",
];
const PROTOCOLS: readonly ProtocolChoice[] = ["auto", "legacy", "modern"];
const PREFIXES: readonly ServerDefinition["prefix"][] = ["namespace", "none"];

/** The keys of a server's `mcpx` block. */
export const BLOCK_KEYS: readonly string[] = [
  "namespace",
  "description",
  "sharing",
  "scope",
  "min",
  "max",
  "idleTimeout",
  "callTimeout",
  "startTimeout",
  "tools",
  "extraIncludeTools",
  "excludeTools",
  "groups",
  "default",
  "protocol",
  "prefix",
];

/** A server read from its entry, and the namespace that a person wrote for it. */
export interface ReadServer {
  definition: ServerDefinition;
  written?: string;
}

/**
 * Reads one merged entry; what is wrong with it becomes its `error`, and never anybody else's.
 *
 * @param entry the merged entry
 * @param defaults values of `pool.sharing`, `pool.scope` and `pool.protocol`
 * @returns the definition, its namespace still to be derived
 */
export function readServer(entry: MergedEntry, defaults: ReadonlyMap<string, MergedField>): ReadServer {
  const { file } = entry.definedBy;
  const definition: ServerDefinition = {
    name: entry.name,
    namespace: "",
    target: { kind: "stdio", command: "", args: [], env: {} },
    envPassthrough: [],
    disabled: false,
    sharing: "shared",
    scope: "global",
    limits: {},
    filter: { exclude: [] },
    groups: [],
    default: true,
    protocol: "auto",
    prefix: "namespace",
    source: sourceOf(file),
    ...(entry.targetFrom ? { targetSource: sourceOf(entry.targetFrom.file) } : {}),
    variables: [],
  };
  const read: ReadServer = { definition };
  const attempt = (layer: EntryLayer, action: () => void): void => {
    try {
      action();
    } catch (thrown) {
      if (!(thrown instanceof FieldFault)) throw thrown;
      const giver = entry.fields.get(String(thrown.path[0]))?.layer ?? layer;
      definition.error ??= serverError(entry.name, giver, thrown);
    }
  };
  const outer = <T>(key: string, reader: (field: Field) => T, use: (value: T) => void): void => {
    const field = entry.fields.get(key);
    if (field) attempt(field.layer, () => use(reader({ value: field.value, path: [key] })));
  };
  const block = <T>(key: string, reader: (field: Field) => T, use: (value: T) => void): void => {
    const own = entry.mcpx.get(key);
    const field = own ?? defaults.get(`pool.${key}`);
    const path = [own ? "mcpx" : "pool", key];
    if (field) attempt(field.layer, () => use(reader({ value: field.value, path })));
  };

  attempt(entry.definedBy, () => definition.target = readTarget(entry));
  outer("auth", readAuth, (auth) => definition.auth = auth);
  outer("envPassthrough", readVariableNames, (names) => definition.envPassthrough = names);
  outer("disabled", readBoolean, (disabled) => definition.disabled = disabled);
  outer("aliasOf", readString, (target) => definition.aliasOf = target);
  outer("description", readString, (text) => definition.description = text);
  block("namespace", readString, (name) => read.written = name);
  block("description", readString, (text) => definition.description = text);
  block("sharing", (field) => readChoice(field, SHARING), (one) => definition.sharing = one);
  block("scope", (field) => readChoice(field, SCOPES), (one) => definition.scope = one);
  block("protocol", (field) => readChoice(field, PROTOCOLS), (one) => definition.protocol = one);
  block("prefix", (field) => readChoice(field, PREFIXES), (one) => definition.prefix = one);
  block("groups", readNames, (names) => definition.groups = names);
  block("default", readBoolean, (chosen) => definition.default = chosen);
  block("min", (field) => readCount(field, 0), (count) => definition.limits.min = count);
  block("max", (field) => readCount(field, 1), (count) => definition.limits.max = count);
  for (const key of ["idleTimeout", "callTimeout", "startTimeout"] as const) {
    block(key, readDuration, (ms) => definition.limits[key] = ms);
  }
  const filters = [readFilters(entry.filters, attempt), readFilters(entry.targetFilters ?? [], attempt)];
  const lists = filters.flatMap(({ include }) => include);
  definition.filter = {
    ...(lists.length > 0 ? { include: lists } : {}),
    exclude: [...new Set(filters.flatMap(({ exclude }) => exclude))],
  };

  for (const [key, { layer }] of entry.mcpx) attempt(layer, () => checkBlockKey(key));
  attempt(entry.definedBy, () => checkTogether(definition));
  attempt(entry.definedBy, () => definition.variables = variablesOf(definition));
  return read;
}

/**
 * What all files together leave of a server's tools: each list of `tools` holds, and so does every `excludeTools`. What a file adds
 * with `extraIncludeTools` is added to the lists of files that speak for nobody higher than it does.
 */
function readFilters(
  layers: readonly FilterLayer[],
  attempt: (layer: EntryLayer, action: () => void) => void,
): { include: string[][]; exclude: string[] } {
  const read = layers.map((one) => {
    const patterns: Partial<Record<"tools" | "extraIncludeTools" | "excludeTools", string[]>> = {};
    for (const key of ["tools", "extraIncludeTools", "excludeTools"] as const) {
      if (one[key] === undefined) continue;
      attempt(one.layer, () => patterns[key] = readPatterns({ value: one[key], path: ["mcpx", key] }));
    }
    return { own: isOwn(one.layer), ...patterns };
  });
  return {
    include: read.flatMap(({ tools, own }) => {
      if (tools === undefined) return [];
      const extra = read.flatMap((other) => other.own || !own ? other.extraIncludeTools ?? [] : []);
      return [[...new Set([...tools, ...extra])]];
    }),
    exclude: read.flatMap(({ excludeTools }) => excludeTools ?? []),
  };
}

function sourceOf(file: LoadedFile): ServerDefinition["source"] {
  return { file: file.file.path, folder: file.folder, trusted: file.trusted };
}

/** The error of one server, with the place in the file that is to be corrected. */
export function serverError(name: string, layer: EntryLayer, fault: FieldFault): McpxError {
  const { line, column } = layer.file.position([...layer.path, ...fault.path]);
  const file = layer.file.file.path;
  return new McpxError(
    "server-config",
    `Cannot use server ${name}: ${fault.message} (${file}:${line}:${column}).`,
    {
      hint: `Correct line ${line} of ${file}.`,
      data: { server: name, field: fault.path.join("."), file, line, column },
    },
  );
}

function checkBlockKey(key: string): void {
  if (BLOCK_KEYS.includes(key) || key.startsWith("$") || key.startsWith("//")) return;
  const meant = nearest(key, BLOCK_KEYS)[0];
  const rest = meant === undefined ? `it has ${BLOCK_KEYS.join(", ")}` : `did you mean ${meant}?`;
  throw new FieldFault(["mcpx", key], `the mcpx block has no key ${JSON.stringify(key)}; ${rest}`);
}

function checkTogether({ target, auth, limits }: ServerDefinition): void {
  if (limits.min !== undefined && limits.max !== undefined && limits.min > limits.max) {
    throw new FieldFault(["mcpx", "min"], `mcpx.min (${limits.min}) is more than mcpx.max (${limits.max})`);
  }
  if (auth && target.kind === "stdio" && target.command !== "") {
    throw new FieldFault(["auth"], "auth is for servers with a url; give a command its credentials in env");
  }
}

function readVariableNames(field: Field): string[] {
  const names = readNames(field);
  const at = names.findIndex((name) => !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name));
  if (at < 0) return names;
  throw new FieldFault([...field.path, at], `envPassthrough[${at}] must be the name of a variable`);
}

function readPatterns(field: Field): string[] {
  const patterns = readNames(field);
  for (const [at, pattern] of patterns.entries()) {
    const source = /^\/(.*)\/$/s.exec(pattern)?.[1];
    if (source === undefined) continue;
    try {
      new RegExp(source, "u");
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new FieldFault(
        [...field.path, at],
        `${field.path.join(".")}[${at}] is no regular expression: ${reason}`,
      );
    }
  }
  return patterns;
}

/** Every string of a target and its auth that is expanded before use, with the keys that lead to it. */
export function* templateStrings(
  definition: Pick<ServerDefinition, "target" | "auth">,
): Generator<{ path: (string | number)[]; text: string }> {
  const { kind: _, ...target } = definition.target;
  yield* stringsIn(target, []);
  const { type: _type, ...auth } = definition.auth ?? { type: undefined };
  yield* stringsIn(auth, ["auth"]);
}

function* stringsIn(
  value: unknown,
  path: (string | number)[],
): Generator<{ path: (string | number)[]; text: string }> {
  if (typeof value === "string") yield { path, text: value };
  else if (Array.isArray(value)) {
    for (const [at, item] of value.entries()) yield* stringsIn(item, [...path, at]);
  } else if (isObject(value)) {
    for (const [key, item] of Object.entries(value)) yield* stringsIn(item, [...path, key]);
  }
}

function variablesOf(definition: ServerDefinition): string[] {
  const names = new Set<string>();
  for (const { path, text } of templateStrings(definition)) {
    for (const part of allParts(parseTemplate(text))) {
      if (part.kind === "variable") names.add(part.name);
      else if (part.kind === "input") throw new FieldFault(path, inputReason(part.body));
      else if (part.kind === "unknown") throw new FieldFault(path, unknownReason(part.text));
    }
  }
  return [...names];
}

/** Why an input of VS Code's cannot be used. */
export function inputReason(id: string): string {
  return `\${input:${id}} asks a person in the editor, which mcpx cannot do; use \${VAR} instead`;
}

/** Why an expression cannot be used. */
export function unknownReason(text: string): string {
  return `${JSON.stringify(text)} is no expression that mcpx knows; write $$\{…} for the text itself`;
}
