const NEWLINE = 10;
/** How much of a dropped line's start and end is kept, to tell which request it answered. */
const EDGE_BYTES = 256;

/** What is left of a line that was longer than the limit. */
export interface DroppedLine {
  bytes: number;
  head: Uint8Array;
  tail: Uint8Array;
}

/**
 * Cuts a byte stream into lines, in time linear in its length and memory bounded by the limit.
 *
 * Lines are cut as bytes, so a character split over two chunks arrives whole.
 */
export class LineSplitter {
  readonly #limit: number;
  /** The line is lent: it may lie in the caller's chunk. */
  readonly #onLine: (line: Uint8Array) => void;
  readonly #onDropped: (line: DroppedLine) => void;
  #parts: Uint8Array[] = [];
  #size = 0;
  #dropped: DroppedLine | undefined;

  constructor(
    limit: number,
    onLine: (line: Uint8Array) => void,
    onDropped: (line: DroppedLine) => void,
  ) {
    this.#limit = limit;
    this.#onLine = onLine;
    this.#onDropped = onDropped;
  }

  /** Takes the next chunk, which is the caller's again afterwards: what has to wait for its line's end is copied. */
  push(chunk: Uint8Array): void {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      this.#add(chunk.subarray(start, end));
      this.#finish();
      start = end + 1;
    }
    if (start < chunk.length) this.#add(chunk.slice(start));
  }

  /** Ends the stream: what came after the last newline is a line too. */
  end(): void {
    if (this.#size > 0) this.#finish();
  }

  #add(part: Uint8Array): void {
    this.#size += part.length;
    if (this.#dropped) {
      this.#dropped.tail = lastBytes(this.#dropped.tail, part);
    } else if (this.#size > this.#limit) {
      const whole = concatBytes([...this.#parts, part]);
      this.#dropped = { bytes: 0, head: whole.slice(0, EDGE_BYTES), tail: whole.slice(-EDGE_BYTES) };
      this.#parts = [];
    } else {
      this.#parts.push(part);
    }
  }

  #finish(): void {
    const dropped = this.#dropped;
    const line = this.#parts.length === 1 ? this.#parts[0] : concatBytes(this.#parts);
    const size = this.#size;
    this.#parts = [];
    this.#size = 0;
    this.#dropped = undefined;
    if (dropped) this.#onDropped({ ...dropped, bytes: size });
    else if (line) this.#onLine(line);
  }
}

function lastBytes(before: Uint8Array, part: Uint8Array): Uint8Array {
  if (part.length >= EDGE_BYTES) return part.slice(-EDGE_BYTES);
  return concatBytes([before, part]).slice(-EDGE_BYTES);
}

/** Joins byte arrays into one. */
export function concatBytes(parts: Uint8Array[]): Uint8Array {
  let size = 0;
  for (const part of parts) size += part.length;
  const whole = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
