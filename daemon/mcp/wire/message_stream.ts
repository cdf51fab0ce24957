import type { JsonObject } from "../../../lib/schema/mod.ts";
import type { HostId } from "./host_message.ts";
import type { LoggedStream, MessageLog } from "./message_log.ts";
import { RPC } from "./rpc_error.ts";
import { StreamConnection } from "./stream_connection.ts";

/** What a stream is made with. */
export interface MessageStreamOptions {
  /** What counts its messages. */
  log: MessageLog;
  /** Begins the ids of its events; without it events have none, and what was sent is not kept. */
  name?: string;
  /** Called when a connection's reader goes away before the end. */
  onGone?: () => void;
}

/** How one connection of a stream is opened. */
export interface ConnectOptions {
  /** The number of the event after which it goes on; absent: after what was sent last. */
  after?: number;
  /** Whether an event without data comes first, whose id the host can resume from. */
  primes?: boolean;
  /** What it begins with, where that is not a comment. */
  head?: string;
  /** After how long it is ended, for the host to come back; absent or 0: never. */
  pollAfterMs?: number;
}

interface Entry {
  seq: number;
  bytes: Uint8Array;
  /** The request that it answers. */
  answers?: HostId;
  /** Whether it wants no answer and is none. */
  isNotice: boolean;
  isForgotten?: true;
  /** The text of a message that says nothing new when it comes twice. */
  repeated?: string;
}

/** How long a host waits before it comes back to a stream whose connection was ended, ms. */
const RETRY_MS = 500;
/** How much goes to a reader at once. */
const MOST_AT_ONCE = 64 * 1024;
/** What answers that wait for an open connection may come to, beyond a single one of any size. */
const MOST_HELD = { bytes: 64 * 1024 ** 2, messages: 10_000 };
const ENCODER = new TextEncoder();
const COMMENT = ENCODER.encode(": \n\n");
/** Notices whose second one, while the first still waits, tells nothing. */
const REPEATED = /\/(list_changed|updated)$/;

/**
 * The messages of one stream in their order, whatever connections come and go.
 *
 * It has one connection at a time. What was sent is kept for a host that resumes, as far as the session's log has room.
 */
export class MessageStream implements LoggedStream {
  readonly #log: MessageLog;
  readonly #name: string | undefined;
  readonly #onGone: () => void;
  #entries: Entry[] = [];
  #bytes = 0;
  #waiting = { bytes: 0, messages: 0 };
  #seq = 0;
  #sent = 0;
  #isWhole = false;
  #connection: StreamConnection | undefined;
  #poll: ReturnType<typeof setTimeout> | undefined;

  constructor({ log, name, onGone }: MessageStreamOptions) {
    this.#log = log;
    this.#name = name;
    this.#onGone = onGone ?? ((): void => undefined);
    log.add(this);
  }

  /** Whether a host reads it now. */
  get isConnected(): boolean {
    return this.#connection !== undefined;
  }

  /** Whether nothing is added any more. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  /** Whether it was read to its end. */
  get isSent(): boolean {
    return this.#isWhole && this.#sent === this.#seq;
  }

  /** Bytes of all that it holds. */
  get heldBytes(): number {
    return this.#bytes;
  }

  get spareBytes(): number {
    return this.#holds() ? this.#bytes - this.#waiting.bytes : this.#bytes;
  }

  get spareMessages(): number {
    return this.#entries.length - (this.#holds() ? this.#waiting.messages : 0);
  }

  /** Whether an event of that number was given out. */
  has(seq: number): boolean {
    return seq <= this.#seq;
  }

  /** Whether something comes after an event. */
  hasAfter(seq: number): boolean {
    return !this.#isWhole || this.#entries.some((entry) => entry.seq > seq);
  }

