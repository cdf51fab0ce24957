import { isObject } from "../../../lib/json/mod.ts";
import { McpxError } from "../../../lib/errors/mod.ts";
import type { CallerAnswers } from "../../../lib/engine/caller_answers.ts";
import type { CatalogServer } from "../../../lib/engine/catalog.ts";
import type { InstanceView } from "../../../lib/pool/mod.ts";
import type { JsonObject } from "../../../lib/schema/mod.ts";
import type { Exposed } from "../face/exposed.ts";
import type { McpFace } from "../face/mcp_face.ts";
import { pageOf } from "../face/pages.ts";
import { isUnknownTask, type NamedTask, TaskNames } from "../face/task_names.ts";
import { namingAsker, requestUpstream } from "../face/upstream_request.ts";
import type { HostRequest } from "../host_request.ts";
import { RPC, RpcError } from "../wire/rpc_error.ts";

/** What the tasks of a session need of it. */
export interface LegacyTasksOptions {
  face: McpFace;
  /** Whether the host can answer such a request. */
  can: CallerAnswers["can"];
  /** How the host is asked of its session's own accord; undefined while it listens to nothing. */
  standing(): CallerAnswers | undefined;
  tell(method: string, params: JsonObject): void;
}

/** A status that came before the answer that made the task known. */
interface Early {
  instance: InstanceView;
  params: JsonObject;
}

const STATUS = "notifications/tasks/status";
const RELATED = "io.modelcontextprotocol/related-task";
const METHODS: ReadonlySet<string> = new Set(["tasks/get", "tasks/result", "tasks/cancel", "tasks/list"]);
const MOST_EARLY = 32;

/**
 * The tasks of 2025-11-25 that servers began for one host. Servers run them; what they say and ask of a task reaches this host, and
 * no other.
 */
export class LegacyTasks {
  readonly #options: LegacyTasksOptions;
  readonly #owning = new Map<string, Disposable>();
  readonly #names = new TaskNames((name) => this.#disown(name));
  readonly #early: Early[] = [];
  /** Questions of tasks whose host listens to nothing: they go out with its next `tasks/result`. */
  readonly #waiting = new Map<string, Set<PromiseWithResolvers<CallerAnswers>>>();

  constructor(options: LegacyTasksOptions) {
    this.#options = options;
  }

  /** Whether a method is one of the tasks'. */
  static has(method: string): boolean {
    return METHODS.has(method);
  }

