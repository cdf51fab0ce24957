import { McpxError } from "../../../lib/errors/mod.ts";
import type { CatalogServer } from "../../../lib/engine/catalog.ts";
import type { JsonObject } from "../../../lib/schema/mod.ts";
import { mayBecomeTask, TASKS_EXTENSION } from "../face/capabilities.ts";
import type { McpFace } from "../face/mcp_face.ts";
import { requestUpstream } from "../face/upstream_request.ts";
import type { HostRequest } from "../host_request.ts";
import { isObject } from "../wire/host_message.ts";
import { RPC, RpcError } from "../wire/rpc_error.ts";

/** How many tasks are remembered; of an older one its server is asked for again. */
const MOST = 10_000;

/** The tasks extension: servers run the tasks, and mcpx knows which server each of them is at. */
export class ModernTasks {
  readonly #face: McpFace;
  /** Task id -> the server's name. */
  readonly #servers = new Map<string, string>();

  constructor(face: McpFace) {
    this.#face = face;
  }

  /** Whether a method is one of the extension's. */
  has(method: string): boolean {
    return method === "tasks/get" || method === "tasks/update" || method === "tasks/cancel";
  }

  /** Remembers where a task runs, when a call was answered with one. */
  note({ params, caller }: HostRequest, result: JsonObject): void {
    if (result.resultType !== "task" || typeof result.taskId !== "string") return;
    const tool = this.#face.known(caller).tools.get(String(params.name));
    if (tool?.kind === "upstream") this.#keep(result.taskId, tool.entry);
  }

  /** Answers a request about a task: its server does. @throws {RpcError} -32021, -32602 */
  async answer(request: HostRequest): Promise<JsonObject> {
    const { extensions } = request.capabilities;
    if (!isObject(extensions) || extensions[TASKS_EXTENSION] === undefined) {
      throw new RpcError(RPC.missingCapability, "The request does not declare the tasks extension.", {
        requiredCapabilities: { extensions: { [TASKS_EXTENSION]: {} } },
      });
    }
    const { taskId } = request.params;
    if (typeof taskId !== "string") throw new RpcError(RPC.invalidParams, "`taskId` is not a string.");
    const idempotent = request.method === "tasks/get";
    const known = this.#servers.get(taskId);
    if (known !== undefined) {
      const entry = this.#face.engine.catalog.server(known);
      return await requestUpstream(this.#face.engine, request, { entry, own: {}, idempotent });
    }
    const { tools } = await this.#face.exposed(request.caller);
    const entries = new Set(
      [...tools.values()].flatMap((tool) =>
        tool.kind === "upstream" && mayBecomeTask(tool) ? [tool.entry] : []
      ),
    );
    for (const entry of entries) {
      try {
        const result = await requestUpstream(this.#face.engine, request, { entry, own: {}, idempotent });
        this.#keep(taskId, entry);
        return result;
      } catch (error) {
        if (!isUnknown(error)) throw error;
      }
    }
    throw new RpcError(RPC.invalidParams, `Unknown task: ${taskId}`);
  }

  #keep(taskId: string, { definition }: CatalogServer): void {
    this.#servers.set(taskId, definition.name);
    const [oldest] = this.#servers.keys();
    if (this.#servers.size > MOST && oldest !== undefined) this.#servers.delete(oldest);
  }
}

/** Whether a server says that a task is none of its own. */
function isUnknown(error: unknown): boolean {
  return error instanceof McpxError && error.code === "upstream-error" &&
    error.data?.code === RPC.invalidParams;
}
