import { createHash } from "node:crypto";
import { isObject } from "../../../lib/json/mod.ts";
import type { JsonObject } from "../../../lib/schema/mod.ts";
import { RPC, RpcError } from "../wire/rpc_error.ts";
import type { ParkedCall } from "./parked_call.ts";

/** What begins the `requestState` of a call that waits here; a server's own state looks otherwise. */
const MARK = "mcpx-parked:";
/** How many calls may wait at once; the oldest goes first. */
const MOST = 1000;

/** A request that a call belongs to. */
export interface ParkedRequest {
  method: string;
  params: JsonObject;
  /** Who made it, as far as that is known. */
  by: string;
}

interface Waiting<T> {
  call: ParkedCall;
  /** The request it belongs to: another one, or another's, may not take its answer. */
  of: string;
  rest: T;
  abort: AbortController;
  timer: ReturnType<typeof setTimeout>;
}

/**
 * Calls that wait for their hosts' answers, by a `requestState` that names the daemon and cannot be guessed.
 *
 * The state holds nothing else: what it must be presented with (the same request, by the same principal, in time, once) is kept here.
 */
export class Parking<T> {
  readonly #waiting = new Map<string, Waiting<T>>();
  /** Tells this daemon's states from those of one before it. */
  readonly #run = MARK + randomText(9);

  /** Whether a request comes back to a call that waits, here or in an earlier daemon. */
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
    options: { request: ParkedRequest; rest: T; abort: AbortController; limitMs: number },
  ): string {
    const { request, rest, abort, limitMs } = options;
    const state = `${this.#run}.${randomText(24)}`;
    const timer = setTimeout(() => this.#drop(state), limitMs);
    this.#waiting.set(state, { call, of: digestOf(request), rest, abort, timer });
    const [oldest] = this.#waiting.keys();
    if (this.#waiting.size > MOST && oldest !== undefined) this.#drop(oldest);
    return state;
  }

  /** The call that a request comes back to, which waits here no longer. @throws {RpcError} -32602 */
  take(request: ParkedRequest): { call: ParkedCall; rest: T; abort: AbortController } {
    const state = String(request.params.requestState);
    const waiting = this.#waiting.get(state);
    if (waiting && waiting.of === digestOf(request)) {
      this.#forget(state);
      return waiting;
    }
    if (state.startsWith(`${this.#run}.`)) {
      throw new RpcError(
        RPC.invalidParams,
        "The requestState names no call that waits: it has ended, or is another's.",
      );
    }
    throw new RpcError(
      RPC.invalidParams,
      "The daemon that the call waited in was restarted: the call was cancelled, and may or may not have taken effect.",
      {
        hint: "Look whether it took effect before calling again, without requestState.",
        daemonRestarted: true,
      },
    );
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

/** A request apart from what a retry adds to it, in whatever order its members stand. */
function digestOf({ method, params, by }: ParkedRequest): string {
  const { _meta: _own, inputResponses: _answers, requestState: _state, ...rest } = params;
  const text = JSON.stringify([by, method, rest], (_key, value) => isObject(value) ? sorted(value) : value);
  return createHash("sha256").update(text).digest("base64");
}

function sorted(value: object): object {
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => a < b ? -1 : 1));
}

function randomText(bytes: number): string {
  return crypto.getRandomValues(new Uint8Array(bytes)).toBase64({ alphabet: "base64url", omitPadding: true });
}
