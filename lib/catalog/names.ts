import { McpxError } from "../errors/mod.ts";
import { reservedMeaning } from "./reserved_names.ts";

/** A server as far as naming goes. */
export interface NamedServer {
  /** Its name in the configuration. */
  name: string;
  /** The namespace that a person wrote for it. */
  written?: string;
}

/** A tool as far as its name towards a host goes. */
export interface NamedTool {
  namespace: string;
  /** The tool's own MCP name. */
  wire: string;
}

const START = /^[\p{ID_Start}$_]$/u;
const PART = /^[\p{ID_Continue}$]$/u;
const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;
const EXPOSED = /^[A-Za-z0-9_-]+$/;
const TAIL_DIGITS = 8;
const GROWING: readonly (readonly [first: number, last: number])[] = [
  [0x0870, 0x089f],
  [0x1c80, 0x1c8f],
  [0xa7c0, 0xa7ff],
];

/**
 * Whether `text` can stand as a name in a script without quotes; reserved words count as identifiers here.
 *
 * @example
 * ```ts
 * import { isIdentifier } from "./names.ts";
 * console.assert(isIdentifier("get_user") && !isIdentifier("get-user"));
 * ```
 */
export function isIdentifier(text: string): boolean {
  return IDENTIFIER.test(text) || (text !== "" && legalise(text) === text);
}

/**
 * The namespace of every server: legal, unique, and the same whatever the order of the servers.
 *
 * @param servers every configured server; names are unique
 * @param onRefused told about a written namespace that cannot be used, which then gets a derived one; without it
 * the first such namespace is thrown
 * @returns server name -> namespace, in the order given
 * @throws {McpxError} `invalid-config`, naming the claimants
 * @see spec/98 items 1 and 2
 *
 * @example
 * ```ts
 * import { deriveNamespaces } from "./names.ts";
 * const names = deriveNamespaces([{ name: "chrome-devtools" }, { name: "12306-mcp" }]);
 * console.assert(names.get("12306-mcp") === "_12306_mcp");
 * ```
 */
export function deriveNamespaces(
  servers: readonly NamedServer[],
  onRefused: (server: string, error: McpxError) => void = (_server, error): void => {
    throw error;
  },
): Map<string, string> {
  const written = new Map<string, string[]>();
  for (const { name, written: namespace } of servers) {
    if (namespace === undefined) continue;
    written.set(namespace, [...(written.get(namespace) ?? []), name]);
  }
  const fixed = new Map<string, string>();
  for (const [namespace, claimants] of written) {
    const error = refusal(namespace, claimants);
    for (const claimant of claimants) {
      if (error === undefined) fixed.set(claimant, namespace);
      else onRefused(claimant, error);
    }
  }
  const rest = servers.filter(({ name }) => !fixed.has(name)).map(({ name }) => name);
  const derived = assignUnique(rest, safeNamespace, new Set(fixed.values()));
  return new Map(
    servers.map(({ name }) => [name, fixed.get(name) ?? derived.get(name) ?? safeNamespace(name)]),
  );
}

function refusal(namespace: string, claimants: readonly string[]): McpxError | undefined {
  const data = { namespace, servers: [...claimants] };
  const quoted = JSON.stringify(namespace);
  const [first = "", second] = claimants.map((name) => JSON.stringify(name));
  if (second !== undefined) {
    return new McpxError(
      "invalid-config",
      `Cannot use the namespace ${quoted}: the servers ${first} and ${second} both claim it.`,
      { data, hint: `Write another \`mcpx.namespace\` for one of them, or leave it out.` },
    );
  }
  const meaning = reservedMeaning(namespace);
  const reason = meaning !== undefined
    ? `it is ${meaning}`
    : isIdentifier(namespace)
    ? undefined
    : "it is no legal identifier";
  if (reason === undefined) return undefined;
  return new McpxError(
    "invalid-config",
    `Cannot use the namespace ${quoted} of the server ${first}: ${reason}.`,
    { data, hint: `Write for example "namespace": ${JSON.stringify(safeNamespace(namespace))}.` },
  );
}

function safeNamespace(name: string): string {
  const legal = legalise(name);
  return reservedMeaning(legal) === undefined ? legal : `${legal}_`;
}

/**
 * The identifier of every tool of one server: legal after a dot, unique, and the same whatever the order.
 *
 * A wire name that is an identifier already keeps it, except `then`, which would make the namespace awaitable.
 *
 * @param toolNames the tools' own MCP names; repeated ones count once
 * @returns wire name -> identifier, in the order given
 * @see spec/98 item 2
 *
 * @example
 * ```ts
 * import { deriveFunctions } from "./names.ts";
 * const names = deriveFunctions(["get-user", "delete", "then"]);
 * console.assert([...names.values()].join() === "get_user,delete,then_");
 * ```
 */
export function deriveFunctions(toolNames: readonly string[]): Map<string, string> {
  const kept = new Set(toolNames.filter((name) => name !== "then" && isIdentifier(name)));
  const rest = toolNames.filter((name) => !kept.has(name));
  const derived = assignUnique(rest, (name) => name === "then" ? "then_" : legalise(name), kept);
  return new Map(
    toolNames.map((name) => [name, kept.has(name) ? name : derived.get(name) ?? legalise(name)]),
  );
}

