/** Keeps the last bytes of a stream in a buffer of fixed size. */
export class ByteTail {
  readonly #ring: Uint8Array;
  #end = 0;
  #full = false;

  constructor(capacity: number) {
    this.#ring = new Uint8Array(Math.max(1, capacity));
  }

  /** Takes the next chunk. */
  push(chunk: Uint8Array): void {
    const size = this.#ring.length;
    const part = chunk.length > size ? chunk.subarray(chunk.length - size) : chunk;
    const first = Math.min(part.length, size - this.#end);
    this.#ring.set(part.subarray(0, first), this.#end);
    this.#ring.set(part.subarray(first), 0);
    if (this.#end + part.length >= size) this.#full = true;
    this.#end = (this.#end + part.length) % size;
  }

  /** The kept bytes as text, beginning at a whole character. */
  text(): string {
    const ring = this.#ring;
    const bytes = new Uint8Array(this.#full ? ring.length : this.#end);
    if (this.#full) {
      bytes.set(ring.subarray(this.#end), 0);
      bytes.set(ring.subarray(0, this.#end), ring.length - this.#end);
    } else {
      bytes.set(ring.subarray(0, this.#end));
    }
    let start = 0;
    if (this.#full) { while (start < 3 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start++; }
    return new TextDecoder().decode(bytes.subarray(start));
  }
}
