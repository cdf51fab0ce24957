import { isObject } from "../json/mod.ts";
import { matchUriTemplate, readUriTemplate } from "../catalog/mod.ts";
import { McpxError } from "../errors/mod.ts";
import type { JsonObject } from "../schema/mod.ts";
import type { Caller } from "./caller.ts";
import type { CatalogServer } from "./catalog.ts";
import type { Engine } from "./engine.ts";
import type { UpstreamRequestOptions } from "./server_requests.ts";

/** MCP allows no more in one answer. */
const PROTOCOL_MOST = 100;
/** The revision whose servers cannot declare that they complete. */
const BEFORE_DECLARING = "2024-11-05";

/** What is completed, already as its server knows it. */
export interface CompletionRequest {
  entry: CatalogServer;
  /** `ref` as it goes to the server, unknown members and all. */
  ref: JsonObject;
  argument: { name: string; value: string } & JsonObject;
  context?: JsonObject;
  /** Further members of the request's params. */
  rest?: JsonObject;
}

/** Values for one argument, and who said so. */
export interface CompletionAnswer {
  values: string[];
  total?: number;
  hasMore?: boolean;
  /** `upstream`: its server answered; `cache`: mcpx did, from what it knows of the server. */
  source: "upstream" | "cache";
  notes?: string[];
  /** The server's own result, with the values as they are above. */
  raw?: JsonObject;
}

/** Servers that were asked and do not know the method, by the digest of their definition. */
const unsupported = new WeakMap<Engine, Set<string>>();

/**
 * Completes one argument: by its server where that completes, else from the cache.
 *
 * @throws {McpxError} `invalid-input` for a prompt that the server does not have, and what the server answers
 */
export async function completeArgument(
  engine: Engine,
  request: CompletionRequest,
  caller: Caller,
  relay?: UpstreamRequestOptions["relay"],
): Promise<CompletionAnswer> {
  const { entry } = request;
  if (!entry.cached) await engine.readListings(caller, { only: entry.definition.name });
  if (!entry.cached) throw entry.definition.error ?? entry.failure ?? unread(entry);
  requireKnown(request);
  return withinLimit(await askServer(engine, request, caller, relay) ?? fromCache(request), caller);
}

/** An answer with as many values as `completion.maxValues` and MCP allow. */
export function withinLimit(answer: CompletionAnswer, caller: Caller): CompletionAnswer {
  const limit = limitOf(caller);
  return cut(answer, limit.most, limit.notes);
}

function limitOf(caller: Caller): { most: number; notes: string[] } {
  const asked = caller.settings.get("completion.maxValues");
  if (asked <= PROTOCOL_MOST) return { most: asked, notes: [] };
  return {
    most: PROTOCOL_MOST,
    notes: [`completion.maxValues is ${asked}; MCP allows ${PROTOCOL_MOST} values at most.`],
  };
}

/** A prompt that its server does not list is an error; a resource's URI may be anything. */
function requireKnown({ entry, ref }: CompletionRequest): void {
  const prompts = entry.cached?.listing.prompts ?? [];
  if (ref.type !== "ref/prompt" || prompts.some(({ name }) => name === ref.name)) return;
  throw new McpxError(
    "invalid-input",
    `Cannot complete an argument of ${String(ref.name)}: ${entry.definition.namespace} has no such prompt.`,
    { hint: "mcpx prompts list", data: { field: "ref.name" } },
  );
}

async function askServer(
  engine: Engine,
  request: CompletionRequest,
  caller: Caller,
  relay: UpstreamRequestOptions["relay"],
): Promise<CompletionAnswer | undefined> {
  const { entry, ref, argument, context, rest } = request;
  const listing = entry.cached?.listing;
  const mayAsk = listing?.capabilities.completions !== undefined ||
    listing?.protocolVersion === BEFORE_DECLARING;
  const known = unsupported.get(engine) ?? new Set<string>();
  unsupported.set(engine, known);
  if (!mayAsk || known.has(entry.digest)) return undefined;
  let raw: JsonObject;
  try {
    raw = await engine.request(
      entry,
      "completion/complete",
      { ...rest, ref, argument, ...(context ? { context } : {}) },
      caller,
      { idempotent: true, ...(relay ? { relay } : {}) },
    );
  } catch (thrown) {
    const error = McpxError.from(thrown);
    if (error.code !== "upstream-error" || error.data?.code !== -32601) throw error;
    known.add(entry.digest);
    return undefined;
  }
  return readAnswer(raw);
}

