import type { ByteSink } from "./io.ts";

/** The reader of an output stream has gone: nothing is left to say and nobody to say it to. */
export class OutputClosed extends Error {
  override readonly name = "OutputClosed";
}

const encoder = new TextEncoder();

/** A standard stream that is written whole, however the system splits it. */
export class Output {
  readonly #sink: ByteSink;

  constructor(sink: ByteSink) {
    this.#sink = sink;
  }

  /**
   * Writes text or bytes to the end.
   *
   * @throws {OutputClosed} when the reader has gone
   */
  async write(content: string | Uint8Array): Promise<void> {
    let rest = typeof content === "string" ? encoder.encode(content) : content;
    while (rest.length > 0) {
      let written: number;
      try {
        written = await this.#sink.write(rest);
      } catch (error) {
        if (error instanceof Deno.errors.BrokenPipe) throw new OutputClosed("", { cause: error });
        throw error;
      }
      rest = rest.subarray(written);
    }
  }

  /** Writes text and sees to it that it ends with a line break. */
  line(text: string): Promise<void> {
    return this.write(text.endsWith("\n") ? text : text + "\n");
  }
}
