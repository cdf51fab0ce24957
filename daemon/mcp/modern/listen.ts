import { isObject } from "../../../lib/json/mod.ts";
import { resourceSubject, taskSubject } from "../../../lib/engine/watch_subject.ts";
import { McpxError } from "../../../lib/errors/mod.ts";
import type { JsonObject } from "../../../lib/schema/mod.ts";
import type { McpFace } from "../face/mcp_face.ts";
import { uriRule, withUri } from "../face/uris.ts";
import type { HostRequest } from "../host_request.ts";
import type { HostId } from "../wire/host_message.ts";
import { RPC, RpcError } from "../wire/rpc_error.ts";
import { isTaskOver, type LocatedTask, type ModernTasks, requireExtension } from "./modern_tasks.ts";

const SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId";
/** How many resources, and how many tasks, one subscription may watch. */
const MOST_WATCHED = 1000;

/** What a subscription is for, as far as it can be honoured. */
interface Wanted {
  toolsListChanged?: true;
  promptsListChanged?: true;
  resourcesListChanged?: true;
  resourceSubscriptions?: string[];
  taskIds?: string[];
}

/** What a subscription stands on. */
export interface ListenOptions {
  id: HostId;
  /** Aborted when the daemon ends it. */
  ended: AbortSignal;
  tasks: ModernTasks;
}

/**
 * Serves `subscriptions/listen`: acknowledges what is honoured, then tells of it until `ended`.
 *
 * @returns the result that ends the subscription in good order
 * @throws {RpcError} -32602, and -32021 for tasks that the host does not declare
 */
export async function serveListen(
  face: McpFace,
  request: HostRequest,
  options: ListenOptions,
): Promise<JsonObject> {
  const { id, ended } = options;
  const { resourceSubscriptions, taskIds, ...lists } = readFilter(request.params);
  if (taskIds) requireExtension(request);
  await using listening = new Listening(face, request, options);
  const resources = await listening.watchAll(resourceSubscriptions ?? [], (uri) => listening.resource(uri));
  const tasks = await listening.watchAll(taskIds ?? [], (taskId) => listening.task(taskId));
  listening.acknowledge({
    ...lists,
    ...(resourceSubscriptions ? { resourceSubscriptions: resources } : {}),
    ...(taskIds ? { taskIds: tasks } : {}),
  });
  using _lists = face.engine.notices.listen((notice) => {
    if (notice.type !== "lists") return;
    for (const kind of ["tools", "prompts", "resources"] as const) {
      if (lists[`${kind}ListChanged`] && face.concerns(notice, kind, request.caller)) {
        listening.tell(`notifications/${kind}/list_changed`, {});
      }
    }
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  for (const signal of [ended, request.caller.signal]) {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  }
  await promise;
  return { resultType: "complete", _meta: { [SUBSCRIPTION]: id } };
}

/** One subscription of a host's. */
class Listening implements AsyncDisposable {
  readonly #face: McpFace;
  readonly #request: HostRequest;
  readonly #options: ListenOptions;
  readonly #watching = new AsyncDisposableStack();
  /** What came before the acknowledgement, which is the first message. */
  #early: (() => void)[] | undefined = [];

  constructor(face: McpFace, request: HostRequest, options: ListenOptions) {
    this.#face = face;
    this.#request = request;
    this.#options = options;
  }

  /** Watches what can be watched; the rest is missing from the acknowledgement. */
  async watchAll(
    names: readonly string[],
    watch: (name: string) => Promise<AsyncDisposable>,
  ): Promise<string[]> {
    const told: string[] = [];
    for (const name of names) {
      try {
        this.#watching.use(await watch(name));
        told.push(name);
      } catch (thrown) {
        const { message } = thrown instanceof RpcError ? thrown : McpxError.from(thrown);
        this.#face.engine.note("info", `Cannot watch ${name}: ${message}`);
      }
    }
    return told;
  }

  async resource(uri: string): Promise<AsyncDisposable> {
    const { caller } = this.#request;
    const { entry, uri: own } = await this.#face.locate(uri, caller);
    const rule = uriRule(entry.definition);
    return await this.#face.engine.watch.watch({ entry, subject: resourceSubject(own) }, {
      caller,
      onTold: ({ _meta: _own, ...params }) =>
        this.tell("notifications/resources/updated", withUri(params, rule)),
      onLapse: () => this.tell("notifications/resources/updated", { uri }),
    });
  }

  async task(name: string): Promise<AsyncDisposable> {
    const { tasks } = this.#options;
    const task = await tasks.locate(this.#request, name);
    if (!task) throw new RpcError(RPC.invalidParams, `Unknown task: ${name}`);
    const entry = this.#face.engine.catalog.server(task.entry);
    let isOver = false;
    const tell = (params: JsonObject): void => {
      if (isOver) return; // one end is as good as two
      isOver = isTaskOver(params);
      this.tell("notifications/tasks", params);
    };
    const watching = await this.#face.engine.watch.watch({ entry, subject: taskSubject(task.id) }, {
      caller: this.#request.caller,
      onTold: (params) => tell(tasks.shown(task, params)),
      onLapse: () => void this.#state(task).then((state) => state && tell(state)),
    });
    // It may have ended before it was watched, and then nobody would say so any more.
    const state = await this.#state(task);
    if (state && isTaskOver(state)) tell(state);
    return watching;
  }

  acknowledge(notifications: Wanted): void {
    const early = this.#early ?? [];
    this.#early = undefined;
    this.tell("notifications/subscriptions/acknowledged", { notifications });
    for (const tell of early) tell();
  }

  tell(method: string, params: unknown): void {
    if (this.#early) return void this.#early.push(() => this.tell(method, params));
    const _meta = { [SUBSCRIPTION]: this.#options.id };
    this.#request.notify(method, { ...(isObject(params) ? params : {}), _meta });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#watching.disposeAsync();
  }

  async #state(task: LocatedTask): Promise<JsonObject | undefined> {
    try {
      const { resultType: _type, _meta: _own, ...state } = await this.#options.tasks.state(
        this.#request,
        task,
      );
      return state;
    } catch (thrown) {
      this.#face.engine.note("info", `Cannot look at task ${task.name}: ${McpxError.from(thrown).message}`);
      return undefined;
    }
  }
}

function readFilter(params: JsonObject): Wanted {
  const { notifications } = params;
  if (!isObject(notifications)) throw new RpcError(RPC.invalidParams, "`notifications` is not an object.");
  const wanted: Wanted = {};
  for (const name of ["toolsListChanged", "promptsListChanged", "resourcesListChanged"] as const) {
    if (notifications[name] === true) wanted[name] = true;
  }
  for (const name of ["resourceSubscriptions", "taskIds"] as const) {
    const list = notifications[name];
    if (list === undefined) continue;
    const isUsable = Array.isArray(list) && list.length <= MOST_WATCHED &&
      list.every((one) => typeof one === "string");
    if (!isUsable) {
      throw new RpcError(RPC.invalidParams, `\`${name}\` is not a list of at most ${MOST_WATCHED} strings.`);
    }
    wanted[name] = [...new Set(list)];
  }
  return wanted;
}
