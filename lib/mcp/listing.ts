import type {
  CacheHint,
  ListCacheHints,
  McpPrompt,
  McpResource,
  McpResourceTemplate,
  McpTool,
  ServerListing,
} from "../catalog/types.ts";
import { McpxError } from "../errors/mod.ts";
import type { JsonObject } from "../schema/types.ts";
import { readPages } from "./pages.ts";
import type { EraCodec, ServerFacts } from "./wire/codec.ts";

/** What a listing is read through. */
export interface ListingSource {
  facts: ServerFacts;
  codec: EraCodec;
  request(method: string, params: JsonObject): Promise<JsonObject>;
}

/**
 * Reads every list that the server declares, in parallel and to the last page.
 *
 * The tools must be had, or the reading fails; any other list that fails leaves a warning.
 *
 * @throws {McpxError} what reading the tools, or a lost connection, throws
 */
export async function readListing(source: ListingSource): Promise<ServerListing> {
  const { facts, codec } = source;
  const warnings: string[] = [];
  const [tools, prompts, resources, resourceTemplates] = await Promise.all([
    readTools(source, warnings),
    readSide(source, PROMPTS, warnings),
    readSide(source, RESOURCES, warnings),
    readSide(source, TEMPLATES, warnings),
  ]);
  const admitted = codec.admitTools(tools.entries);
  const cacheHints = definedOnly({
    tools: tools.cacheHint,
    prompts: prompts.cacheHint,
    resources: resources.cacheHint,
    resourceTemplates: resourceTemplates.cacheHint,
  });
  return {
    serverInfo: facts.serverInfo,
    protocolVersion: facts.protocolVersion,
    capabilities: facts.capabilities,
    ...(facts.instructions === undefined ? {} : { instructions: facts.instructions }),
    tools: admitted.tools,
    prompts: prompts.entries,
    resources: resources.entries,
    resourceTemplates: resourceTemplates.entries,
    ...(Object.keys(cacheHints).length > 0 ? { cacheHints } : {}),
    warnings: [...warnings, ...admitted.warnings],
  };
}

/** Reads the tools alone, and lets the codec learn from them. */
export async function readToolsAgain(source: ListingSource): Promise<void> {
  source.codec.admitTools((await readTools(source, [])).entries);
}

/** The entries of a list, and how long it may be kept where the server says so. */
interface ReadList<T> {
  entries: T[];
  cacheHint?: CacheHint;
}

/** One kind of list: which capability it needs, how it is asked for, and what makes an entry of it. */
interface ListKind<T> {
  capability: string;
  method: string;
  member: string;
  noun: string;
  keyName: string;
  isEntry(entry: JsonObject): entry is JsonObject & T;
  key(entry: T): string;
}

const TOOLS: ListKind<McpTool> = {
  capability: "tools",
  method: "tools/list",
  member: "tools",
  noun: "tool",
  keyName: "name",
  isEntry: (entry): entry is McpTool => typeof entry.name === "string",
  key: (entry) => entry.name,
};

const PROMPTS: ListKind<McpPrompt> = {
  capability: "prompts",
  method: "prompts/list",
  member: "prompts",
  noun: "prompt",
  keyName: "name",
  isEntry: (entry): entry is McpPrompt => typeof entry.name === "string",
  key: (entry) => entry.name,
};

const RESOURCES: ListKind<McpResource> = {
  capability: "resources",
  method: "resources/list",
  member: "resources",
  noun: "resource",
  keyName: "uri",
  isEntry: (entry): entry is McpResource => typeof entry.uri === "string",
  key: (entry) => entry.uri,
};

const TEMPLATES: ListKind<McpResourceTemplate> = {
  capability: "resources",
  method: "resources/templates/list",
  member: "resourceTemplates",
  noun: "resource template",
  keyName: "uriTemplate",
  isEntry: (entry): entry is McpResourceTemplate => typeof entry.uriTemplate === "string",
  key: (entry) => entry.uriTemplate,
};

function readTools(source: ListingSource, warnings: string[]): Promise<ReadList<McpTool>> {
  return readList(source, TOOLS, warnings);
}

/** Reads a list beside the tools: a server that answers it wrongly still has its tools. */
async function readSide<T>(
  source: ListingSource,
  kind: ListKind<T>,
  warnings: string[],
): Promise<ReadList<T>> {
  try {
    return await readList(source, kind, warnings);
  } catch (thrown) {
    const error = McpxError.from(thrown);
    if (!["upstream-error", "upstream-protocol", "upstream-http", "call-timeout"].includes(error.code)) {
      throw error;
    }
    if (error.data?.code !== -32601 || (!source.facts.assumed && kind !== TEMPLATES)) {
      warnings.push(`${kind.method} failed, so no ${kind.noun} is listed: ${error.message}`);
    }
    return { entries: [] };
  }
}

async function readList<T>(
  source: ListingSource,
  kind: ListKind<T>,
  warnings: string[],
): Promise<ReadList<T>> {
  if (!source.facts.capabilities[kind.capability]) return { entries: [] };
  const { entries: raw, ...hint } = await readPages(
    kind,
    (params) => source.request(kind.method, params),
    warnings,
  );
  const entries: T[] = [];
  const seen = new Set<string>();
  raw.forEach((entry, index) => {
    if (!kind.isEntry(entry)) {
      warnings.push(`Entry ${index} of ${kind.method} has no ${kind.keyName} and was left out.`);
      return;
    }
    const key = kind.key(entry);
    if (seen.has(key)) {
      warnings.push(`The server lists the ${kind.noun} ${key} more than once; the first is kept.`);
      return;
    }
    seen.add(key);
    entries.push(entry);
  });
  return { entries, ...hint };
}

function definedOnly(hints: Record<keyof ListCacheHints, CacheHint | undefined>): ListCacheHints {
  return Object.fromEntries(Object.entries(hints).filter(([, hint]) => hint !== undefined));
}
