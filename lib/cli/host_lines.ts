import { parseJson } from "../json/mod.ts";
import { answerId, type MessageId } from "./bridge_message.ts";

/** One line of a host's, or what can be said of one that could not be taken. */
export type HostLine =
  | { kind: "text"; text: string }
  | { kind: "not-utf8" }
  | { kind: "too-long"; limit: number; id: MessageId };

/** How a host's bytes are read. */
export interface HostLinesOptions {
  /** The most bytes that a line may have; asked for once, at the first line that is long at all. */
  limit(): Promise<number>;
  /** Ends the reading. */
  signal: AbortSignal;
}

const NEWLINE = 10;
/** From here on a line is long. */
const LONG_BYTES = 1024 * 1024;
/** How much of a dropped line's start and end is kept, to tell which request it was. */
const EDGE_BYTES = 256;
const ID = /"id"\s*:\s*("(?:[^"\\]|\\.)*"|-?\d+)/.source;
/** An `id` before any other object or list, or after the last one. */
const ID_IN_HEAD = new RegExp(`^\\s*\\{[^{[]*?${ID}\\s*[,}]`);
const ID_IN_TAIL = new RegExp(`\\}\\s*,\\s*${ID}\\s*(?:,\\s*"jsonrpc"\\s*:\\s*"2\\.0"\\s*)?\\}\\s*$`);

/**
 * Cuts a host's bytes into lines, in time linear in their length and memory bounded by the limit.
 *
 * Lines are cut as bytes, so a character split over two chunks arrives whole; empty ones are passed over.
 */
export async function* readHostLines(
  input: ReadableStream<Uint8Array>,
  { limit, signal }: HostLinesOptions,
): AsyncGenerator<HostLine> {
  const reader = input.getReader();
  const end = (): void => void reader.cancel();
  signal.addEventListener("abort", end, { once: true });
  if (signal.aborted) end();
  const line = new Line(limit);
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      let start = 0;
      for (let at = read.value.indexOf(NEWLINE); at >= 0; at = read.value.indexOf(NEWLINE, start)) {
        await line.add(read.value.subarray(start, at));
        yield* line.take();
        start = at + 1;
      }
      await line.add(read.value.subarray(start));
    }
    yield* line.take();
  } finally {
    signal.removeEventListener("abort", end);
  }
}

/** The line that is being read. */
class Line {
  readonly #askLimit: () => Promise<number>;
  #limit: number | undefined;
  #parts: Uint8Array[] = [];
  #size = 0;
  #dropped: { head: Uint8Array; tail: Uint8Array; limit: number } | undefined;

  constructor(limit: () => Promise<number>) {
    this.#askLimit = limit;
  }

  async add(part: Uint8Array): Promise<void> {
    if (part.length === 0) return;
    this.#size += part.length;
    if (this.#dropped) {
      this.#dropped.tail = joined([this.#dropped.tail, part.subarray(-EDGE_BYTES)]).slice(-EDGE_BYTES);
      return;
    }
    this.#parts.push(part);
    if (this.#size <= LONG_BYTES) return;
    this.#limit ??= await this.#askLimit();
    if (this.#size <= this.#limit) return;
    const whole = joined(this.#parts);
    this.#dropped = { head: whole.slice(0, EDGE_BYTES), tail: whole.slice(-EDGE_BYTES), limit: this.#limit };
    this.#parts = [];
  }

  /** Ends the line, and gives it where there is something in it. */
  *take(): Generator<HostLine> {
    const dropped = this.#dropped;
    const parts = this.#parts;
    this.#parts = [];
    this.#size = 0;
    this.#dropped = undefined;
    if (dropped) {
      yield { kind: "too-long", limit: dropped.limit, id: idOf(dropped) };
      return;
    }
    let text: string;
    try {
      const only = parts.length === 1 ? parts[0] : undefined;
      text = new TextDecoder("utf-8", { fatal: true }).decode(only ?? joined(parts)).trim();
    } catch {
      yield { kind: "not-utf8" };
      return;
    }
    if (text !== "") yield { kind: "text", text };
  }
}

/** The id of a request that was dropped, where its first or last bytes show it. */
function idOf({ head, tail }: { head: Uint8Array; tail: Uint8Array }): MessageId {
  const decoder = new TextDecoder();
  const found = ID_IN_HEAD.exec(decoder.decode(head)) ?? ID_IN_TAIL.exec(decoder.decode(tail));
  if (!found?.[1]) return null;
  try {
    return answerId({ id: parseJson(found[1]) });
  } catch {
    return null; // no JSON string after all
  }
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
