import { BLOCK, BRACKET, Frame, PAREN } from "./frames.ts";

/** Nesting beyond this is no program: no engine parses it. */
const MAX_DEPTH = 20_000;

/** Which closing bracket fits a kind of frame. */
const GROUP: readonly number[] = [BLOCK, BLOCK, PAREN, BRACKET, BLOCK];

/** Everything that is open at one place of the source. */
export class FrameStack {
  readonly frames: Frame[] = [new Frame()];
  depth = 0;
  top: Frame = this.frames[0]!;
  /** Nesting went beyond what is read. */
  overflown = false;
  /** How many of each group are open: of braces, parentheses, brackets. */
  readonly #open = [0, 0, 0, 0];

  push(kind: number, open: number): Frame {
    const parent = this.top;
    this.depth++;
    if (this.depth > MAX_DEPTH) this.overflown = true;
    let frame = this.frames[this.depth];
    if (frame === undefined) {
      frame = new Frame();
      this.frames.push(frame);
    }
    frame.reset(kind, open, this.depth, parent);
    this.#count(kind, 1);
    this.top = frame;
    return frame;
  }

  /** Takes the top off; its frame is valid until the next push. */
  pop(): Frame {
    const frame = this.top;
    this.depth--;
    this.top = this.frames[this.depth]!;
    this.#count(frame.kind, -1);
    return frame;
  }

  #count(kind: number, by: number): void {
    const group = GROUP[kind];
    if (group !== undefined) this.#open[group]! += by;
  }

  /** Whether a bracket of the group (`BLOCK`, `PAREN` or `BRACKET`) is on top. */
  isOnTop(group: number): boolean {
    return this.depth > 0 && GROUP[this.top.kind] === group;
  }

  /** Whether a closing bracket of the group has something to close, past the brackets left open inside it. */
  canClose(group: number): boolean {
    if (this.depth === 0 || this.#open[group] === 0) return false;
    // A brace left open is likelier a mistake of the closing bracket than of the brace.
    return group === BLOCK || this.top.kind === PAREN || this.top.kind === BRACKET;
  }

  /** The innermost block: where `let` goes. */
  get block(): Frame {
    return this.frames[this.top.blockDepth]!;
  }

  /** The innermost function body, or the file: where `var` goes. */
  get functionBody(): Frame {
    return this.frames[this.top.functionDepth]!;
  }
}
