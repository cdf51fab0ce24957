import { join } from "node:path";
import { type CatalogHistory, emptyHistory, parseHistory, printHistory } from "../diagnose/mod.ts";
import { McpxError } from "../errors/mod.ts";
import { readTextIfPresent, setAside, writeFileAtomic } from "./atomic_file.ts";
import { ensurePrivateFolder } from "./private_folder.ts";

/** What a history store is made with. */
export interface HistoryStoreOptions {
  /** Told when a file had to be set aside: a sentence that names where it is now. */
  onSetAside(message: string): void;
  now?: () => Date;
  /** How long another process's writing is waited for, ms; default 10 s. */
  lockTimeoutMs?: number;
}

const LOCK_POLL_MS = 20;

/** The recorded changes of every schema, in one file that several daemons write: `<state>/catalog-history.json`. */
export class HistoryStore {
  readonly #folder: string;
  readonly #options: HistoryStoreOptions;
  /** What the file held when it was last read or written, and by what it would be known to have changed since. */
  #known: { stamp: string; history: CatalogHistory } | undefined;

  constructor(folder: string, options: HistoryStoreOptions) {
    this.#folder = folder;
    this.#options = options;
  }

  /** What is recorded; a file that cannot be used is set aside, kept, and reported. */
  async read(): Promise<CatalogHistory> {
    const stamp = await this.#stamp();
    if (stamp === undefined) return emptyHistory();
    if (this.#known?.stamp === stamp) return this.#known.history;
    const message = await this.#readFile(stamp);
    if (message === undefined) return this.#known?.history ?? emptyHistory();
    // What this process has read before is not lost with the file.
    const history = this.#known?.history ?? emptyHistory();
    this.#known = { stamp, history };
    this.#options.onSetAside(`${message} ${await this.#setAside()}`);
    return history;
  }

  /**
   * Changes what is recorded, one writer at a time over all processes.
   *
   * @param change gives the next state, or nothing where nothing is to be written
   * @throws {McpxError} `state-unwritable`
   */
  async update(change: (history: CatalogHistory) => CatalogHistory | undefined): Promise<CatalogHistory> {
    await ensurePrivateFolder(this.#folder);
    using _lock = await this.#lock();
    const history = await this.read();
    const next = change(history);
    if (!next) return history;
    await writeFileAtomic(this.#path, printHistory(next));
    const stamp = await this.#stamp();
    this.#known = stamp === undefined ? undefined : { stamp, history: next };
    return next;
  }

  get #path(): string {
    return join(this.#folder, "catalog-history.json");
  }

  /** What tells one state of the file from another: every writing makes a new file. */
  async #stamp(): Promise<string | undefined> {
    try {
      const { ino, size, mtime } = await Deno.stat(this.#path);
      return `${ino}:${size}:${mtime?.getTime()}`;
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return undefined;
      throw unusable(this.#path, error);
    }
  }

  /** Reads and remembers the file; gives a sentence where it cannot be used. */
  async #readFile(stamp: string): Promise<string | undefined> {
    let text: string | undefined;
    try {
      text = await readTextIfPresent(this.#path);
    } catch (error) {
      return `The history file cannot be read: ${messageOf(error)}.`;
    }
    const parsed = text === undefined ? { ok: true as const, history: emptyHistory() } : parseHistory(text);
    if (!parsed.ok) return parsed.message;
    this.#known = { stamp, history: parsed.history };
    return undefined;
  }

  async #setAside(): Promise<string> {
    try {
      const aside = await setAside(this.#path, this.#options.now?.() ?? new Date());
      return `It was set aside as ${aside}; what this daemon knows is recorded anew.`;
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return "Another process has set it aside.";
      return `It could not be set aside: ${messageOf(error)}.`;
    }
  }

  /** The lock that every writer takes; a process that hangs with it is not waited for without end. */
  async #lock(): Promise<Disposable> {
    const path = `${this.#path}.lock`;
    let file: Deno.FsFile;
    try {
      file = await Deno.open(path, { create: true, write: true, mode: 0o600 });
    } catch (error) {
      throw unusable(path, error);
    }
    const deadline = Date.now() + (this.#options.lockTimeoutMs ?? 10_000);
    try {
      while (!await file.tryLock(true)) {
        if (Date.now() > deadline) {
          throw new McpxError("state-unwritable", `Cannot record changes: another process holds ${path}.`, {
            hint: "mcpx daemons",
            data: { path },
          });
        }
        const { promise, resolve } = Promise.withResolvers<void>();
        setTimeout(resolve, LOCK_POLL_MS);
        await promise;
      }
    } catch (error) {
      file.close();
      throw error;
    }
    return file;
  }
}

function unusable(path: string, cause: unknown): McpxError {
  return new McpxError("state-unwritable", `Cannot use ${path}: ${messageOf(cause)}.`, {
    cause,
    hint: "Check its permissions, or set XDG_STATE_HOME to another place.",
    data: { path },
  });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
