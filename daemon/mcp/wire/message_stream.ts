import type { JsonObject } from "../../../lib/schema/mod.ts";
import type { HostId } from "./host_message.ts";
import { type Amount, KeptMessages, type Loss } from "./kept_messages.ts";
import type { LoggedStream, MessageLog } from "./message_log.ts";
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

/** How long a host waits before it comes back to a stream whose connection was ended, ms. */
const RETRY_MS = 500;
/** How much goes to a reader at once. */
const MOST_AT_ONCE = 64 * 1024;
const ENCODER = new TextEncoder();
const COMMENT = ": \n\n";

/**
 * The messages of one stream in their order, whatever connections come and go.
 *
 * It has one connection at a time. What was sent is kept for a host that resumes, as far as the session's log has room.
 */
export class MessageStream implements LoggedStream {
  readonly #log: MessageLog;
  readonly #onGone: () => void;
  readonly #messages: KeptMessages;
  #isWhole = false;
  #wasConnected = false;
  #connection: StreamConnection | undefined;
  #poll: ReturnType<typeof setTimeout> | undefined;

  constructor({ log, name, onGone }: MessageStreamOptions) {
    this.#log = log;
    this.#messages = new KeptMessages(name);
    this.#onGone = onGone ?? ((): void => undefined);
    log.add(this);
  }

  /** Whether a host reads it now. */
  get isConnected(): boolean {
    return this.#connection !== undefined;
  }

  /** Whether a host ever read it. */
  get wasConnected(): boolean {
    return this.#wasConnected;
  }

  /** Whether nothing is added any more. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  /** Whether it was read to its end. */
  get isSent(): boolean {
    return this.#isWhole && this.#messages.sent === this.#messages.last;
  }

  /** All that it holds. */
  get held(): Amount {
    return this.#messages.held;
  }

  spare(loss: Loss): Amount {
    return this.#messages.spare(this.isConnected, loss);
  }

  /** Whether an event of that number was given out. */
  has(seq: number): boolean {
    return seq <= this.#messages.last;
  }

  /** Whether something comes after an event, or still may. */
  hasAfter(seq: number): boolean {
    return !this.#isWhole || this.#messages.hasAfter(seq);
  }

  /** Adds a message; one that answers a request is never left out without a word. */
  push(message: JsonObject, answers?: HostId): void {
    if (this.#isWhole) return;
    this.#messages.add(message, answers);
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
    this.#messages.clear();
    this.#log.remove(this);
  }

  /** Opens a connection; an earlier one ends. */
  connect(options: ConnectOptions = {}): ReadableStream<Uint8Array> {
    const { after, primes = false, head = COMMENT, pollAfterMs = 0 } = options;
    this.#detach();
    if (after !== undefined) this.#messages.rewind(after);
    // Where something waits already, its own id comes soon enough, and one before it would let it be passed over.
    const primed = primes && !this.#messages.hasUnsent ? this.#messages.prime() : undefined;
    let first: Uint8Array | undefined = primed ?? ENCODER.encode(head);
    const connection = new StreamConnection({
      next: () => {
        const begin = first;
        first = undefined;
        return begin ?? this.#next();
      },
      onGone: () => {
        if (this.#connection === connection) this.#detach();
        this.#log.trim();
        this.#onGone();
      },
    });
    this.#connection = connection;
    this.#wasConnected = true;
    if (pollAfterMs > 0) this.#poll = setTimeout(() => this.#letGo(), pollAfterMs);
    return connection.body;
  }

  forgetOldest(loss: Loss): void {
    this.#messages.forgetOldest(this.isConnected, loss);
  }

  #next(): Uint8Array | "wait" | "end" {
    const bytes = this.#messages.take(MOST_AT_ONCE);
    if (bytes) {
      this.#log.trim();
      return bytes;
    }
    if (!this.#isWhole) return "wait";
    this.#messages.end();
    this.#detach();
    return "end";
  }

  /** Ends the connection and not the stream: the host is told when to come back. */
  #letGo(): void {
    this.#detach(ENCODER.encode(`retry: ${RETRY_MS}\n\n`));
    this.#log.trim();
  }

  #detach(last?: Uint8Array): void {
    clearTimeout(this.#poll);
    const connection = this.#connection;
    this.#connection = undefined;
    connection?.end(last);
  }
}
