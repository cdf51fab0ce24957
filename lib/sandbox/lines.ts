/** Splits a stream of bytes into lines of text, holding no more than a given number of bytes of an unfinished one. */
export class LineSplitter {
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  #parts: Uint8Array[] = [];
  #held = 0;

  /** Bytes of the line that is not finished yet. */
  get heldBytes(): number {
    return this.#held;
  }

  /**
   * Takes the next bytes and gives the lines that they complete, without their newline.
   *
   * @param chunk bytes as they came
   */
  *push(chunk: Uint8Array): Generator<string> {
    let start = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      const tail = chunk.subarray(start, end);
      start = end + 1;
      yield this.#decoder.decode(this.#held === 0 ? tail : this.#join(tail));
    }
    if (start < chunk.length) {
      const rest = chunk.slice(start);
      this.#parts.push(rest);
      this.#held += rest.length;
    }
  }

  #join(tail: Uint8Array): Uint8Array {
    const whole = new Uint8Array(this.#held + tail.length);
    let at = 0;
    for (const part of this.#parts) {
      whole.set(part, at);
      at += part.length;
    }
    whole.set(tail, at);
    this.#parts = [];
    this.#held = 0;
    return whole;
  }
}