/** An answer without a `completion` (a question, say) has nothing to suggest. */
function readAnswer(raw: JsonObject): CompletionAnswer | undefined {
  const { completion } = raw;
  if (typeof completion !== "object" || completion === null || !("values" in completion)) return undefined;
  const { values } = completion;
  if (!Array.isArray(values)) return undefined;
  const total = "total" in completion && typeof completion.total === "number" ? completion.total : undefined;
  const hasMore = "hasMore" in completion && typeof completion.hasMore === "boolean"
    ? completion.hasMore
    : undefined;
  return {
    values: values.filter((value) => typeof value === "string"),
    ...(total === undefined ? {} : { total }),
    ...(hasMore === undefined ? {} : { hasMore }),
    source: "upstream",
    raw,
  };
}

/** Values that mcpx knows itself: of a template's variable those of listed resources, of an argument those it is limited to. */
function fromCache({ entry, ref, argument, context }: CompletionRequest): CompletionAnswer {
  const listing = entry.cached?.listing;
  const chosen = isObject(context?.arguments) ? context.arguments : {};
  const found = ref.type === "ref/prompt"
    ? limitedTo(listing?.prompts.find(({ name }) => name === ref.name)?.arguments, argument.name)
    : (listing?.resources ?? []).flatMap(({ uri }) => {
      const values = matchUriTemplate(String(ref.uri), uri);
      const fits = values &&
        Object.entries(values).every(([name, value]) =>
          name === argument.name || typeof chosen[name] !== "string" || chosen[name] === value
        );
      const value = fits ? values[argument.name] : undefined;
      return value === undefined ? [] : [value];
    });
  const values = [...new Set(found)].filter((value) => startsWith(value, argument.value)).sort();
  return { values, total: values.length, hasMore: false, source: "cache" };
}

/** The values that a prompt's argument is limited to, where its server says so. */
function limitedTo(declared: readonly object[] | undefined, name: string): string[] {
  const found = declared?.find((one) => "name" in one && one.name === name);
  if (!found) return [];
  const schema = "schema" in found && isObject(found.schema) ? found.schema : found;
  if ("enum" in schema && Array.isArray(schema.enum)) return schema.enum.map(String);
  return "type" in schema && schema.type === "boolean" ? ["true", "false"] : [];
}

function startsWith(value: string, typed: string): boolean {
  return value.toLowerCase().startsWith(typed.toLowerCase());
}

function cut(answer: CompletionAnswer, most: number, notes: string[]): CompletionAnswer {
  const { values } = answer;
  const isCut = values.length > most;
  const shortened: CompletionAnswer = isCut
    ? {
      ...answer,
      values: values.slice(0, most),
      total: Math.max(answer.total ?? 0, values.length),
      hasMore: true,
    }
    : answer;
  const { total, hasMore } = shortened;
  const completion = isObject(answer.raw?.completion) ? answer.raw.completion : {};
  return {
    ...shortened,
    ...(answer.raw
      ? {
        raw: {
          ...answer.raw,
          completion: {
            ...completion,
            values: shortened.values,
            ...(total === undefined ? {} : { total }),
            ...(hasMore === undefined ? {} : { hasMore }),
          },
        },
      }
      : {}),
    ...(notes.length > 0 ? { notes } : {}),
  };
}

/** Whether a text names a template of the server's, or a URI that fills one. */
export function isOfTemplate(entry: CatalogServer, uri: string): boolean {
  return (entry.cached?.listing.resourceTemplates ?? []).some(({ uriTemplate }) =>
    uriTemplate === uri || readUriTemplate(uriTemplate).pattern.test(uri)
  );
}

function unread({ definition }: CatalogServer): McpxError {
  return new McpxError("server-disabled", `Cannot ask ${definition.name}: it is switched off.`);
}
