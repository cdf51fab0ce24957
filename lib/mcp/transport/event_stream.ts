import { createParser, type EventSourceMessage } from "eventsource-parser";
import { untilAborted } from "./until_aborted.ts";
import { concatBytes } from "./line_splitter.ts";

/** What an event stream is read with. */
export interface EventStreamOptions {
  /** The largest event, bytes. */
  limit: number;
  /** Ends the reading: aborting the fetch alone does not reach a read that waits. */
  signal: AbortSignal;
  onEvent(event: EventSourceMessage): void;
  /** The server's wish for the pause before a new connection, ms. */
  onRetry?(ms: number): void;
  /** Asked after each chunk: true ends the reading. */
  done?(): boolean;
}

/**
 * Reads server-sent events to the end of the stream.
 *
 * Whole lines only are handed to the parser, so one event of many megabytes costs time linear in its size.
 *
 * @throws {RangeError} when one line is longer than the limit
 */
export async function readEvents(
  body: ReadableStream<Uint8Array>,
  options: EventStreamOptions,
): Promise<void> {
  const parser = createParser({
    onEvent: (event) => options.onEvent(event),
    onRetry: (ms) => options.onRetry?.(ms),
  });
  const decoder = new TextDecoder();
  let held: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of untilAborted(body, options.signal)) {
    const end = Math.max(chunk.lastIndexOf(10), chunk.lastIndexOf(13)) + 1;
    held.push(end === 0 ? chunk : chunk.subarray(0, end));
    size += chunk.length;
    if (size > options.limit) throw new RangeError(`An event is larger than ${options.limit} bytes.`);
    if (end === 0) continue;
    const lines = held.length === 1 && held[0] ? held[0] : concatBytes(held);
    parser.feed(decoder.decode(lines));
    held = end < chunk.length ? [chunk.subarray(end)] : [];
    size = chunk.length - end;
    if (options.done?.()) return;
  }
  const rest = decoder.decode(concatBytes(held));
  if (rest !== "") parser.feed(rest);
}
