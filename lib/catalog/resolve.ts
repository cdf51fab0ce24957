import { McpxError } from "../errors/mod.ts";
import { nearest } from "./nearest.ts";
import { byName } from "./search_index.ts";
import type { CatalogTool } from "./types.ts";

/** What names are looked up in: made once by {@link catalogView}, read at every call. */
export interface CatalogView {
  /** Every server, read or not. */
  readonly servers: readonly { namespace: string; server: string }[];
  /** The visible tools. */
  readonly tools: readonly CatalogTool[];
  /** `ns.fn` -> tool. */
  readonly identifiers: ReadonlyMap<string, CatalogTool>;
  /** Function or wire name -> the tools that answer to it. */
  readonly answers: ReadonlyMap<string, readonly CatalogTool[]>;
}

/**
 * Prepares servers and tools for {@link resolveTool}.
 *
 * @param servers every server, read or not
 * @param tools the visible tools
 * @returns the view
 */
export function catalogView(
  servers: CatalogView["servers"],
  tools: readonly CatalogTool[],
): CatalogView {
  const identifiers = new Map<string, CatalogTool>();
  const answers = new Map<string, CatalogTool[]>();
  for (const tool of [...tools].sort(byName)) {
    identifiers.set(identifierOf(tool), tool);
    for (const name of new Set([tool.fn, tool.tool.name])) {
      const named = answers.get(name);
      if (named) named.push(tool);
      else answers.set(name, [tool]);
    }
  }
  return { servers, tools, identifiers, answers };
}

const MAX_NAMES_IN_HINT = 12;
const MAX_NAMES_IN_DATA = 100;
const MAX_SHOWN = 120;
const MAX_SPLITS = 32;

/**
 * Finds the tool that a name means: `ns.fn`, `ns.wire-name`, `server.wire-name`, or a bare name that only one
 * server has.
 *
 * Wire names and server names may hold dots, so every split is tried; the identifier `ns.fn`, which is unique,
 * comes before all others.
 *
 * @param view the servers and their visible tools
 * @param name the name as it was written
 * @returns the tool
 * @throws {McpxError} `unknown-server`, `unknown-tool` or `ambiguous-tool`; `data.nearest` holds what may have been meant
 *
 * @example
 * ```ts
 * import { catalogView, resolveTool } from "./mod.ts";
 * const tool = { namespace: "a_b", fn: "get_it", server: "a-b", tool: { name: "get-it" }, findings: [] };
 * const view = catalogView([{ namespace: "a_b", server: "a-b" }], [tool]);
 * for (const name of ["a_b.get_it", "a_b.get-it", "a-b.get-it", "get-it"]) {
 *   console.assert(resolveTool(view, name) === tool);
 * }
 * ```
 */
export function resolveTool(view: CatalogView, name: string): CatalogTool {
  const identifier = view.identifiers.get(name);
  if (identifier) return identifier;
  const splits = splitsOf(name);
  const qualified = splits.flatMap(({ owner, member }) =>
    (view.answers.get(member) ?? []).filter((tool) => isCalled(tool, owner))
  );
  const found = qualified.length > 0 ? qualified : view.answers.get(name) ?? [];
  if (found.length > 1) throw ambiguous(name, found);
  if (found[0]) return found[0];
  const server = view.servers.find((known) => splits.some(({ owner }) => isCalled(known, owner)));
  if (server) {
    const split = splits.find(({ owner }) => isCalled(server, owner));
    throw unknownInServer(view, name, { namespace: server.namespace, member: split?.member ?? "" });
  }
  if (splits.length > 0) throw unknownServer(view, name, splits);
  throw unknownBare(view, name);
}

/** One way to read a name as a server and a tool of it. */
interface Split {
  owner: string;
  member: string;
}

function splitsOf(name: string): Split[] {
  const splits: Split[] = [];
  for (
    let dot = name.indexOf(".");
    dot >= 0 && splits.length < MAX_SPLITS;
    dot = name.indexOf(".", dot + 1)
  ) {
    if (dot > 0 && dot < name.length - 1) {
      splits.push({ owner: name.slice(0, dot), member: name.slice(dot + 1) });
    }
  }
  return splits;
}

function isCalled(known: { namespace: string; server: string }, owner: string): boolean {
  return known.namespace === owner || known.server === owner;
}

function identifierOf(tool: CatalogTool): string {
  return `${tool.namespace}.${tool.fn}`;
}

function ambiguous(name: string, found: readonly CatalogTool[]): McpxError {
  const candidates = [...found].sort(byName).map(identifierOf);
  return new McpxError(
    "ambiguous-tool",
    `Cannot tell which tool ${shown(name)} is: ${found.length} tools answer to it, ${listed(candidates)}.`,
    { hint: `Name one in full, such as ${candidates[0]}.`, data: { name: shown(name), candidates } },
  );
}

