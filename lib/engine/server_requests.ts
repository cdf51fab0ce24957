import { isObject } from "../json/mod.ts";
import type { ServerListing } from "../catalog/mod.ts";
import type { Configuration, ServerDefinition } from "../config/mod.ts";
import { McpxError } from "../errors/mod.ts";
import type { RequestOptions, UpstreamConnection } from "../mcp/mod.ts";
import {
  type CallerIdentity,
  type ConnectionPool,
  type InstanceView,
  isInstanceOf,
  type Lease,
  type PooledServer,
  type PoolRun,
} from "../pool/mod.ts";
import type { JsonObject } from "../schema/mod.ts";
import type { Caller } from "./caller.ts";
import type { Catalog, CatalogServer } from "./catalog.ts";
import { gitFolders } from "./git_folder.ts";
import type { LogLevels } from "./log_levels.ts";
import { offeredRoots } from "./offered_roots.ts";
import type { PinnedTools } from "./pinned_tools.ts";
import { callLimits, poolLimits } from "./pool_limits.ts";
import type { ServerPreparer } from "./prepare_server.ts";
import type { QuestionDesk } from "./questions/question_desk.ts";
import type { Redactor } from "./redactor.ts";
import type { SettingsStack } from "./settings_stack.ts";

/** How one request to a server is made. */
export interface UpstreamRequestOptions {
  /** Whether it may be sent once more after a lost connection. */
  idempotent: boolean;
  run?: PoolRun;
  /** What is sent in `_meta` and who hears of progress and logs, in the place of the caller's events. */
  relay?: Pick<RequestOptions, "meta" | "onProgress" | "onLog"> & {
    /** The lowest level of log messages that this one request wants. */
    logLevel?: string;
  };
  /** Whether a result that wants input goes back as it is, to a caller's end that knows such results. */
  inputAsResult?: boolean;
  /** Whether it is open until a task has ended. */
  waitsForTask?: boolean;
  /** Whether the caller's end opens by itself the pages that a server of 2025-11-25 wants opened first. */
  rawErrors?: boolean;
}

/** What a request passes on its way. */
export interface ServerRequestsParts {
  pool: ConnectionPool;
  preparer: ServerPreparer;
  catalog: Catalog;
  questions: QuestionDesk;
  pinned: PinnedTools;
  redactor: Redactor;
  settings: SettingsStack;
  logLevels: LogLevels;
  configuration(): Configuration;
}

/** Requests to servers: expanded for the caller, on an instance of its scope, with its limits, and nothing secret in what fails. */
export class ServerRequests {
  readonly #parts: ServerRequestsParts;

  constructor(parts: ServerRequestsParts) {
    this.#parts = parts;
  }

