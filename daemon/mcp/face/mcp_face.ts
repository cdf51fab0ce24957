import { isObject } from "../../../lib/json/mod.ts";
import { completeArgument, isOfTemplate } from "../../../lib/engine/complete.ts";
import type { Caller } from "../../../lib/engine/caller.ts";
import type { CatalogChange, CatalogServer } from "../../../lib/engine/catalog.ts";
import type { Engine } from "../../../lib/engine/engine.ts";
import { McpxError } from "../../../lib/errors/mod.ts";
import type { JsonObject } from "../../../lib/schema/mod.ts";
import type { HostRequest } from "../host_request.ts";
import { RPC, RpcError, upstreamError } from "../wire/rpc_error.ts";
import { explainError, explainResult } from "./explain_failure.ts";
import { callRecipe } from "./call_recipe.ts";
import { type Exposed, ExposedTables, withRecipes } from "./exposed.ts";
import { isPast, listHint, type MergedList } from "./list_hint.ts";
import { callOperation, errorResult } from "./operation_tool.ts";
import { pageOf } from "./pages.ts";
import { relayTo } from "./relay.ts";
import { requestUpstream } from "./upstream_request.ts";
import { splitUri } from "./uris.ts";

/** One of a server's resources, as the server knows it. */
export interface LocatedResource {
  entry: CatalogServer;
  uri: string;
}

