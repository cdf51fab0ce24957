import { McpxError } from "../errors/mod.ts";
import type { JsonObject } from "../schema/types.ts";
import type { CallClock } from "./call_clock.ts";
import type { RequestOptions } from "./types.ts";

/** How one request is sent and given up. */
export interface DispatchOptions extends RequestOptions {
  /** What tells the server that the request was given up; nothing where closing the exchange does. */
  cancelNotice?: (id: number, reason: string) => JsonObject | undefined;
}

/** A request that has no answer yet. */
export interface PendingRequest {
  method: string;
  subject?: string;
  options: DispatchOptions;
  clock?: CallClock;
  abort?: AbortController;
  onAbort?: () => void;
  resolve(result: JsonObject): void;
  reject(error: unknown): void;
}

/** Tells whoever asked for it how far a request is. */
export function progressed(pending: PendingRequest, params: JsonObject): void {
  pending.clock?.progress();
  const { progress, total, message } = params;
  if (typeof progress !== "number") return;
  pending.options.onProgress?.({
    progress,
    ...(typeof total === "number" ? { total } : {}),
    ...(typeof message === "string" ? { message } : {}),
  }, params);
}

/** What a request fails with that its caller gave up. */
export function cancelled(signal: AbortSignal | undefined): McpxError {
  const reason: unknown = signal?.reason;
  if (reason instanceof McpxError) return reason;
  return new McpxError(
    "cancelled",
    "Cancelled by the caller.",
    reason === undefined ? {} : { cause: reason },
  );
}
