import type { JsonObject } from "../../../lib/schema/mod.ts";
import { RPC, RpcError } from "../wire/rpc_error.ts";
import type { ParkedCall } from "./parked_call.ts";

/** What begins the `requestState` of a call that waits here; a server's own state looks otherwise. */
const MARK = "mcpx-parked:";
/** How many calls may wait at once; the oldest goes first. */
const MOST = 1000;

interface Waiting<T> {
  call: ParkedCall;
  /** The request it belongs to: another one may not take its answer. */
  of: string;
  rest: T;
  abort: AbortController;
  timer: ReturnType<typeof setTimeout>;
}

/** Calls that wait for their hosts' answers, by an unguessable `requestState`. */
export class Parking<T> {
  readonly #waiting = new Map<string, Waiting<T>>();

  /** Whether a request comes back to a call that waits here. */
  static isOurs(params: JsonObject): boolean {
    return typeof params.requestState === "string" && params.requestState.startsWith(MARK);
  }

  /**
   * Lets a call wait; one that ends meanwhile, since somebody else answered, keeps its result for the host.
   *
   * @returns the `requestState` that leads back to it
   */
  park(
    call: ParkedCall,
    options: { method: string; params: JsonObject; rest: T; abort: AbortController; limitMs: number },
  ): string {
    const { method, params, rest, abort, limitMs } = options;
    const state = MARK + crypto.getRandomValues(new Uint8Array(24)).toBase64({ alphabet: "base64url" });
    const timer = setTimeout(() => this.#drop(state), limitMs);
    this.#waiting.set(state, { call, of: digestOf(method, params), rest, abort, timer });
    const [oldest] = this.#waiting.keys();
    if (this.#waiting.size > MOST && oldest !== undefined) this.#drop(oldest);
    return state;
  }

  /** The call that a request comes back to, which waits here no longer. @throws {RpcError} -32602 */
  take(method: string, params: JsonObject): { call: ParkedCall; rest: T; abort: AbortController } {
    const state = String(params.requestState);
    const waiting = this.#waiting.get(state);
    if (!waiting || waiting.of !== digestOf(method, params)) {
      throw new RpcError(
        RPC.invalidParams,
        "The requestState names no call that waits: it has ended, or is another's.",
      );
    }
    this.#forget(state);
    return waiting;
  }

  /** Ends every call that waits. */
  close(): void {
    for (const state of [...this.#waiting.keys()]) this.#drop(state);
  }

  #drop(state: string): void {
    this.#waiting.get(state)?.abort.abort();
    this.#forget(state);
  }

  #forget(state: string): void {
    clearTimeout(this.#waiting.get(state)?.timer);
    this.#waiting.delete(state);
  }
}

/** A request apart from what a retry adds to it. */
function digestOf(method: string, params: JsonObject): string {
  const { _meta: _own, inputResponses: _answers, requestState: _state, ...rest } = params;
  return JSON.stringify([method, rest]);
}
