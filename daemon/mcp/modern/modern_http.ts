import { MAY_WANT_INPUT, MODERN_VERSION, readParamHeaders } from "../../../lib/mcp/mod.ts";
import { McpxError } from "../../../lib/errors/mod.ts";
import type { JsonObject } from "../../../lib/schema/mod.ts";
import { faceCapabilities } from "../face/capabilities.ts";
import { instructionsFor } from "../face/instructions.ts";
import type { McpFace } from "../face/mcp_face.ts";
import { SERVER_INFO } from "../face/server_info.ts";
import type { HostRequest } from "../host_request.ts";
import type { RequestOrigin } from "../surface_options.ts";
import { readAccept } from "../wire/accept.ts";
import { errorResponse, notAcceptable } from "../wire/error_response.ts";
import { type HostMessage, readHostMessage } from "../wire/host_message.ts";
import { MessageLog } from "../wire/message_log.ts";
import { MessageStream } from "../wire/message_stream.ts";
import { ReplyChannel } from "../wire/reply_channel.ts";
import { RPC, RpcError, rpcErrorOf } from "../wire/rpc_error.ts";
import { checkHeaders, checkParamHeaders } from "./check_headers.ts";
import { type Envelope, readEnvelope, versionOf } from "./envelope.ts";
import { serveListen } from "./listen.ts";
import { modernError, modernResult, statusOf } from "./modern_result.ts";
import { ModernTasks } from "./modern_tasks.ts";
import { ParkedCall } from "./parked_call.ts";
import { Parking } from "./parking.ts";
import { principalOf } from "./principal.ts";

/** Where a request's notifications go: a parked call's go to the request that came back for it. */
interface Target {
  channel: ReplyChannel;
}

const META_SERVER = "io.modelcontextprotocol/serverInfo";

/** The modern era over Streamable HTTP: every request stands for itself. */
export class ModernHttp {
  readonly #face: McpFace;
  readonly #parking = new Parking<Target>();
  readonly #tasks: ModernTasks;
  readonly #ending = new AbortController();

  constructor(face: McpFace) {
    this.#face = face;
    this.#tasks = new ModernTasks(face);
  }

  /** Answers a POST whose body is parsed already. */
  async post(request: Request, body: unknown, origin: RequestOrigin): Promise<Response> {
    const message = readHostMessage(body);
    switch (message.kind) {
      case "bad":
        return errorResponse(400, message.id, message.error);
      case "answer":
        return errorResponse(400, message.id, {
          code: RPC.invalidRequest,
          message: `Revision ${MODERN_VERSION} has no requests towards clients, hence no answers.`,
        });
      case "notification":
        return new Response(null, { status: 202 });
      case "request":
        return await this.#request(request, message, origin);
    }
  }

  /** Ends subscriptions in good order, and every call that waits for an answer. */
  close(): void {
    this.#ending.abort();
    this.#parking.close();
  }

