import type { JsonObject } from "../../../lib/schema/mod.ts";
import type { LogAllowance } from "../wire/log_allowance.ts";
import { MessageLog } from "../wire/message_log.ts";
import { MessageStream } from "../wire/message_stream.ts";

/** Where a host wants to go on. */
export interface ResumePoint {
  stream: MessageStream;
  /** The number of the last event that it got. */
  after: number;
}

/** How long a stream that was read to its end can be asked for again, ms. */
const KEPT_MS = 300_000;
/** How many streams of answers may be remembered, beside those that go on. */
const MOST_REPLIES = 1000;

/** Notices that a host wants to find when it listens for the first time. */
const AWAITED = /\/(list_changed|updated|complete|tasks\/status)$/;

/** How the streams of a session are made. */
export interface SessionStreamsOptions {
  /** Makes the stream that messages without a request of their own go to, where it is not one to resume. */
  standing?: (log: MessageLog) => MessageStream;
  /** What they may hold together with those of other sessions. */
  allowance?: LogAllowance;
}

/** The streams of one session: the one on which it speaks of its own accord, and one for each POST that is answered with events. */
export class SessionStreams {
  /** What all of them hold. */
  readonly log: MessageLog;
  readonly standing: MessageStream;
  /** Whether they can be gone on with after a connection broke. */
  readonly isResumable: boolean;
  /** Begins every event's id: one of another session names nothing here. */
  readonly #tag = crypto.randomUUID().slice(0, 8);
  readonly #replies = new Map<string, { stream: MessageStream; endedAt?: number }>();
  #next = 1;

  constructor({ standing, allowance }: SessionStreamsOptions = {}) {
    const log = new MessageLog(allowance ? { allowance } : {});
    this.log = log;
    this.isResumable = standing === undefined;
    this.standing = standing?.(log) ?? new MessageStream({ log, name: `${this.#tag}-0` });
  }

  /** Whether a host listens to what is said of the session's own accord. */
  get isOpen(): boolean {
    return this.standing.isConnected;
  }

  /** Sends a message now, or once a host listens; what one that never did would not miss is not kept for it. */
  push(message: JsonObject): void {
    const { id, method } = message;
    const isNotice = id === undefined && typeof method === "string";
    if (isNotice && !this.standing.wasConnected && !AWAITED.test(method)) return;
    this.standing.push(message);
  }

  /** A stream for the answers to one POST. */
  reply(): MessageStream {
    this.prune();
    const name = `${this.#tag}-${this.#next++}`;
    const stream = new MessageStream({ log: this.log, name });
    this.#replies.set(name, { stream });
    return stream;
  }

  /** Finds the event of an id; none where it was never given out or its stream is forgotten. */
  find(eventId: string): ResumePoint | undefined {
    const [, name = "", digits = ""] = /^([0-9a-f]{8}-\d+)-(\d{1,15})$/.exec(eventId) ?? [];
    const stream = name === `${this.#tag}-0` ? this.standing : this.#replies.get(name)?.stream;
    const after = Number(digits);
    return stream?.has(after) ? { stream, after } : undefined;
  }

  /** Forgets streams to which nobody comes back: some time after they ended, and the oldest where there are too many. */
  prune(now: number = Date.now()): void {
    for (const [name, reply] of this.#replies) {
      const { stream } = reply;
      if (!stream.isWhole || stream.isConnected) continue;
      reply.endedAt ??= now;
      const isEmpty = stream.isSent || stream.held.messages === 0;
      if (this.#replies.size <= MOST_REPLIES && !(isEmpty && now - reply.endedAt > KEPT_MS)) continue;
      stream.close();
      this.#replies.delete(name);
    }
  }

  /** Ends all of them after what was added. */
  finish(): void {
    for (const { stream } of this.#replies.values()) stream.finish();
    this.standing.finish();
  }

  /** Ends all of them at once. */
  close(): void {
    for (const { stream } of this.#replies.values()) stream.close();
    this.#replies.clear();
    this.standing.close();
  }
}
