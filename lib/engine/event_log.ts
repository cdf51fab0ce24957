/** Something that happened in the daemon, in the order it happened. */
export interface LoggedEvent {
  /** `<run of the daemon>-<sequence number>`. */
  id: string;
  seq: number;
  /** ISO 8601, in UTC. */
  at: string;
  /** `question`, `task`, `instance`, `lists`, `drift`, `configuration`, or `gap`. */
  type: string;
  data: unknown;
}

/** From where on events are wanted. */
export type EventPosition =
  /** Those that are published from now on. */
  | undefined
  /** After an event: its id, or its sequence number in this run of the daemon. */
  | { after: string }
  /** Published at this moment or later, ms since the epoch. */
  | { since: number };

/** What is told of events. It must not wait: what it cannot take it drops, and catches up by a later position. */
export type EventListener = (event: LoggedEvent) => void;

/** The last events, numbered, for whoever listens now and for whoever comes back. */
export class EventLog {
  /** Tells this run of the daemon from others. */
  readonly run: string;
  readonly #closing = new AbortController();
  readonly #keep: () => number;
  readonly #now: () => number;
  readonly #listeners = new Set<EventListener>();
  #events: LoggedEvent[] = [];
  #last = 0;

  constructor(options: { run: string; keep: () => number; now?: () => number }) {
    this.run = options.run;
    this.#keep = options.keep;
    this.#now = options.now ?? Date.now;
  }

  /** The id of the last event that was published. */
  get lastId(): string {
    return `${this.run}-${this.#last}`;
  }

  /** Aborted when there will be no more events: whoever follows them goes. */
  get closed(): AbortSignal {
    return this.#closing.signal;
  }

  /** Sends everybody away who follows the events. */
  close(): void {
    this.#closing.abort();
  }

  /** Numbers an event, keeps it, and tells all listeners. */
  publish(type: string, data: unknown): void {
    const seq = ++this.#last;
    const event = { id: `${this.run}-${seq}`, seq, at: new Date(this.#now()).toISOString(), type, data };
    this.#events.push(event);
    // In blocks: taking one out of a long array for each that comes in would cost more than the event.
    const keep = Math.max(1, this.#keep());
    if (this.#events.length > keep * 1.25 + 16) this.#events = this.#events.slice(-keep);
    for (const listener of [...this.#listeners]) listener(event);
  }

  /**
   * Tells a listener of what was kept from a position on, then of everything new. Where events between are lost, or belong to an
   * earlier run of the daemon, a `gap` comes first.
   *
   * @returns stops telling when disposed
   */
  listen(listener: EventListener, position?: EventPosition): Disposable {
    for (const event of this.replay(position)) listener(event);
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  /** What was kept from a position on. */
  replay(position: EventPosition): LoggedEvent[] {
    if (!position) return [];
    if ("since" in position) return this.#events.filter(({ at }) => Date.parse(at) >= position.since);
    const [, run, digits = ""] = /^(?:(.*)-)?(\d{1,15})$/.exec(position.after) ?? [];
    const seq = run === undefined || run === this.run ? Number(digits || NaN) : NaN;
    const first = this.#events[0]?.seq ?? this.#last + 1;
    const kept = this.#events.filter((event) => !(event.seq <= seq));
    if (seq >= first - 1 && seq <= this.#last) return kept;
    return [this.#gap(position.after, first), ...kept];
  }

  #gap(after: string, first: number): LoggedEvent {
    const seq = first - 1;
    return {
      id: `${this.run}-${seq}`,
      seq,
      at: new Date(this.#now()).toISOString(),
      type: "gap",
      data: { after, first, text: "Events between were not kept: read the state anew." },
    };
  }
}