  /**
   * Sends one request, and sees to what the server asks meanwhile. With `relay` the request is a host's own.
   *
   * @throws {McpxError} `waiting-input` where nobody at hand can answer: the request then goes on as a task
   */
  async request(
    entry: CatalogServer,
    method: string,
    params: JsonObject,
    caller: Caller,
    options: UpstreamRequestOptions,
  ): Promise<JsonObject> {
    const subject = params.name ?? params.uri;
    const { namespace } = entry.definition;
    const title = typeof subject === "string"
      ? `${method} ${namespace}.${subject}`
      : `${method} ${namespace}`;
    return await this.#parts.questions.tasks.run(
      caller,
      { title },
      (working) => this.#send(entry, { method, params }, working, options),
    );
  }

  /** Holds an instance in the caller's scope until the lease is released. */
  async lease(entry: CatalogServer, caller: Caller): Promise<Lease> {
    const server = await this.#usable(entry, caller);
    return await this.#parts.pool.lease(server, identityFor(entry.process, caller), {
      signal: caller.signal,
    });
  }

  /** Whether a caller's requests to a server go to that instance. */
  reaches(entry: CatalogServer, caller: Caller, instance: InstanceView): boolean {
    if (entry.process.name !== instance.server.name) return false;
    const server = this.#parts.preparer.known(entry.process, caller);
    return server !== undefined && isInstanceOf(instance, server, identityFor(entry.process, caller));
  }

  /** Reads a server's lists. */
  async readListing(entry: CatalogServer, caller: Caller): Promise<ServerListing> {
    const { pool, preparer, settings } = this.#parts;
    const server = await preparer.prepare(entry.process, caller);
    // Reading what a server offers is part of starting it.
    const timeoutMs = poolLimits(settings.base, entry.process.limits).startTimeoutMs;
    return await this.#discreet(pool.run(
      server,
      identityFor(entry.process, caller),
      (connection: UpstreamConnection) => connection.readListing({ signal: caller.signal, timeoutMs }),
      { signal: caller.signal, idempotent: true },
    ));
  }

  async #send(
    entry: CatalogServer,
    { method, params }: { method: string; params: JsonObject },
    caller: Caller,
    options: UpstreamRequestOptions,
  ): Promise<JsonObject> {
    const { pool, questions, configuration, logLevels } = this.#parts;
    const { definition, process } = entry;
    const server = await this.#usable(entry, caller);
    const instance = await this.#beforeCall(entry, { server, method, params }, caller);
    const { work } = caller;
    const requestOptions = {
      ...callLimits(caller.settings, definition, options),
      ...(options.relay ?? relayTo(caller, definition.namespace)),
      signal: caller.signal,
      idempotent: options.idempotent,
    };
    return await this.#discreet(pool.run(
      server,
      identityFor(process, caller),
      async (connection, lease) => {
        using _level = await logLevels.during(lease.instance, options.relay?.logLevel);
        return work === undefined || (options.inputAsResult && connection.era === "modern")
          ? await connection.request(method, params, requestOptions)
          : await questions.requests.exchange({
            connection,
            instance: lease.instance,
            method,
            params,
            options: requestOptions,
            work,
            asTask: method === "tools/call" && this.#requiresTask(entry, params.name),
            waiting: callLimits(caller.settings, definition, { waitsForTask: true }),
            namespace: definition.namespace,
            roots: () => offeredRoots(configuration(), process.name, lease.instance.callers()),
            ...(options.relay && caller.answers ? { direct: caller.answers } : {}),
            ...(options.rawErrors ? { rawErrors: true } : {}),
          });
      },
      { signal: caller.signal, ...options, ...(instance === undefined ? {} : { instance }) },
    ));
  }

  /** What stands between a call and its server: pinned tools and mcpx's own questions; gives the instance that was chosen. */
  async #beforeCall(
    entry: CatalogServer,
    { server, method, params }: { server: PooledServer; method: string; params: JsonObject },
    caller: Caller,
  ): Promise<string | undefined> {
    const { catalog, pinned, questions, settings } = this.#parts;
    const toolName = method === "tools/call" && typeof params.name === "string" ? params.name : undefined;
    const tool = () => catalog.toolsOf(entry).find((known) => known.tool.name === toolName);
    if (toolName !== undefined && settings.base.get("diagnose.drift") === "pin") {
      await pinned.require(entry, () => tool()?.tool, caller);
    }
    return await questions.policies.beforeCall(
      {
        server,
        identity: identityFor(entry.process, caller),
        namespace: entry.definition.namespace,
        ...(toolName === undefined ? {} : { toolName }),
        tool,
        arguments: isObject(params.arguments) ? params.arguments : {},
      },
      caller,
    );
  }

  /** Whether a tool of a server of 2025-11-25 has to be called as a task. */
  #requiresTask(entry: CatalogServer, name: unknown): boolean {
    const { capabilities: { tasks } = {}, protocolVersion } = entry.cached?.listing ?? {};
    if (protocolVersion !== "2025-11-25" || !isObject(tasks)) return false;
    const { requests } = tasks;
    if (!isObject(requests) || !isObject(requests.tools) || requests.tools.call === undefined) return false;
    const tool = this.#parts.catalog.toolsOf(entry).find((known) => known.tool.name === name)?.tool;
    return isObject(tool?.execution) && tool.execution.taskSupport === "required";
  }

  async #usable({ definition, process }: CatalogServer, caller: Caller): Promise<PooledServer> {
    if (definition.error) throw definition.error;
    if (definition.disabled) throw disabledError(definition);
    return await this.#parts.preparer.prepare(process, caller);
  }

  /** What a server or its transport said may hold the credentials that it was given. */
  async #discreet<T>(running: Promise<T>): Promise<T> {
    try {
      return await running;
    } catch (error) {
      throw this.#parts.redactor.error(McpxError.from(error));
    }
  }
}

/** Why a server that is switched off cannot be used. */
export function disabledError({ name, source }: ServerDefinition): McpxError {
  return new McpxError("server-disabled", `Cannot use ${name}: it is switched off in ${source.file}.`, {
    hint: "Set `disabled` to false, or take the key out.",
  });
}

/** The caller's identity, with its Git folders where the server's scope asks for them. */
function identityFor({ scope }: ServerDefinition, { identity }: Caller): CallerIdentity {
  if ((scope !== "repo" && scope !== "worktree") || identity.cwd === undefined) return identity;
  return { ...identity, ...gitFolders(identity.cwd) };
}

function relayTo(caller: Caller, server: string): Pick<RequestOptions, "onProgress" | "onLog"> {
  return {
    onProgress: (progress) => caller.emit({ type: "progress", ...progress, server }),
    onLog: ({ level, data }) =>
      caller.emit({
        type: "log",
        level: String(level ?? "info"),
        text: typeof data === "string" ? data : JSON.stringify(data),
        server,
      }),
  };
}
