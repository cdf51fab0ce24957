import { join } from "node:path";
import { claimPrivateFolder } from "./private_folder.ts";

/** What a folder is tried with. */
export interface UsableFolderOptions {
  /** What it is for, such as `the cache of schemas`. */
  what: string;
  /** Told once, with a sentence, when the folder cannot be used. */
  onUnusable(message: string): void;
  /** Whether a temporary folder stands in for it; otherwise there is none. */
  temporary?: boolean;
}

/**
 * A folder that things are kept in, where it can be used: a file in its place, another user's folder or one that cannot be written
 * keeps nothing from working.
 */
export class UsableFolder implements AsyncDisposable {
  readonly #wanted: string;
  readonly #options: UsableFolderOptions;
  #found: Promise<string | undefined> | undefined;
  #temporary: string | undefined;
  #told = false;

  constructor(path: string, options: UsableFolderOptions) {
    this.#wanted = path;
    this.#options = options;
  }

  /** The folder, made where it is missing; nothing where there is none to use. */
  path(): Promise<string | undefined> {
    return this.#found ??= this.#find();
  }

  /** Tells that the folder does not do what it is for; the first time only. */
  unusable(cause: unknown): void {
    if (this.#told) return;
    this.#told = true;
    const { what, temporary, onUnusable } = this.#options;
    const first = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause;
    const reason = (first instanceof Error ? first.message : String(first)).replace(/: mkdir '.*$|\.$/, "");
    const instead = temporary ? "a temporary folder stands in for it" : "mcpx works without it";
    onUnusable(`${what} ${this.#wanted} cannot be used (${reason}): ${instead}.`);
  }

  /** Removes the temporary folder, where one stood in. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#found;
    if (this.#temporary !== undefined) await Deno.remove(this.#temporary, { recursive: true });
    this.#temporary = undefined;
  }

  async #find(): Promise<string | undefined> {
    try {
      await claimPrivateFolder(this.#wanted);
      const probe = join(this.#wanted, `.${crypto.randomUUID()}.tmp`);
      await Deno.writeTextFile(probe, "x", { createNew: true, mode: 0o600 });
      await Deno.remove(probe);
      return this.#wanted;
    } catch (cause) {
      this.unusable(cause);
      if (!this.#options.temporary) return undefined;
      this.#temporary = await Deno.makeTempDir({ prefix: "mcpx-" });
      return this.#temporary;
    }
  }
}
