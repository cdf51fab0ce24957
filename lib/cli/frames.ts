/** What a piece of a command's output is for. */
export type FrameTag = "stdout" | "stderr" | "exit";

/** One piece of a command's output. */
export interface Frame {
  tag: FrameTag;
  payload: Uint8Array;
}

const TAGS: readonly FrameTag[] = ["stdout", "stderr", "exit"];
const HEAD = 5;

/**
 * A frame as bytes: its tag in one byte, its length in four, and the payload.
 *
 * @example
 * ```ts
 * import { encodeFrame, FrameReader } from "./frames.ts";
 * const [frame] = new FrameReader().push(encodeFrame("stdout", new TextEncoder().encode("hello")));
 * console.assert(frame?.tag === "stdout" && new TextDecoder().decode(frame.payload) === "hello");
 * ```
 */
export function encodeFrame(tag: FrameTag, payload: Uint8Array): Uint8Array {
  const frame = new Uint8Array(HEAD + payload.length);
  frame[0] = TAGS.indexOf(tag);
  new DataView(frame.buffer).setUint32(1, payload.length);
  frame.set(payload, HEAD);
  return frame;
}

/** Puts frames together again, however their bytes were split. */
export class FrameReader {
  #parts: Uint8Array[] = [];
  #length = 0;

  /** The frames that these bytes complete. */
  push(bytes: Uint8Array): Frame[] {
    this.#parts.push(bytes);
    this.#length += bytes.length;
    const frames: Frame[] = [];
    for (let need = this.#need(); this.#length >= need; need = this.#need()) {
      const whole = this.#take(need);
      frames.push({ tag: TAGS[whole[0] ?? 0] ?? "exit", payload: whole.subarray(HEAD) });
    }
    return frames;
  }

  /** How many bytes the next frame has; more than there are while its head is not there. */
  #need(): number {
    if (this.#length < HEAD) return Infinity;
    const [first] = this.#parts;
    if (!first || first.length < HEAD) this.#parts = [this.#join()];
    const head = this.#parts[0] ?? new Uint8Array(HEAD);
    return HEAD + new DataView(head.buffer, head.byteOffset).getUint32(1);
  }

  #take(count: number): Uint8Array {
    const all = this.#join();
    this.#parts = count < all.length ? [all.subarray(count)] : [];
    this.#length -= count;
    return all.subarray(0, count);
  }

  #join(): Uint8Array {
    const [only] = this.#parts;
    if (only && this.#parts.length === 1) return only;
    const all = new Uint8Array(this.#length);
    let at = 0;
    for (const part of this.#parts) {
      all.set(part, at);
      at += part.length;
    }
    return all;
  }
}
