import type { InstanceView } from "../../pool/mod.ts";
import type { CallerAnswers } from "../caller_answers.ts";
import type { Work } from "./work.ts";

/** A request that is open on an instance. */
export interface OpenCall {
  work: Work;
  /** What it names: the tool, the prompt, the resource. */
  subject: string;
  /** The task whose result it waits for. */
  task?: string;
  /** The open questions that are taken for its own. */
  readonly questions: Set<string>;
  /** Open questions that may be its own, and were put to another call's caller. */
  readonly possible: Set<string>;
  /** How many questions were taken for its own. */
  asked: number;
  /** Who takes its server's requests as they are. */
  readonly direct?: CallerAnswers;
}

/** Whose a server's question may be. */
export interface Attribution {
  /** Every call that may have raised it: their clocks stand still. */
  candidates: OpenCall[];
  /** Those whose callers are asked, or told that they wait. */
  told: OpenCall[];
}

/**
 * The requests that are open on each instance, to tell whose a question is.
 *
 * A server's request names no call. Over HTTP it comes on the stream of the call that raised it; over stdio only what is open says
 * anything: a lone call is it; a call that has an open question is not asking another; a tool that is known to ask goes before one
 * that is not; what has asked less goes first, and among equals servers ask in the order they were called. Where that leaves different tools or callers, all are told: better a
 * call that goes on as a task without need than one that hangs on a question that nobody was shown.
 */
export class OpenCalls {
  readonly #byInstance = new WeakMap<InstanceView, Set<OpenCall>>();
  /** `<server> <subject>` of what was seen asking. */
  readonly #askers = new Set<string>();

  /** Counts a call in; disposing counts it out. */
  open(instance: InstanceView, call: OpenCall): Disposable {
    let calls = this.#byInstance.get(instance);
    if (!calls) this.#byInstance.set(instance, calls = new Set());
    calls.add(call);
    return { [Symbol.dispose]: () => void calls.delete(call) };
  }

  /** Whether any call is open on `instance`. */
  isBusy(instance: InstanceView): boolean {
    return (this.#byInstance.get(instance)?.size ?? 0) > 0;
  }

  /** Whether a call on `instance` waits for the result of a task. */
  waitsFor(instance: InstanceView, task: string): boolean {
    return [...this.#byInstance.get(instance) ?? []].some((call) => call.task === task);
  }

  /**
   * Whose a question on `instance` may be.
   *
   * @param origin the call on whose own stream it came
   * @param task the task that it says it belongs to: whoever waits for that one's result is asked, on whatever stream it came
   */
  attribute(instance: InstanceView, origin?: object, task?: string): Attribution {
    const open = [...this.#byInstance.get(instance) ?? []];
    const own = open.find((call) => task !== undefined && call.task === task) ??
      open.find((call) => call === origin);
    const certain = own ?? (open.length === 1 ? open[0] : undefined);
    if (certain) {
      certain.asked++;
      this.#askers.add(this.#name(instance, certain));
      return { candidates: [certain], told: [certain] };
    }
    const silent = open.filter(({ questions }) => questions.size === 0);
    const possible = silent.length > 0 ? silent : open;
    const known = possible.filter((call) => this.#askers.has(this.#name(instance, call)));
    const candidates = (known.length > 0 ? known : possible).toSorted((a, b) => a.asked - b.asked);
    const [likely] = candidates;
    // Of calls of one caller it does not matter which is taken; of others', taking one would put a question to the wrong people.
    const alike = likely !== undefined &&
      candidates.every((call) => call.subject === likely.subject && callerOf(call) === callerOf(likely));
    const told = alike ? [likely] : candidates;
    for (const call of told) call.asked++;
    return { candidates, told };
  }

  #name(instance: InstanceView, { subject }: OpenCall): string {
    return `${instance.server.name} ${subject}`;
  }
}

/** Whose call it is: the session, or the process behind a command line. */
function callerOf({ work }: OpenCall): string {
  const { session, pid } = work.caller.identity;
  return JSON.stringify([work.caller.surface, session ?? null, pid ?? null]);
}