/** What mcpx offers to MCP hosts, the same in every era and on every transport. */
export class McpFace {
  readonly engine: Engine;
  readonly #tables: ExposedTables;
  readonly #methods: Readonly<Record<string, (request: HostRequest) => Promise<JsonObject>>> = {
    "tools/list": (request) => this.#list(request, "tools", ({ tools }) => definitionsOf(tools)),
    "tools/call": (request) => this.#callTool(request),
    "prompts/list": (request) => this.#list(request, "prompts", ({ prompts }) => definitionsOf(prompts)),
    "prompts/get": (request) => this.#getPrompt(request),
    "resources/list": (request) => this.#list(request, "resources", ({ resources }) => resources),
    "resources/templates/list": (request) =>
      this.#list(request, "resourceTemplates", ({ resourceTemplates }) => resourceTemplates),
    "resources/read": (request) => this.#readResource(request),
    "completion/complete": (request) => this.#complete(request),
  };

  constructor(engine: Engine) {
    this.engine = engine;
    this.#tables = new ExposedTables(engine);
  }

  /** Whether the face answers a method. */
  has(method: string): boolean {
    return Object.hasOwn(this.#methods, method);
  }

  /**
   * Answers one request.
   *
   * @throws {RpcError} what the protocol has an error for
   * @throws {McpxError} what a server or mcpx itself failed with
   */
  async answer(request: HostRequest): Promise<JsonObject> {
    const method = this.has(request.method) ? this.#methods[request.method] : undefined;
    if (!method) throw new RpcError(RPC.methodNotFound, `Method not found: ${request.method}`);
    return await method(request);
  }

  /** Everything that a caller is offered; servers that were never read are read first. */
  async exposed(caller: Caller): Promise<Exposed> {
    const unread = this.#tables.for(caller).servers.some(({ cached, failure }) => !cached && !failure);
    if (unread) await this.engine.readListings(caller);
    return await withRecipes(this.engine, this.#tables.for(caller), caller);
  }

  /** Everything that a caller is offered as far as it is known now. */
  known(caller: Caller): Exposed {
    return this.#tables.for(caller);
  }

  /** Reads servers that were never read, but waits no longer than `ms` for them. */
  async readFirst(caller: Caller, ms: number): Promise<void> {
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms);
    await Promise.race([this.exposed(caller).catch(() => undefined), late]); // who lists them is told what failed
    clearTimeout(timer);
  }

  /** Whether a change is one of a list that a host sees. A change of no server's is one of mcpx's own. */
  concerns(change: CatalogChange, kind: "tools" | "prompts" | "resources", caller: Caller): boolean {
    if (!change[kind]) return false;
    if (change.servers.length === 0) return true;
    // Without pass-through the servers' tools are behind those of mcpx, which stay as they are.
    if (kind === "tools" && !caller.settings.get("serve.mode").includes("passthrough")) return false;
    return this.engine.visibleServers(caller).some(({ definition }) =>
      change.servers.includes(definition.name)
    );
  }

  /** The server that a URI belongs to. @throws {RpcError} -32602 or, before 2026-07-28, -32002 */
  async locate(uri: unknown, caller: Caller): Promise<LocatedResource> {
    if (typeof uri !== "string") throw new RpcError(RPC.invalidParams, "`uri` is not a string.");
    const { servers } = await this.exposed(caller);
    const split = splitUri(uri);
    if (split) {
      const entry = servers.find(({ definition }) => definition.namespace === split.namespace);
      if (entry && entry.definition.prefix !== "none") return { entry, uri: split.rest };
    }
    const bare = servers.filter(({ definition }) => definition.prefix === "none");
    const entry =
      bare.find((one) => one.cached?.listing.resources.some((resource) => resource.uri === uri)) ??
        bare.find((one) => isOfTemplate(one, uri)) ?? (bare.length === 1 ? bare[0] : undefined);
    if (entry) return { entry, uri };
    throw new RpcError(RPC.resourceMissing, `Resource not found: ${uri}`, { uri });
  }

  async #list(
    request: HostRequest,
    list: MergedList,
    pick: (exposed: Exposed) => readonly unknown[],
  ): Promise<JsonObject> {
    const { params, caller, era } = request;
    const exposed = await this.exposed(caller);
    const { items, nextCursor } = pageOf(pick(exposed), {
      list,
      cursor: params.cursor,
      size: caller.settings.get("serve.pageSize"),
    });
    const now = Date.now();
    this.engine.readAgain(exposed.servers.filter((server) => isPast(server, list, now)));
    const { base } = this.engine.settings;
    return {
      [list]: items,
      ...(nextCursor === undefined ? {} : { nextCursor }),
      ...(era === "modern" ? listHint({ list, exposed, caller, base, now }) : {}),
    };
  }

  async #callTool(request: HostRequest): Promise<JsonObject> {
    const { name } = request.params;
    if (typeof name !== "string") throw new RpcError(RPC.invalidParams, "`name` is not a string.");
    const tool = this.known(request.caller).tools.get(name) ??
      (await this.exposed(request.caller)).tools.get(name);
    if (!tool) throw new RpcError(RPC.invalidParams, `Unknown tool: ${name}`);
    if (tool.kind === "operation") return await callOperation(this.engine, tool.operation, request);
    if (tool.kind === "recipe") return await callRecipe(tool.recipe, request);
    const { annotations } = tool.tool.tool;
    const call = { engine: this.engine, tool: tool.tool, request };
    try {
      const result = await requestUpstream(this.engine, request, {
        entry: tool.entry,
        own: { name: tool.tool.tool.name },
        idempotent: annotations?.readOnlyHint === true || annotations?.idempotentHint === true,
      });
      return await explainResult(call, result);
    } catch (thrown) {
      if (thrown instanceof RpcError) throw thrown;
      const error = McpxError.from(thrown);
      // What the server said stays its own; what kept the call from it is for the model to read.
      if (upstreamError(error)) throw await explainError(call, error);
      if (error.code === "cancelled") throw error;
      return errorResult(error);
    }
  }

  async #getPrompt(request: HostRequest): Promise<JsonObject> {
    const { entry, prompt } = await this.#prompt(request.params.name, request.caller);
    return await requestUpstream(this.engine, request, {
      entry,
      own: { name: prompt.name },
      idempotent: true,
    });
  }

  async #prompt(name: unknown, caller: Caller): Promise<{ entry: CatalogServer; prompt: { name: string } }> {
    const prompt = typeof name === "string"
      ? this.known(caller).prompts.get(name) ?? (await this.exposed(caller)).prompts.get(name)
      : undefined;
    if (prompt) return prompt;
    throw new RpcError(RPC.invalidParams, `Unknown prompt: ${String(name)}`);
  }

  async #readResource(request: HostRequest): Promise<JsonObject> {
    const { entry, uri } = await this.locate(request.params.uri, request.caller);
    return await requestUpstream(this.engine, request, { entry, own: { uri }, idempotent: true });
  }

  async #complete(request: HostRequest): Promise<JsonObject> {
    const { ref, argument, context, _meta: _own, ...rest } = request.params;
    if (!isObject(ref)) throw new RpcError(RPC.invalidParams, "`ref` is not an object.");
    if (!isObject(argument) || typeof argument.name !== "string" || typeof argument.value !== "string") {
      throw new RpcError(RPC.invalidParams, "`argument` has no `name` and `value`.");
    }
    if (context !== undefined && !isObject(context)) {
      throw new RpcError(RPC.invalidParams, "`context` is not an object.");
    }
    const located = await this.#reference(ref, request.caller);
    const answer = await completeArgument(
      this.engine,
      {
        ...located,
        argument: { ...argument, name: argument.name, value: argument.value },
        ...(context ? { context } : {}),
        rest,
      },
      request.caller,
      relayTo(request),
    );
    const { values, total, hasMore, source, raw, notes } = answer;
    if (raw) {
      const { ttlMs: _ttl, cacheScope: _scope, ...result } = raw;
      return result;
    }
    return {
      completion: {
        values,
        ...(total === undefined ? {} : { total }),
        ...(hasMore === undefined ? {} : { hasMore }),
      },
      _meta: { "dev.mcpx/source": source, ...(notes ? { "dev.mcpx/notes": notes } : {}) },
    };
  }

  async #reference(ref: JsonObject, caller: Caller): Promise<{ entry: CatalogServer; ref: JsonObject }> {
    if (ref.type === "ref/prompt") {
      const { entry, prompt } = await this.#prompt(ref.name, caller);
      return { entry, ref: { ...ref, name: prompt.name } };
    }
    if (ref.type === "ref/resource") {
      const { entry, uri } = await this.locate(ref.uri, caller).catch(() => {
        throw new RpcError(RPC.invalidParams, `Unknown resource: ${String(ref.uri)}`);
      });
      return { entry, ref: { ...ref, uri } };
    }
    throw new RpcError(RPC.invalidParams, `Unknown kind of reference: ${String(ref.type)}`);
  }
}

function definitionsOf(entries: ReadonlyMap<string, { definition: JsonObject }>): JsonObject[] {
  return [...entries.values()].map(({ definition }) => definition);
}