/** Gives each name its wished form; names that wish for the same, or for a taken one, all get a hash tail. */
function assignUnique(
  names: readonly string[],
  wish: (name: string) => string,
  taken: ReadonlySet<string>,
): Map<string, string> {
  const used = new Set(taken);
  const assigned = new Map<string, string>();
  const sorted = [...new Set(names)].sort();
  const wished = new Map(sorted.map((name) => [name, wish(name)]));
  const wishes = new Map<string, number>();
  for (const form of wished.values()) wishes.set(form, (wishes.get(form) ?? 0) + 1);
  const clashing = sorted.filter((name) => {
    const form = wished.get(name) ?? name;
    if (wishes.get(form) !== 1 || used.has(form)) return true;
    assigned.set(name, form);
    return false;
  });
  for (const form of assigned.values()) used.add(form);
  for (const name of clashing) {
    const base = wished.get(name) ?? name;
    let form = `${base}_${hashTail(name)}`;
    for (let again = 1; used.has(form); again++) form = `${base}_${hashTail(`${again}\0${name}`)}`;
    used.add(form);
    assigned.set(name, form);
  }
  return assigned;
}

function legalise(name: string): string {
  let legal = "";
  for (const char of name) legal += inOldTables(char) && PART.test(char) ? char : "_";
  return legal !== "" && START.test(String.fromCodePoint(legal.codePointAt(0) ?? 0)) ? legal : `_${legal}`;
}

/** Whether V8 and TypeScript agree on a character: beyond the BMP and in blocks that still grow they may not. */
function inOldTables(char: string): boolean {
  const code = char.codePointAt(0) ?? 0;
  return code <= 0xffff && !GROWING.some(([first, last]) => code >= first && code <= last);
}

/**
 * The name of one tool towards hosts: `<ns>_<wire>` in `[A-Za-z0-9_-]`, with a stable hash tail where it was cut
 * or where a character had to be replaced.
 *
 * @param namespace the server's namespace; empty for a server without a prefix
 * @param wire the tool's own MCP name
 * @param limit the longest name, in characters
 * @see spec/98 item 3
 *
 * @example
 * ```ts
 * import { exposedName } from "./names.ts";
 * console.assert(exposedName("github", "get-user") === "github_get-user");
 * ```
 */
export function exposedName(namespace: string, wire: string, limit = 50): string {
  const whole = namespace === "" ? wire : `${namespace}_${wire}`;
  if (whole.length <= limit && EXPOSED.test(whole)) return whole;
  return withTail(whole, `${namespace}\0${wire}`, limit);
}

/**
 * The names of all tools towards hosts: as {@link exposedName}, and where two would be equal (`a_b` + `c`, `a` +
 * `b_c`) each of them has a hash tail.
 *
 * @param tools every tool that is exposed; the same tool twice counts once
 * @param limit the longest name, in characters
 * @returns exposed name -> tool, in the order given
 *
 * @example
 * ```ts
 * import { exposeNames } from "./names.ts";
 * const names = exposeNames([{ namespace: "a_b", wire: "c" }, { namespace: "a", wire: "b_c" }]);
 * console.assert(names.size === 2);
 * ```
 */
export function exposeNames<T extends NamedTool>(tools: readonly T[], limit = 50): Map<string, T> {
  const byIdentity = new Map(tools.map((tool) => [`${tool.namespace}\0${tool.wire}`, tool]));
  const wishes = new Map<string, number>();
  const wished = new Map<string, string>();
  for (const [identity, tool] of byIdentity) {
    const form = exposedName(tool.namespace, tool.wire, limit);
    wished.set(identity, form);
    wishes.set(form, (wishes.get(form) ?? 0) + 1);
  }
  const used = new Set([...wishes].filter(([, count]) => count === 1).map(([form]) => form));
  const final = new Map<string, string>();
  for (const identity of [...byIdentity.keys()].sort()) {
    let form = wished.get(identity) ?? identity;
    if (wishes.get(form) !== 1) {
      const whole = identity.replace(/^\0/, "").replace("\0", "_");
      form = withTail(whole, identity, limit);
      for (let again = 1; used.has(form); again++) form = withTail(whole, `${again}\0${identity}`, limit);
      used.add(form);
    }
    final.set(identity, form);
  }
  return new Map([...byIdentity].map(([identity, tool]) => [final.get(identity) ?? identity, tool]));
}

function withTail(text: string, identity: string, limit: number): string {
  const head = text.replace(/[^A-Za-z0-9_-]/gu, "_").slice(0, Math.max(0, limit - TAIL_DIGITS - 1));
  return `${head}_${hashTail(identity)}`.slice(-Math.max(1, limit));
}

/**
 * Eight hexadecimal digits that depend on `text` alone; for names, not for secrets.
 *
 * @example
 * ```ts
 * import { hashTail } from "./names.ts";
 * console.assert(hashTail("a-b") !== hashTail("a.b"));
 * ```
 */
export function hashTail(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
    hash ^= hash >>> 15;
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0).toString(16).padStart(TAIL_DIGITS, "0");
}