function unknownInServer(
  view: CatalogView,
  name: string,
  asked: { namespace: string; member: string },
): McpxError {
  const { namespace, member } = asked;
  const own = view.tools.filter((tool) => tool.namespace === namespace);
  const close = nearestTools(member, own);
  const elsewhere = (view.answers.get(member) ?? []).filter((tool) => tool.namespace !== namespace);
  const suggestions = [...close, ...elsewhere.map(identifierOf)].slice(0, 5);
  const functions = own.map(({ fn }) => fn).sort();
  const state = own.length === 0
    ? `${namespace} has no tools that are known`
    : `${namespace} has no tool called ${shown(member)}`;
  const rest = own.length === 0
    ? `Run: mcpx refresh ${namespace}`
    : `${namespace} has ${listed(functions)}. Run: mcpx tools ${namespace}`;
  return new McpxError("unknown-tool", `Cannot find the tool ${shown(name)}: ${state}.`, {
    hint: didYouMean(suggestions) + rest,
    data: {
      name: shown(name),
      namespace,
      nearest: suggestions,
      functions: functions.slice(0, MAX_NAMES_IN_DATA),
    },
  });
}

function unknownServer(view: CatalogView, name: string, splits: readonly Split[]): McpxError {
  const namespaces = view.servers.map(({ namespace }) => namespace).sort();
  const names = [...namespaces, ...view.servers.map(({ server }) => server)];
  const close = [...new Set(splits.flatMap(({ owner }) => nearest(owner, names)))];
  const toNamespace = new Map(view.servers.map(({ namespace, server }) => [server, namespace]));
  const known = new Set(namespaces);
  const suggestions = [
    ...new Set(close.map((one) => known.has(one) ? one : toNamespace.get(one) ?? one)),
  ].slice(0, 3);
  const owner = splits[0]?.owner ?? name;
  const elsewhere = splits.flatMap(({ member }) => view.answers.get(member) ?? []).map(identifierOf).slice(
    0,
    3,
  );
  return new McpxError(
    "unknown-server",
    `Cannot find the tool ${shown(name)}: no server is called ${shown(owner)}.`,
    {
      hint: didYouMean(suggestions.length > 0 ? suggestions : elsewhere) +
        (namespaces.length === 0
          ? "No server is configured. Run: mcpx config --sources"
          : `The servers are ${listed(namespaces)}. Run: mcpx ls`),
      data: {
        name,
        nearest: suggestions,
        tools: elsewhere,
        namespaces: namespaces.slice(0, MAX_NAMES_IN_DATA),
      },
    },
  );
}

function unknownBare(view: CatalogView, name: string): McpxError {
  const server = view.servers.find((known) => isCalled(known, name));
  if (server) {
    const functions = view.tools.filter((tool) => tool.namespace === server.namespace).map(({ fn }) => fn)
      .sort();
    return new McpxError("unknown-tool", `Cannot find the tool ${shown(name)}: ${shown(name)} is a server.`, {
      hint: functions.length === 0
        ? `Run: mcpx refresh ${server.namespace}`
        : `Name one of its tools: ${listed(functions.map((fn) => `${server.namespace}.${fn}`))}.`,
      data: {
        name,
        namespace: server.namespace,
        nearest: [],
        functions: functions.slice(0, MAX_NAMES_IN_DATA),
      },
    });
  }
  const namespaces = view.servers.map(({ namespace }) => namespace).sort();
  const suggestions = nearestTools(name, view.tools);
  return new McpxError(
    "unknown-tool",
    `Cannot find the tool ${shown(name)}: no server has a tool of that name.`,
    {
      hint: didYouMean(suggestions) +
        (namespaces.length === 0
          ? "No server is configured. Run: mcpx config --sources"
          : `The servers are ${listed(namespaces)}. Run: mcpx search ${JSON.stringify(shown(name))}`),
      data: { name: shown(name), nearest: suggestions, namespaces: namespaces.slice(0, MAX_NAMES_IN_DATA) },
    },
  );
}

/** Identifiers of the tools whose function or wire name is nearest. */
function nearestTools(name: string, tools: readonly CatalogTool[]): string[] {
  const owners = new Map<string, CatalogTool[]>();
  for (const tool of [...tools].sort(byName)) {
    for (const answer of new Set([tool.fn, tool.tool.name])) {
      owners.set(answer, [...(owners.get(answer) ?? []), tool]);
    }
  }
  const close = nearest(name, owners.keys(), 6).flatMap((answer) => owners.get(answer) ?? []);
  return [...new Set(close.map(identifierOf))].slice(0, 3);
}

function shown(name: string): string {
  return name.length > MAX_SHOWN ? `${name.slice(0, MAX_SHOWN)}…` : name;
}

function didYouMean(suggestions: readonly string[]): string {
  return suggestions.length === 0 ? "" : `Did you mean ${suggestions.join(" or ")}? `;
}

function listed(names: readonly string[]): string {
  const first = names.slice(0, MAX_NAMES_IN_HINT).join(", ");
  const more = names.length - MAX_NAMES_IN_HINT;
  return more > 0 ? `${first} and ${more} more` : first;
}