  /** A call was answered: remembers the task where it was answered with one, and gives the answer as the host sees it. */
  async note({ params, caller }: HostRequest, result: JsonObject, exposed: Exposed): Promise<JsonObject> {
    const { task } = result;
    if (!isObject(task) || typeof task.taskId !== "string") return result;
    const tool = exposed.tools.get(String(params.name));
    if (tool?.kind !== "upstream") return result;
    const { engine } = this.#options.face;
    const { definition, process } = tool.entry;
    const named = { server: process.name, entry: definition.name, id: task.taskId };
    const name = this.#names.add(named);
    // Whether the instance can be kept is no reason to withhold what the server has begun.
    const instance = await engine.upstreamTasks.began(tool.entry, caller, task).catch((error) =>
      void engine.note("info", McpxError.from(error).message)
    );
    if (instance) {
      this.#owning.get(name)?.[Symbol.dispose]();
      this.#owning.set(name, engine.ownTask(instance, named.id, this.#answers(name, tool.entry)));
    }
    const early = this.#early.filter(({ instance, params }) =>
      instance.server.name === named.server && params.taskId === named.id
    );
    for (const one of early) {
      this.#early.splice(this.#early.indexOf(one), 1);
      this.#tell(name, one.params);
      engine.upstreamTasks.seen(one.params, (held) => held === one.instance);
    }
    return { ...result, task: withId(task, name) };
  }

  /** Answers a request about a task: its server does, and the list is of those that this host began. */
  async answer(request: HostRequest): Promise<JsonObject> {
    if (request.method === "tasks/list") return await this.#list(request);
    const { taskId } = request.params;
    const task = this.#names.get(taskId);
    if (task === undefined) throw new RpcError(RPC.invalidParams, `Unknown task: ${String(taskId)}`);
    if (request.method === "tasks/result" && request.answers) this.#flush(String(taskId), request.answers);
    return await this.#ask(request, String(taskId), task);
  }

  /** Takes what an instance that serves the host says of a task; tells the host where the task is one of its own. */
  take(instance: InstanceView, params: JsonObject): void {
    if (typeof params.taskId !== "string") return;
    const name = this.#names.nameOf({ server: instance.server.name, id: params.taskId });
    if (name !== undefined) return this.#tell(name, params);
    this.#early.push({ instance, params });
    if (this.#early.length > MOST_EARLY) this.#early.shift();
  }

  /** The host has gone. */
  close(): void {
    for (const name of this.#names.names()) this.#disown(name);
  }

  async #list(request: HostRequest): Promise<JsonObject> {
    const { items, nextCursor } = pageOf(this.#names.names(), {
      list: "tasks",
      cursor: request.params.cursor,
      size: request.caller.settings.get("serve.pageSize"),
    });
    const forgotten: string[] = [];
    const tasks = await Promise.all(
      items.map(async (name) => {
        const task = this.#names.get(name);
        const get = { ...request, method: "tasks/get", params: { taskId: name } };
        try {
          return task && await this.#ask(get, name, task);
        } catch (error) {
          // A task that its server has forgotten is no task any more; one that cannot be asked about is not shown.
          if (isUnknownTask(error)) forgotten.push(name);
          return undefined;
        }
      }),
    );
    // On the last page only: a cursor counts.
    if (nextCursor === undefined) { for (const name of forgotten) this.#names.delete(name); }
    return {
      tasks: tasks.filter((task) => task !== undefined),
      ...(nextCursor === undefined ? {} : { nextCursor }),
    };
  }

  async #ask(request: HostRequest, name: string, { server, entry, id }: NamedTask): Promise<JsonObject> {
    const { engine } = this.#options.face;
    const result = await requestUpstream(engine, request, {
      entry: engine.catalog.server(entry),
      own: { taskId: id },
      idempotent: request.method !== "tasks/cancel",
    });
    const serves = (instance: InstanceView): boolean =>
      instance.server.name === server && engine.serves(instance, request.caller);
    if (request.method === "tasks/result") {
      engine.upstreamTasks.seen({ taskId: id, status: "completed" }, serves);
      return withRelated(result, name);
    }
    engine.upstreamTasks.seen(result, serves);
    return withId(result, name);
  }

  /** How the host is asked what a task's server wants to know while no request of the host's is open for it. */
  #answers(name: string, entry: CatalogServer): CallerAnswers {
    return {
      can: this.#options.can,
      ask: async (method, params, signal, onProgress) => {
        const answers = this.#options.standing() ?? await this.#nextResult(name, signal);
        const asked = withRelated(namingAsker(entry, method, params), name);
        return await answers.ask(method, asked, signal, onProgress);
      },
    };
  }

  #nextResult(name: string, signal: AbortSignal): Promise<CallerAnswers> {
    const one = Promise.withResolvers<CallerAnswers>();
    const waiting = this.#waiting.get(name) ?? new Set();
    this.#waiting.set(name, waiting.add(one));
    signal.addEventListener("abort", () => one.reject(McpxError.from(signal.reason)), { once: true });
    return one.promise.finally(() => waiting.delete(one));
  }

  #flush(name: string, answers: CallerAnswers): void {
    for (const { resolve } of this.#waiting.get(name) ?? []) resolve(answers);
    this.#waiting.delete(name);
  }

  #tell(name: string, params: JsonObject): void {
    this.#options.tell(STATUS, withId(params, name));
  }

  #disown(name: string): void {
    this.#owning.get(name)?.[Symbol.dispose]();
    this.#owning.delete(name);
    const gone = new McpxError("cancelled", "Cancelled: the host that began the task has gone.");
    for (const { reject } of this.#waiting.get(name) ?? []) reject(gone);
    this.#waiting.delete(name);
  }
}

function withId(task: JsonObject, taskId: string): JsonObject {
  return task.taskId === taskId ? task : { ...task, taskId };
}

/** A message that belongs to a task, under the name that the host knows the task by. */
function withRelated(message: JsonObject, taskId: string): JsonObject {
  const { _meta } = message;
  const related = isObject(_meta) ? _meta[RELATED] : undefined;
  if (!isObject(_meta) || !isObject(related)) return message;
  const renamed = withId(related, taskId);
  return renamed === related ? message : { ...message, _meta: { ..._meta, [RELATED]: renamed } };
}
