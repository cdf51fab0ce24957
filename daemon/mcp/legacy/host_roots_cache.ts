import type { CallerAnswers } from "../../../lib/engine/caller_answers.ts";
import type { JsonObject } from "../../../lib/schema/mod.ts";

/** A host that does not answer in that time has no roots to say, ms. */
const ASK_MS = 10_000;

/** What a host says its roots are: asked once, until it says that they have changed. */
export class HostRootsCache {
  readonly #answers: () => CallerAnswers | undefined;
  readonly #note: (text: string) => void;
  #known: Promise<JsonObject> | undefined;

  /**
   * @param options.answers how the host can be asked now
   * @param options.note told why it gave none
   */
  constructor(options: { answers: () => CallerAnswers | undefined; note: (text: string) => void }) {
    this.#answers = options.answers;
    this.#note = options.note;
  }

  /** The host's answer to `roots/list`; undefined where it has none or cannot be asked. */
  async get(): Promise<JsonObject | undefined> {
    const answers = this.#answers();
    if (!this.#known && !answers?.can("roots/list", {})) return undefined;
    const asked = this.#known ??= this.#ask(answers);
    try {
      return await asked;
    } catch (error) {
      if (this.#known === asked) this.#known = undefined;
      this.#note(`The host did not say its roots: ${error instanceof Error ? error.message : String(error)}`);
      return undefined;
    }
  }

  /** They have changed. */
  forget(): void {
    this.#known = undefined;
  }

  async #ask(answers: CallerAnswers | undefined): Promise<JsonObject> {
    const result = await answers?.ask("roots/list", {}, AbortSignal.timeout(ASK_MS));
    if (!result || !Array.isArray(result.roots)) throw new Error("its answer lists none");
    return result;
  }
}
