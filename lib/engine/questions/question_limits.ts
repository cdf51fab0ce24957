import type { QuestionDraft } from "../../elicit/mod.ts";
import type { Work } from "./work.ts";

/** How many questions one call may have open. */
export const MOST_PER_CALL = 100;
/** What share of all questions and of all bytes may be one server's. */
const SHARE = 0.5;
/** A server may have this many open in any case. */
const LEAST_PER_SERVER = 100;
const MOST_BYTES = 32 * 1024 * 1024;
const MOST_FORM_BYTES = 256 * 1024;
const MOST_SAMPLING_BYTES = 8 * 1024 * 1024;

/** Why a question is not raised. */
export interface Refusal {
  /** Whether it alone is too large to be kept; otherwise there are too many. */
  isLarge: boolean;
  /** For the record. */
  text: string;
}

/** A place that an open question holds. */
export type Place = Disposable;

interface Count {
  questions: number;
  bytes: number;
}

/** Bounds how many questions are open, and how much they hold: in all, for a server, and for a call. */
export class QuestionLimits {
  readonly #maxOpen: () => number;
  readonly #all: Count = { questions: 0, bytes: 0 };
  readonly #servers = new Map<string, Count>();
  readonly #calls = new WeakMap<Work, Count>();

  constructor(maxOpen: () => number) {
    this.#maxOpen = maxOpen;
  }

  /** How many bytes of JSON the open questions hold. */
  get bytes(): number {
    return this.#all.bytes;
  }

  /** Takes a place for a question, where there is one. */
  take(draft: QuestionDraft, works: ReadonlySet<Work>): Place | Refusal {
    const bytes = sizeOf(draft);
    const refusal = this.#refusal(draft, works, bytes);
    if (refusal) return refusal;
    const counts = [this.#all, ...[...works].map((work) => this.#ofCall(work))];
    const { server } = draft;
    if (server !== undefined && draft.from === "upstream") {
      const count = this.#servers.get(server) ?? { questions: 0, bytes: 0 };
      this.#servers.set(server, count);
      counts.push(count);
    }
    for (const count of counts) {
      count.questions++;
      count.bytes += bytes;
    }
    let isHeld = true;
    return {
      [Symbol.dispose]: () => {
        if (!isHeld) return;
        isHeld = false;
        for (const count of counts) {
          count.questions--;
          count.bytes -= bytes;
        }
        if (server !== undefined && this.#servers.get(server)?.questions === 0) this.#servers.delete(server);
      },
    };
  }

  #refusal(draft: QuestionDraft, works: ReadonlySet<Work>, bytes: number): Refusal | undefined {
    const who = draft.server ?? "mcpx";
    const maxOpen = this.#maxOpen();
    const refuse = (why: string, isLarge = false): Refusal => ({ isLarge, text: `${who} ${why}` });
    if (this.#all.questions >= maxOpen) {
      return refuse(`asked while ${maxOpen} questions were open: not asked (elicit.maxOpen)`);
    }
    if (draft.from === "mcpx") return undefined;
    const most = draft.kind === "sampling" ? MOST_SAMPLING_BYTES : MOST_FORM_BYTES;
    if (bytes > most) return refuse(`asked a question of more than ${most} bytes: not asked`, true);
    const server = this.#servers.get(who);
    const mostOfServer = Math.max(LEAST_PER_SERVER, Math.ceil(maxOpen * SHARE));
    if (server && server.questions >= mostOfServer) {
      return refuse(`asked while ${mostOfServer} questions of its own were open: not asked`);
    }
    for (const work of works) {
      if (this.#ofCall(work).questions >= MOST_PER_CALL) {
        return refuse(`asked while ${MOST_PER_CALL} questions of the same call were open: not asked`);
      }
    }
    if (this.#all.bytes + bytes > MOST_BYTES || (server?.bytes ?? 0) + bytes > MOST_BYTES * SHARE) {
      return refuse("asked while open questions held too many bytes: not asked");
    }
    return undefined;
  }

  #ofCall(work: Work): Count {
    let count = this.#calls.get(work);
    if (!count) this.#calls.set(work, count = { questions: 0, bytes: 0 });
    return count;
  }
}

/** What a draft holds, in bytes of JSON; what is nested too deep to be written counts as endless. */
function sizeOf(draft: QuestionDraft): number {
  try {
    return JSON.stringify(draft.from === "upstream" ? draft.request?.params ?? draft : draft).length;
  } catch (error) {
    if (error instanceof RangeError) return Infinity;
    throw error;
  }
}
