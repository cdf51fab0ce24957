import type { JsonObject } from "../../../lib/schema/mod.ts";
import type { HostId } from "./host_message.ts";
import { RPC } from "./rpc_error.ts";

interface Kept {
  seq: number;
  /** Its event, whose id is left out of a notice: streams that are told the same share its bytes. */
  bytes: Uint8Array;
  /** The request that it answers. */
  answers?: HostId;
  /** Whether it wants no answer and is none. */
  isNotice: boolean;
  isForgotten?: true;
  /** The text of a message that says nothing new when it comes twice. */
  repeated?: string;
}

/** Messages, by their bytes and their number. */
export interface Amount {
  bytes: number;
  messages: number;
}

/** What may be forgotten: first what was delivered, then what nobody listens for, last what an open connection waits for. */
export const LOSSES = ["delivered", "unheard", "any"] as const;

/** How far forgetting goes; each includes those before it. */
export type Loss = (typeof LOSSES)[number];

/** What answers that wait for an open connection may come to, beyond a single one of any size. */
const MOST_HELD: Amount = { bytes: 64 * 1024 ** 2, messages: 10_000 };
/** How many other messages may wait for an open connection, whatever else is kept. */
const MOST_COMING = 10_000;
const ENCODER = new TextEncoder();
/** The events of notices, without their ids. */
const NOTICES = new WeakMap<JsonObject, Uint8Array>();
/** Notices whose second one, while the first still waits, tells nothing. */
const REPEATED = /\/(list_changed|updated)$/;

/** The numbered messages of one stream, and how far they were sent. */
export class KeptMessages {
  readonly #name: string | undefined;
  readonly #kept: Kept[] = [];
  #bytes = 0;
  /** What was not sent yet. */
  readonly #unsent: Amount = { bytes: 0, messages: 0 };
  /** The answers among that. */
  readonly #waiting: Amount = { bytes: 0, messages: 0 };
  /** Texts that need not be added while they wait. */
  readonly #repeated = new Set<string>();
  #seq = 0;
  #sent = 0;

  /** @param name begins the ids of the events; without it they have none, and what was sent is not kept */
  constructor(name: string | undefined) {
    this.#name = name;
  }

