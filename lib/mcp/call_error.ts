import { isObject } from "../json/mod.ts";
import { ERROR_CODES, McpxError } from "../errors/mod.ts";
import { lastWords } from "./last_words.ts";
import type { Expiry } from "./call_clock.ts";
import type { RpcErrorObject } from "./json_rpc.ts";
import type { ConnectionEnd } from "./types.ts";

/** The request that an error is about. */
export interface RequestName {
  method: string;
  /** The tool, prompt or resource that it names. */
  subject?: string;
}

/** How errors write a request: `tools/call echo`. */
export function requestTitle(request: RequestName): string {
  return request.subject === undefined ? request.method : `${request.method} ${request.subject}`;
}

/** The server answered with a JSON-RPC error: its own words first, and whole. */
export function serverError(request: RequestName, error: RpcErrorObject): McpxError {
  return new McpxError("upstream-error", error.message, {
    data: { ...error, method: request.method },
  });
}

/** An answer came that is none. */
export function unusableAnswer(request: RequestName, why: string): McpxError {
  return new McpxError("upstream-protocol", `Cannot use the answer to ${requestTitle(request)}: ${why}.`, {
    data: { method: request.method },
  });
}

/** A limit ran out. */
export function timedOut(request: RequestName, expiry: Expiry, name: string | undefined): McpxError {
  const limit = name ??
    (expiry.limit === "total" ? "the longest time a call may take" : "the call's timeout");
  const state = expiry.limit === "total" ? "no answer after" : "neither an answer nor progress for";
  return new McpxError(
    "call-timeout",
    `Cannot finish ${requestTitle(request)}: ${state} ${seconds(expiry.ms)} (${limit}).`,
    {
      hint: name?.startsWith("-") ? `Give it longer: ${name} ${seconds(expiry.ms * 4)}` : `Raise ${limit}.`,
      data: { limit, bound: expiry.limit, ms: expiry.ms, method: request.method },
    },
  );
}

/** A duration as settings write it. */
function seconds(ms: number): string {
  return ms % 1000 === 0 ? `${ms / 1000}s` : `${ms}ms`;
}

/** Methods that only read: sending one again does no harm. */
const READS = /^(?:ping|server\/discover|.+\/(?:list|get|read|complete))$/;

/** The connection ended; `sent` tells whether the server may have seen the request. */
export function connectionEnded(request: RequestName, end: ConnectionEnd, sent: boolean): McpxError {
  const { code, signal, stderrTail } = end;
  const data = {
    sent,
    method: request.method,
    ...(code === undefined ? {} : { code }),
    ...(signal === undefined ? {} : { signal }),
    ...(stderrTail === undefined ? {} : { stderrTail }),
  };
  const isHarmless = !sent || READS.test(request.method);
  const outcome = !sent
    ? ": it was not sent"
    : isHarmless
    ? ": no answer came"
    : ": the outcome is unknown, it may have taken effect";
  const words = lastWords(stderrTail ?? "");
  const said = words === "" ? "" : `; it last wrote: ${words}`;
  const sentence = `Cannot finish ${requestTitle(request)}, ${end.message}${outcome}${said}.`;
  const hint = isHarmless ? "Send it again." : "Look whether it took effect before sending it again.";
  if (end.kind === "exited") return new McpxError("upstream-exited", sentence, { hint, data });
  if (end.kind === "closed" && !sent) return new McpxError("cancelled", sentence, { data });
  return new McpxError("outcome-unknown", sentence, { hint, data });
}

/** Turns whatever a handler threw into the `error` of an answer; a JSON-RPC error passes through as it was. */
export function rpcErrorOf(thrown: unknown): RpcErrorObject {
  const error = McpxError.from(thrown);
  const code = error.data?.code;
  if (error.code === "upstream-error" && typeof code === "number") {
    return {
      code,
      message: error.message,
      ...(isObject(error.data?.data) ? { data: error.data.data } : {}),
    };
  }
  return { code: ERROR_CODES[error.code].rpc, message: error.message };
}
