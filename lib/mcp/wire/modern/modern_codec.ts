import { isObject } from "../../../json/mod.ts";
import type { McpTool } from "../../../catalog/types.ts";
import { McpxError } from "../../../errors/mod.ts";
import type { JsonObject } from "../../../schema/types.ts";
import type { PreparedRequest } from "../../dispatcher.ts";
import type { SendOptions } from "../../transport/transport.ts";
import type { ConnectOptions } from "../../types.ts";
import type { EraCodec, RequestWishes, ServerFacts, Wire } from "../codec.ts";
import { META, MODERN_ERRORS, MODERN_VERSION } from "./envelope.ts";
import { headerValue } from "./header_value.ts";
import { keepListening } from "./keep_listening.ts";
import { type ParamHeader, readParamHeaders, writeParamHeaders } from "./param_headers.ts";

/** The member of a method's params that the `Mcp-Name` header repeats. */
export const NAMED_BY: Readonly<Record<string, string>> = {
  "tools/call": "name",
  "prompts/get": "name",
  "resources/read": "uri",
  "tasks/get": "taskId",
  "tasks/update": "taskId",
  "tasks/cancel": "taskId",
};

/** Messages of the revision 2026-07-28. */
export class ModernCodec implements EraCodec {
  readonly era = "modern";
  readonly #wire: Wire;
  readonly #envelope: JsonObject;
  readonly #onNotification: ConnectOptions["onNotification"];
  readonly #paramHeaders = new Map<string, ParamHeader[]>();

  constructor(wire: Wire, envelope: JsonObject, onNotification: ConnectOptions["onNotification"]) {
    this.#wire = wire;
    this.#envelope = envelope;
    this.#onNotification = onNotification;
  }

  request(
    id: number,
    { method, params }: { method: string; params: JsonObject },
    { progress, log, meta }: RequestWishes,
  ): PreparedRequest {
    const own = isObject(params._meta) ? params._meta : undefined;
    const _meta = {
      ...this.#envelope,
      ...(log ? { [META.logLevel]: "info" } : {}),
      ...own,
      ...meta,
      ...(progress ? { progressToken: id } : {}),
    };
    return { method, params: { ...params, _meta }, headers: this.#headers(method, params) };
  }

  notification(method: string, params: JsonObject | undefined): { params: JsonObject } & SendOptions {
    const own = isObject(params?._meta) ? params._meta : undefined;
    return {
      params: { ...params, _meta: { ...this.#envelope, ...own } },
      headers: { "mcp-method": method },
    };
  }

  /** Where a request has a stream of its own, closing that stream is what tells the server. */
  cancelNotice(id: number, reason: string): JsonObject | undefined {
    if (this.#wire.transport.streamPerRequest) return undefined;
    return { requestId: id, reason, _meta: this.#envelope };
  }

  /** A kind that the revision does not know is of an extension, or invalid. @see basic, ResultType */
  checkResult({ resultType = "complete" }: JsonObject, { meta }: RequestWishes): void {
    if (resultType === "complete" || resultType === "input_required") return;
    const capabilities = meta?.[META.clientCapabilities];
    if (isObject(capabilities) && capabilities.extensions !== undefined) return;
    throw new McpxError(
      "upstream-protocol",
      `Cannot use the server's answer: its resultType ${
        JSON.stringify(resultType)
      } is none that was asked for.`,
      { data: { resultType } },
    );
  }

  begin(facts: ServerFacts, closing: AbortSignal): Promise<void> {
    this.#wire.transport.setHeaders({ "mcp-protocol-version": MODERN_VERSION });
    this.#wire.dispatcher.dropRequests();
    const filter = facts.assumed ? {} : changesOf(facts.capabilities);
    if (this.#onNotification && Object.keys(filter).length > 0) {
      keepListening({
        dispatcher: this.#wire.dispatcher,
        prepare: (id) =>
          this.request(id, { method: "subscriptions/listen", params: { notifications: filter } }, {
            progress: false,
            log: false,
          }),
        onLapse: () => {
          for (const member of Object.keys(filter)) this.#onNotification?.(CHANGES[member] ?? "", {});
        },
        closing,
      });
    }
    return Promise.resolve();
  }

  /** Both refusals come before the request is looked at; wrong headers come from tools that were not read yet. */
  async repair(error: McpxError, method: string, readTools: () => Promise<unknown>): Promise<boolean> {
    if (error.code !== "upstream-error") return false;
    if (error.data?.code === MODERN_ERRORS.unsupportedVersion) return supports(error, MODERN_VERSION);
    if (error.data?.code !== MODERN_ERRORS.headerMismatch || method !== "tools/call") return false;
    await readTools();
    return true;
  }

  admitTools(tools: McpTool[]): { tools: McpTool[]; warnings: string[] } {
    if (!this.#wire.transport.streamPerRequest) return { tools, warnings: [] };
    const warnings: string[] = [];
    const admitted = tools.filter((tool) => {
      const read = readParamHeaders(tool.inputSchema);
      if ("fault" in read) {
        warnings.push(`Tool ${tool.name} was left out, as the protocol asks: ${read.fault}.`);
        return false;
      }
      if (read.headers.length > 0) this.#paramHeaders.set(tool.name, read.headers);
      else this.#paramHeaders.delete(tool.name);
      return true;
    });
    return { tools: admitted, warnings };
  }

  #headers(method: string, params: JsonObject): Record<string, string> | undefined {
    if (!this.#wire.transport.streamPerRequest) return undefined;
    const name = params[NAMED_BY[method] ?? ""];
    const declared = typeof name === "string" && method === "tools/call"
      ? this.#paramHeaders.get(name)
      : undefined;
    return {
      "mcp-method": method,
      ...(typeof name === "string" ? { "mcp-name": headerValue(name) } : {}),
      ...(declared ? writeParamHeaders(declared, params.arguments) : {}),
    };
  }
}

/** The members of a subscription, and the notification that each asks for. */
const CHANGES: Readonly<Record<string, string>> = {
  toolsListChanged: "notifications/tools/list_changed",
  promptsListChanged: "notifications/prompts/list_changed",
  resourcesListChanged: "notifications/resources/list_changed",
};

function changesOf(capabilities: JsonObject): Record<string, true> {
  const filter: Record<string, true> = {};
  for (const kind of ["tools", "prompts", "resources"]) {
    const capability = capabilities[kind];
    if (isObject(capability) && capability.listChanged === true) filter[`${kind}ListChanged`] = true;
  }
  return filter;
}

/** Whether a refused version is followed by an offer of the one given. */
export function supports(error: McpxError, version: string): boolean {
  const data = error.data?.data;
  return isObject(data) && Array.isArray(data.supported) && data.supported.includes(version);
}