  async #request(
    request: Request,
    message: HostMessage & { kind: "request" },
    origin: RequestOrigin,
  ): Promise<Response> {
    const { id, method, params } = message;
    const accept = readAccept(request);
    if (!accept.json && !accept.events) return notAcceptable(id);
    let envelope: Envelope;
    try {
      checkHeaders({ method, params, version: versionOf(params), headers: request.headers });
      envelope = readEnvelope(params);
      if (!this.#has(method)) throw new RpcError(RPC.methodNotFound, `Method not found: ${method}`);
    } catch (error) {
      const body = rpcErrorOf(error);
      return errorResponse(body.code === RPC.methodNotFound ? 404 : 400, id, body);
    }
    const abort = new AbortController();
    const gone = (): void =>
      abort.abort(new McpxError("cancelled", "Cancelled: the host closed the request."));
    request.signal.addEventListener("abort", gone, { once: true });
    // It may have been closed while its body was read.
    if (request.signal.aborted) gone();
    const channel = new ReplyChannel({
      expected: 1,
      isBatch: false,
      accept,
      stream: () => new MessageStream({ log: new MessageLog(), onGone: gone }),
    });
    void this.#run(request, { message, envelope, origin, abort, channel });
    return await channel.response;
  }

  #has(method: string): boolean {
    return method === "server/discover" || method === "subscriptions/listen" || this.#tasks.has(method) ||
      this.#face.has(method);
  }

  async #run(
    request: Request,
    { message, envelope, origin, abort, channel }: {
      message: HostMessage & { kind: "request" };
      envelope: Envelope;
      origin: RequestOrigin;
      abort: AbortController;
      channel: ReplyChannel;
    },
  ): Promise<void> {
    const { engine } = this.#face;
    const { id, method, params } = message;
    const target: Target = { channel };
    engine.active++;
    try {
      const caller = engine.caller({ surface: "mcp", ...origin, signal: abort.signal });
      const hostRequest: HostRequest = {
        method,
        params,
        caller,
        era: "modern",
        ...envelope,
        notify: (name, content) => target.channel.push({ jsonrpc: "2.0", method: name, params: content }),
      };
      this.#checkParams(hostRequest, request, origin);
      const by = principalOf(request, origin);
      const result = await this.#answer(hostRequest, { message, abort, target, by });
      channel.answer(id, { jsonrpc: "2.0", id, result: modernResult(method, result) });
    } catch (thrown) {
      const error = modernError(rpcErrorOf(thrown));
      channel.answer(id, { jsonrpc: "2.0", id, error }, statusOf(error.code));
    } finally {
      engine.active--;
    }
  }

  /** Arguments that a tool marks are repeated in headers; mcpx's own bridge, which knows no tools, leaves them out. */
  #checkParams(
    { method, params, caller }: HostRequest,
    { headers }: Request,
    { isBridge }: RequestOrigin,
  ): void {
    if (method !== "tools/call" || isBridge) return;
    const tool = this.#face.known(caller).tools.get(String(params.name));
    if (tool?.kind !== "upstream") return;
    const read = readParamHeaders(tool.tool.tool.inputSchema);
    if ("headers" in read) checkParamHeaders(read.headers, params.arguments, headers);
  }

  async #answer(
    request: HostRequest,
    { message, abort, target, by }: {
      message: HostMessage & { kind: "request" };
      abort: AbortController;
      target: Target;
      by: string;
    },
  ): Promise<JsonObject> {
    const { method, params, caller } = request;
    if (method === "server/discover") return await this.#discover(request, target.channel.canPush);
    if (method === "subscriptions/listen") {
      if (!target.channel.canPush) {
        throw new RpcError(RPC.invalidRequest, "The request does not accept an event stream.");
      }
      return await serveListen(this.#face, request, {
        id: message.id,
        ended: this.#ending.signal,
        tasks: this.#tasks,
      });
    }
    if (this.#tasks.has(method)) return await this.#tasks.answer(request);
    if (!MAY_WANT_INPUT.has(method)) return await this.#face.answer(request);
    if (!Parking.isOurs(params)) {
      const call = new ParkedCall(request, (answers) => this.#face.answer({ ...request, answers }));
      return await this.#follow(call, request, { abort, rest: target, by });
    }
    const { call, rest, abort: whole } = this.#parking.take({ method, params, by });
    rest.channel = target.channel;
    // Who closes the request that waits for the call cancels the call.
    const giveUp = (): void => whole.abort(caller.signal.reason);
    caller.signal.addEventListener("abort", giveUp, { once: true });
    if (caller.signal.aborted) giveUp();
    call.answer(params.inputResponses);
    return await this.#follow(call, request, { abort: whole, rest, by });
  }

  /** Gives a call's result, or its questions and where to bring the answers. */
  async #follow(
    call: ParkedCall,
    request: HostRequest,
    { abort, rest, by }: { abort: AbortController; rest: Target; by: string },
  ): Promise<JsonObject> {
    const { method, params } = request;
    const state = await call.next();
    if (state.done) return await this.#tasks.note(request, state.result);
    const limitMs = this.#face.engine.settings.base.get("serve.parkTimeout");
    const requestState = this.#parking.park(call, { request: { method, params, by }, rest, abort, limitMs });
    return { resultType: "input_required", inputRequests: state.inputRequests, requestState };
  }

  async #discover({ caller, version }: HostRequest, canPush: boolean): Promise<JsonObject> {
    await this.#face.readFirst(caller, 2000);
    const exposed = this.#face.known(caller);
    return {
      supportedVersions: [MODERN_VERSION],
      capabilities: faceCapabilities(version, exposed, canPush),
      instructions: instructionsFor(caller.settings.get("serve.mode"), exposed),
      _meta: { [META_SERVER]: SERVER_INFO },
    };
  }
}
