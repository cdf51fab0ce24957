import { McpxError } from "../errors/mod.ts";
import type { UpstreamConnection } from "../mcp/mod.ts";
import type { InstanceView } from "../pool/mod.ts";

/** The levels of MCP's log messages, least serious first. */
export const LOG_LEVELS: readonly string[] = [
  "debug",
  "info",
  "notice",
  "warning",
  "error",
  "critical",
  "alert",
  "emergency",
];

/** What a host hears that has said nothing of levels. */
export const USUAL_LEVEL = "info";

/** A host that hears what servers say. */
export interface LogReader {
  /** The lowest level that it asked for; undefined while it has not asked. */
  asked(): string | undefined;
  /** Whether an instance is one of those that it hears. */
  hears(instance: InstanceView): boolean;
}

/** What one connection was told. */
interface Told {
  level?: string;
  /** The scope key of its instance when that was decided: a spare gets another one with its first caller. */
  key?: string;
  telling: Promise<void>;
  /** Levels that requests under way want. */
  readonly wanted: string[];
}

const NOTHING: Disposable = { [Symbol.dispose]: () => undefined };
/** How long a server may take over a level, ms. */
const TELL_MS = 5000;

/**
 * How much each legacy server says: as much as the most curious of those wants who share its instance. A server that nobody has
 * asked for a level chooses for itself. Modern servers are told with each request instead.
 */
export class LogLevels {
  readonly #readers = new Set<LogReader>();
  readonly #told = new WeakMap<UpstreamConnection, Told>();
  readonly #instances: () => readonly InstanceView[];
  readonly #note: (text: string) => void;

  /**
   * @param options.instances what serves now
   * @param options.note told of a server that does not take a level
   */
  constructor(options: { instances: () => readonly InstanceView[]; note: (text: string) => void }) {
    this.#instances = options.instances;
    this.#note = options.note;
  }

  /** Counts a host in until what comes back is disposed; call {@link LogLevels.reconsider} when it asks for another level. */
  join(reader: LogReader): Disposable {
    this.#readers.add(reader);
    this.reconsider();
    return {
      [Symbol.dispose]: () => {
        if (this.#readers.delete(reader)) this.reconsider();
      },
    };
  }

  /** Tells every instance whose readers want something else than it was told. */
  reconsider(): void {
    for (const instance of this.#instances()) void this.settle(instance);
  }

  /** Tells one instance what its readers want, where that is not what it was told; settles when it has heard. */
  async settle(instance: InstanceView): Promise<void> {
    const { connection } = instance;
    if (!connection || connection.era !== "legacy" || connection.capabilities.logging === undefined) return;
    const told = this.#of(connection);
    told.key = instance.key;
    const level = this.#wanted(instance, told);
    if (level !== undefined && level !== told.level) {
      told.level = level;
      told.telling = told.telling.then(() => this.#tell(instance.server.name, connection, level));
    }
    await told.telling;
  }

  /** Has an instance say at least as much as a request wants to hear, until what comes back is disposed. */
  async during(instance: InstanceView, level: string | undefined): Promise<Disposable> {
    const { connection, key } = instance;
    const told = connection && this.#of(connection);
    // What readers want of it was told when it started, and whenever they changed their minds.
    if (!told || (level === undefined && told.key === key)) return NOTHING;
    const { wanted } = told;
    if (level !== undefined) wanted.push(level);
    await this.settle(instance);
    return {
      [Symbol.dispose]: () => {
        const at = level === undefined ? -1 : wanted.indexOf(level);
        if (at < 0) return;
        wanted.splice(at, 1);
        void this.settle(instance);
      },
    };
  }

  /** An instance has a new session, which was told nothing. */
  renewed(instance: InstanceView): void {
    if (instance.connection) delete this.#of(instance.connection).level;
    void this.settle(instance);
  }

  #of(connection: UpstreamConnection): Told {
    let told = this.#told.get(connection);
    if (!told) this.#told.set(connection, told = { telling: Promise.resolve(), wanted: [] });
    return told;
  }

  /** The lowest level that is wanted; nothing while nobody has asked for one. */
  #wanted(instance: InstanceView, { level, wanted }: Told): string | undefined {
    const isUntouched = wanted.length === 0 && level === undefined;
    if (isUntouched && ![...this.#readers].some((reader) => reader.asked() !== undefined)) return undefined;
    const readers = [...this.#readers].filter((reader) => reader.hears(instance));
    const asked = readers.flatMap((reader) => reader.asked() ?? []);
    if (isUntouched && asked.length === 0) return undefined;
    const all = [...asked, ...wanted];
    // Who has not asked hears what is usual, and so does a server whose askers have gone.
    if (asked.length < readers.length || all.length === 0) all.push(USUAL_LEVEL);
    return LOG_LEVELS.find((one) => all.includes(one));
  }

  async #tell(server: string, connection: UpstreamConnection, level: string): Promise<void> {
    try {
      await connection.request("logging/setLevel", { level }, { timeoutMs: TELL_MS });
    } catch (error) {
      this.#note(`${server} did not take the log level: ${McpxError.from(error).message}`);
    }
  }
}