  /** All that is kept. */
  get held(): Amount {
    return { bytes: this.#bytes, messages: this.#kept.length };
  }

  /** The number that was given out last. */
  get last(): number {
    return this.#seq;
  }

  /** The number of the last message that was sent. */
  get sent(): number {
    return this.#sent;
  }

  /** Whether something waits to be sent. */
  get hasUnsent(): boolean {
    return (this.#kept.at(-1)?.seq ?? 0) > this.#sent;
  }

  /** Whether something comes after a number. */
  hasAfter(seq: number): boolean {
    return (this.#kept.at(-1)?.seq ?? 0) > seq;
  }

  /**
   * What may be forgotten. While a connection is open, answers wait for it, unless it takes none of a great many; and how many
   * other messages wait says nothing: a host that reads is late for what comes all at once.
   */
  spare(isOpen: boolean, loss: Loss): Amount {
    const { bytes, messages } = this.held;
    if (isOpen ? loss !== "any" : loss === "delivered") {
      return { bytes: bytes - this.#unsent.bytes, messages: messages - this.#unsent.messages };
    }
    if (!isOpen) return { bytes, messages };
    const coming = Math.min(this.#unsent.messages - this.#waiting.messages, MOST_COMING);
    const answers = this.#holds(isOpen) ? this.#waiting : { bytes: 0, messages: 0 };
    return { bytes: bytes - answers.bytes, messages: messages - answers.messages - coming };
  }

  /** Adds a message, but for a notice that waits already. */
  add(message: JsonObject, answers?: HostId): void {
    const { id, method } = message;
    const repeated = typeof method === "string" && REPEATED.test(method)
      ? JSON.stringify(message)
      : undefined;
    if (repeated !== undefined && this.#repeated.has(repeated)) return;
    const seq = ++this.#seq;
    const kept: Kept = {
      seq,
      bytes: id === undefined ? noticeOf(message) : this.#event(seq, JSON.stringify(message)),
      isNotice: id === undefined,
      ...(answers === undefined ? {} : { answers }),
      ...(repeated === undefined ? {} : { repeated }),
    };
    this.#kept.push(kept);
    this.#count(kept, 1);
  }

  /** An event without data, whose id is a place to go on from; nothing where events have no ids. */
  prime(): Uint8Array | undefined {
    if (this.#name === undefined) return undefined;
    this.#sent = ++this.#seq;
    return ENCODER.encode(`id: ${this.#name}-${this.#seq}\ndata:\n\n`);
  }

  /** Takes what is to be sent next, up to about so many bytes; nothing where nothing waits. */
  take(most: number): Uint8Array | undefined {
    const from = this.#kept.findIndex(({ seq }) => seq > this.#sent);
    if (from < 0) return undefined;
    const chunks: Uint8Array[] = [];
    let [to, size] = [from, 0];
    for (; to < this.#kept.length && size < most; to++) {
      const kept = this.#kept[to];
      if (!kept) break;
      if (kept.isNotice) chunks.push(ENCODER.encode(this.#id(kept.seq)));
      chunks.push(kept.bytes);
      size += kept.bytes.length;
      this.#wait(kept, -1);
      this.#sent = kept.seq;
    }
    if (this.#name === undefined) {
      for (const { bytes } of this.#kept.splice(0, to)) this.#bytes -= bytes.length;
    }
    return chunks.length === 1 ? chunks[0] : joined(chunks);
  }

  /** Says that nothing is left to send. */
  end(): void {
    this.#sent = this.#seq;
  }

  /** Goes back to what comes after a number. */
  rewind(after: number): void {
    for (const kept of this.#kept) this.#wait(kept, -1);
    this.#sent = Math.min(after, this.#seq);
    for (const kept of this.#kept) this.#wait(kept, 1);
  }

  /** Forgets the oldest notice that may be, else the oldest question; an answer becomes an error of its request first. */
  forgetOldest(isOpen: boolean, loss: Loss): void {
    const holds = this.#holds(isOpen);
    const onlySent = isOpen ? loss !== "any" : loss === "delivered";
    const may = ({ answers, seq }: Kept): boolean =>
      seq <= this.#sent || (!onlySent && (!holds || answers === undefined));
    const oldest = this.#kept.find((one) => one.isNotice && may(one)) ??
      this.#kept.find((one) => !one.isForgotten && may(one)) ?? this.#kept.find(may);
    if (!oldest) return;
    this.#count(oldest, -1);
    if (oldest.answers === undefined || oldest.isForgotten) {
      this.#kept.splice(this.#kept.indexOf(oldest), 1);
      return;
    }
    const error = { code: RPC.internal, message: "The answer came while nobody read it, and is not kept." };
    const text = JSON.stringify({ jsonrpc: "2.0", id: oldest.answers, error });
    oldest.bytes = this.#event(oldest.seq, text);
    oldest.isForgotten = true;
    this.#count(oldest, 1);
  }

  clear(): void {
    for (const kept of this.#kept.splice(0)) this.#count(kept, -1);
  }

  #holds(isOpen: boolean): boolean {
    const { bytes, messages } = this.#waiting;
    return isOpen && (messages <= 1 || (bytes <= MOST_HELD.bytes && messages <= MOST_HELD.messages));
  }

  #count(kept: Kept, sign: 1 | -1): void {
    this.#bytes += sign * kept.bytes.length;
    this.#wait(kept, sign);
  }

  /** Counts a message that was not sent yet, in or out. */
  #wait({ answers, bytes, seq, repeated }: Kept, sign: 1 | -1): void {
    if (seq <= this.#sent) return;
    for (const amount of answers === undefined ? [this.#unsent] : [this.#unsent, this.#waiting]) {
      amount.bytes += sign * bytes.length;
      amount.messages += sign;
    }
    if (repeated === undefined) return;
    if (sign > 0) this.#repeated.add(repeated);
    else this.#repeated.delete(repeated);
  }

  #event(seq: number, text: string): Uint8Array {
    return ENCODER.encode(`${this.#id(seq)}${eventOf(text)}`);
  }

  #id(seq: number): string {
    return this.#name === undefined ? "" : `id: ${this.#name}-${seq}\n`;
  }
}

function eventOf(text: string): string {
  return `event: message\ndata: ${text}\n\n`;
}

function noticeOf(message: JsonObject): Uint8Array {
  const known = NOTICES.get(message);
  if (known) return known;
  const bytes = ENCODER.encode(eventOf(JSON.stringify(message)));
  NOTICES.set(message, bytes);
  return bytes;
}

function joined(chunks: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(chunks.reduce((size, { length }) => size + length, 0));
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
}