  /** Adds a message; one that answers a request is never left out without a word. */
  push(message: JsonObject, answers?: HostId): void {
    if (this.#isWhole) return;
    const text = JSON.stringify(message);
    const repeated = typeof message.method === "string" && REPEATED.test(message.method) ? text : undefined;
    if (
      repeated !== undefined && this.#entries.some((one) => one.seq > this.#sent && one.repeated === text)
    ) {
      return;
    }
    const seq = ++this.#seq;
    const entry: Entry = { seq, bytes: this.#event(seq, text), isNotice: message.id === undefined };
    this.#entries.push(
      Object.assign(
        entry,
        answers === undefined ? {} : { answers },
        repeated === undefined ? {} : { repeated },
      ),
    );
    this.#bytes += entry.bytes.length;
    if (answers !== undefined) this.#wait(entry, 1);
    this.#log.trim();
    this.#connection?.wake();
  }

  /** Ends the stream after what was added. */
  finish(): void {
    this.#isWhole = true;
    this.#connection?.wake();
  }

  /** Ends the stream at once and forgets it. */
  close(): void {
    this.#isWhole = true;
    this.#detach();
    this.#entries = [];
    this.#bytes = 0;
    this.#waiting = { bytes: 0, messages: 0 };
    this.#log.remove(this);
  }

  /** Opens a connection; an earlier one ends. */
  connect(options: ConnectOptions = {}): ReadableStream<Uint8Array> {
    const { after, primes = false, pollAfterMs = 0, head: begin } = options;
    this.#detach();
    if (after !== undefined) this.#rewind(after);
    // Where something waits already, its own id comes soon enough, and one before it would let it be passed over.
    const isPrimed = primes && this.#name !== undefined && !this.#entries.some(({ seq }) => seq > this.#sent);
    let head: Uint8Array | undefined = begin === undefined ? COMMENT : ENCODER.encode(begin);
    if (isPrimed) {
      head = ENCODER.encode(`id: ${this.#name}-${++this.#seq}\ndata:\n\n`);
      this.#sent = this.#seq;
    }
    const connection = new StreamConnection({
      next: () => {
        const first = head;
        head = undefined;
        return first ?? this.#next();
      },
      onGone: () => {
        if (this.#connection === connection) this.#detach();
        this.#log.trim();
        this.#onGone();
      },
    });
    this.#connection = connection;
    if (pollAfterMs > 0) this.#poll = setTimeout(() => this.#letGo(), pollAfterMs);
    return connection.body;
  }

  forgetOldest(): void {
    const spare = this.#entries.filter((entry) => !this.#isHeld(entry));
    const oldest = spare.find(({ isNotice }) => isNotice) ?? spare.find(({ isForgotten }) => !isForgotten) ??
      spare[0];
    if (oldest?.answers === undefined || oldest.isForgotten) return this.#drop(oldest);
    const error = { code: RPC.internal, message: "The answer came while nobody read it, and is not kept." };
    const text = JSON.stringify({ jsonrpc: "2.0", id: oldest.answers, error });
    this.#wait(oldest, -1);
    this.#bytes -= oldest.bytes.length;
    oldest.bytes = this.#event(oldest.seq, text);
    oldest.isForgotten = true;
    this.#bytes += oldest.bytes.length;
    this.#wait(oldest, 1);
  }

  #next(): Uint8Array | "wait" | "end" {
    const chunks: Uint8Array[] = [];
    let size = 0;
    const from = this.#entries.findIndex(({ seq }) => seq > this.#sent);
    let upTo = from < 0 ? this.#entries.length : from;
    while (from >= 0 && upTo < this.#entries.length && size < MOST_AT_ONCE) {
      const entry = this.#entries[upTo++];
      if (!entry) break;
      chunks.push(entry.bytes);
      size += entry.bytes.length;
      this.#wait(entry, -1);
      this.#sent = entry.seq;
    }
    if (size === 0) {
      if (!this.#isWhole) return "wait";
      this.#sent = this.#seq;
      this.#detach();
      return "end";
    }
    if (this.#name === undefined) {
      this.#entries.splice(0, upTo);
      this.#bytes -= size;
    }
    this.#log.trim();
    return chunks.length === 1 && chunks[0] ? chunks[0] : joined(chunks, size);
  }

  /** Ends the connection and not the stream: the host is told when to come back. */
  #letGo(): void {
    const connection = this.#connection;
    this.#connection = undefined;
    connection?.end(ENCODER.encode(`retry: ${RETRY_MS}\n\n`));
    this.#log.trim();
  }

  #detach(): void {
    clearTimeout(this.#poll);
    const connection = this.#connection;
    this.#connection = undefined;
    connection?.end();
  }

  /** Goes back to what comes after an event. */
  #rewind(after: number): void {
    this.#sent = Math.min(after, this.#seq);
    this.#waiting = { bytes: 0, messages: 0 };
    for (const entry of this.#entries) this.#wait(entry, 1);
  }

  /** Counts an answer that nobody has read yet, in or out. */
  #wait(entry: Entry, sign: 1 | -1): void {
    if (entry.answers === undefined || entry.seq <= this.#sent) return;
    this.#waiting.bytes += sign * entry.bytes.length;
    this.#waiting.messages += sign;
  }

  /** Whether answers wait for the connection: one that takes none of a great many is as good as none. */
  #holds(): boolean {
    const { bytes, messages } = this.#waiting;
    return this.#connection !== undefined &&
      (messages <= 1 || (bytes <= MOST_HELD.bytes && messages <= MOST_HELD.messages));
  }

  #isHeld(entry: Entry): boolean {
    return this.#holds() && entry.answers !== undefined && entry.seq > this.#sent;
  }

  #drop(entry: Entry | undefined): void {
    if (!entry) return;
    this.#wait(entry, -1);
    this.#bytes -= entry.bytes.length;
    this.#entries.splice(this.#entries.indexOf(entry), 1);
  }

  #event(seq: number, text: string): Uint8Array {
    const id = this.#name === undefined ? "" : `id: ${this.#name}-${seq}\n`;
    return ENCODER.encode(`${id}event: message\ndata: ${text}\n\n`);
  }
}

function joined(chunks: readonly Uint8Array[], size: number): Uint8Array {
  const all = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
}
