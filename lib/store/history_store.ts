import { join } from "node:path";
import { type CatalogHistory, emptyHistory, parseHistory, printHistory } from "../diagnose/mod.ts";
import { readTextIfPresent, setAside, writeFileAtomic } from "./atomic_file.ts";
import { ensurePrivateFolder } from "./private_folder.ts";

/** What a history store is made with. */
export interface HistoryStoreOptions {
  /** Told when a file had to be set aside: a sentence that names where it is now. */
  onSetAside(message: string): void;
  now?: () => Date;
}

/** The recorded changes of every schema, in one file that several daemons write: `<state>/catalog-history.json`. */
export class HistoryStore {
  readonly #folder: string;
  readonly #options: HistoryStoreOptions;

  constructor(folder: string, options: HistoryStoreOptions) {
    this.#folder = folder;
    this.#options = options;
  }

  /** What is recorded; a file that cannot be used is set aside, kept, and reported. */
  async read(): Promise<CatalogHistory> {
    const text = await readTextIfPresent(this.#path);
    if (text === undefined) return emptyHistory();
    const parsed = parseHistory(text);
    if (parsed.ok) return parsed.history;
    const aside = await setAside(this.#path, this.#options.now?.() ?? new Date());
    this.#options.onSetAside(`${parsed.message} It was set aside as ${aside}; recording starts anew.`);
    return emptyHistory();
  }

  /**
   * Changes what is recorded, one writer at a time over all processes.
   *
   * @param change gives the next state, or nothing where nothing is to be written
   * @throws {McpxError} `state-unwritable`
   */
  async update(change: (history: CatalogHistory) => CatalogHistory | undefined): Promise<CatalogHistory> {
    await ensurePrivateFolder(this.#folder);
    using lock = await Deno.open(`${this.#path}.lock`, { create: true, write: true, mode: 0o600 });
    await lock.lock(true);
    const history = await this.read();
    const next = change(history);
    if (!next) return history;
    await writeFileAtomic(this.#path, printHistory(next));
    return next;
  }

  get #path(): string {
    return join(this.#folder, "catalog-history.json");
  }
}
