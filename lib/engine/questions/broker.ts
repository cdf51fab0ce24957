import {
  alreadySettled,
  type Answer,
  askerOf,
  expireQuestion,
  makeQuestion,
  type Question,
  type QuestionDraft,
  routeQuestion,
  settledRecord,
  settleQuestion,
  withoutSecretValues,
} from "../../elicit/mod.ts";
import { McpxError } from "../../errors/mod.ts";
import type { JsonObject } from "../../schema/mod.ts";
import { type Answerer, answererOf, type AskedQuestion } from "../answerer.ts";
import type { Caller } from "../caller.ts";
import type { AskContext, BrokerOptions, Replier, Reply, Sampler } from "./broker_types.ts";
import { contentOf, refuseAgent } from "./check_reply.ts";
import { isOwn, type Viewer } from "./owner.ts";
import { type Place, QuestionLimits, type Refusal } from "./question_limits.ts";
import type { Waiter, Work } from "./work.ts";

interface OpenQuestion {
  question: Question;
  escalates: boolean;
  /** The request as a server made it. */
  request?: { method: string; params: JsonObject } | undefined;
  /** The works that wait for it. */
  works: Set<Work>;
  place: Place;
  /** Whether people may be asked: it is written down, and no model answers it. */
  ready: boolean;
  /** Who was asked, or told that it waits. */
  offered: WeakSet<Waiter>;
  /** Aborted when it is settled: whoever was shown it can put it away. */
  settled: AbortController;
  timer?: ReturnType<typeof setTimeout>;
  resolve(answer: Answer): void;
  onSettled?: ((id: string) => void) | undefined;
}

const MOST_OFFERS = 3;
const LONGEST_TIMER_MS = 2 ** 30;
/** How long nothing more is noted of a server that asks too much, ms. */
const NOTE_PAUSE_MS = 10_000;
/** Rows that are looked through for a session's own. */
const MOST_ROWS = 10_000;

/**
 * Raises questions, puts them to whoever may answer, and takes the answers, from whichever side they come first.
 *
 * A question is written down before anybody is asked. It is put to those at hand; where nobody is, the request that raised it goes
 * on as a task, and the question waits for its deadline or for anyone who answers.
 */
export class Broker {
  /** Answers requests for completions, where a model is configured. */
  sampler: Sampler | undefined;
  readonly #options: BrokerOptions;
  readonly #open = new Map<string, OpenQuestion>();
  readonly #limits: QuestionLimits;
  /** When it was last noted that a server asks too much. */
  readonly #refused = new Map<string, number>();
  #closed: string | undefined;
  #unkept: string | undefined;

  constructor(options: BrokerOptions) {
    this.#options = options;
    this.#limits = new QuestionLimits(options.maxOpen);
  }

  /** How many questions are open. */
  get size(): number {
    return this.#open.size;
  }

  /** How many bytes of JSON the open questions hold. */
  get bytes(): number {
    return this.#limits.bytes;
  }

  /** Why questions cannot be written down at the moment; undefined while they can. */
  get unkept(): string | undefined {
    return this.#unkept;
  }

  /**
   * Asks on behalf of a caller's request, and waits for the answer.
   *
   * The promise settles with the answer, with the default or `cancel` after the deadline, and with `cancel` once the request is over.
   * While nobody at hand can answer, the caller is told so (`waiting-input`) and the request goes on as a task.
   *
   * @param draft what to ask; mcpx's own questions cannot be built without a default and a deadline
   * @param caller the caller that the running operation was given
   * @param onRaised told of the question's id before anybody is asked
   */
  ask(draft: QuestionDraft, caller: Caller, onRaised?: (id: string) => void): Promise<Answer> {
    return this.raise(draft, {
      works: caller.work ? [caller.work] : [],
      signal: caller.signal,
      ...(onRaised ? { onRaised } : {}),
    });
  }

  /** Asks on behalf of works. */
  async raise(draft: QuestionDraft, context: AskContext): Promise<Answer> {
    const { now, newId, upstreamMs, holdsTasks } = this.#options;
    const silence: Answer = draft.from === "mcpx" ? draft.default : { action: "cancel" };
    if (this.#closed !== undefined || context.signal?.aborted) return silence;
    const works = new Set(context.works);
    const place = this.#limits.take(draft, works);
    if ("text" in place) {
      this.#noteRefusal(draft.server ?? "mcpx", place, works);
      context.onRefused?.(place);
      return silence;
    }
    const [first] = works;
    const route = routeQuestion(draft);
    const session = first?.caller.identity.session;
    const question = makeQuestion(draft, {
      id: newId(),
      now: now(),
      route,
      upstreamMs: upstreamMs(),
      ...(first ? { trace: first.trace } : {}),
      ...(session === undefined ? {} : { session }),
    });
    const { promise, resolve } = Promise.withResolvers<Answer>();
    const open: OpenQuestion = {
      question,
      escalates: route.escalates,
      request: draft.from === "upstream" ? draft.request : undefined,
      works,
      place,
      ready: false,
      offered: new WeakSet(),
      settled: new AbortController(),
      resolve,
      onSettled: context.onSettled,
    };
    this.#open.set(question.id, open);
    for (const work of works) work.questions.set(question.id, question);
    context.onRaised?.(question.id);
    this.#arm(open);
    const onAbort = (): void => this.abandon(question.id);
    context.signal?.addEventListener("abort", onAbort, { once: true });
    await this.#write(question);
    if (this.#open.has(question.id) && !context.isPut) {
      if (works.size === 0 && (!holdsTasks || draft.from === "mcpx")) this.#giveUp(open);
      else if (draft.kind === "sampling") void this.#sampled(open);
      else this.#putToAll(open);
    }
    return await promise.finally(() => context.signal?.removeEventListener("abort", onAbort));
  }

  /** Puts an open question to those who wait for a work; who of them cannot answer is told that it waits. */
  put(id: string, work: Work): void {
    const open = this.#open.get(id);
    if (!open?.ready) return;
    if (work.waiters.size === 0) this.#options.onWaiting(work);
    for (const waiter of [...work.waiters]) {
      if (open.offered.has(waiter)) continue;
      open.offered.add(waiter);
      const answerer = answererOf(waiter.caller);
      if (answerer && canAnswer(answerer, open.question)) void this.#offer(open, answerer, { work, waiter });
      else this.#wait(open, work, waiter);
    }
  }

  /** Another work waits for a question as well: those who wait for the work are asked, or told. */
  join(id: string, work: Work): void {
    const open = this.#open.get(id);
    if (!open || open.works.has(work)) return;
    open.works.add(work);
    work.questions.set(id, open.question);
    this.put(id, work);
  }

  /** A work waits for a question no longer. */
  leave(id: string, work: Work): void {
    this.#open.get(id)?.works.delete(work);
    work.questions.delete(id);
  }

  /** The call that raised a question is over, and so is the question. */
  abandon(id: string): void {
    const open = this.#open.get(id);
    const by = "mcpx: the call that asked is over";
    if (open) {
      this.#settle(
        open,
        settleQuestion(open.question, { action: "cancel" }, { by, now: this.#options.now() }),
      );
    }
  }

  /**
   * Takes an answer.
   *
   * @param id the question
   * @param reply the answer as it came
   * @param by who hands it in
   * @returns the question as it is now; still open where an agent declined what a human may answer
   * @throws {McpxError} `unknown-question`, `question-settled`, `invalid-input` with every field that is wrong, `forbidden` for an
   * agent's answer to what is a human's to answer or belongs to another session
   */
  async answer(id: string, reply: Reply, by: Replier): Promise<Question> {
    const open = this.#open.get(id);
    if (!open) throw await this.#notOpen(id);
    if (by.surface === "mcp") refuseAgent(open.question, by);
    return this.#take(open, reply, by);
  }

  /** Records what was answered by whoever it had been put to by others; nothing is checked, for it went where it belongs. */
  record(id: string, answer: Answer, by: string): void {
    const open = this.#open.get(id);
    if (open) this.#settle(open, settleQuestion(open.question, answer, { by, now: this.#options.now() }));
  }

  /**
   * A question, open or not, without what its secret fields hold.
   *
   * @param viewer who looks; without one, anybody's question is shown
   * @throws {McpxError} `unknown-question`, also for an agent where it is another session's
   */
  async show(id: string, viewer?: Viewer): Promise<Question> {
    const open = this.#open.get(id);
    const question = open ? withoutSecretValues(open.question) : (await this.#options.store()).question(id);
    if (!question || !isOwn(question, viewer)) throw unknownQuestion(id);
    return question;
  }

  /**
   * Questions, newest first: those that are open, and those whose asker was lost with its daemon; or those of the given states. What
   * is open is listed even while nothing can be written down.
   *
   * @param viewer who looks: an agent sees its own session's
   */
  async list(
    filter: { states?: readonly string[] | undefined; limit: number },
    viewer?: Viewer,
  ): Promise<Question[]> {
    const { states, limit } = filter;
    const rows = viewer?.surface === "mcp" ? MOST_ROWS : limit;
    const kept = await this.#kept({ limit: rows, ...(states ? { states } : {}) });
    const open = states && !states.includes("pending") ? [] : [...this.#open.values()].reverse()
      .map(({ question }) => withoutSecretValues(question));
    const others = kept.filter(({ id, state }) => state !== "pending" || !this.#open.has(id));
    return [...open, ...others].filter((question) => isOwn(question, viewer))
      .sort((a, b) => a.createdAt < b.createdAt ? 1 : a.createdAt > b.createdAt ? -1 : 0).slice(0, limit);
  }

  /** Settles everything that is open: defaults stand, the rest is cancelled. Nothing is asked any more. */
  close(reason: string): void {
    this.#closed = reason;
    for (const open of [...this.#open.values()]) {
      const answer = open.question.default ?? { action: "cancel" };
      this.#settle(
        open,
        settleQuestion(open.question, answer, { by: `mcpx: ${reason}`, now: this.#options.now() }),
      );
    }
  }

  /** Checks an answer and settles the question with it. */
  #take(open: OpenQuestion, reply: Reply, by: Replier): Question {
    const { now } = this.#options;
    if (reply.action === "decline" && open.escalates && by.surface === "mcp") {
      open.escalates = false;
      open.question = { ...open.question, audience: "human", reason: `${by.name} declined to answer it` };
      void this.#write(open.question);
      return withoutSecretValues(open.question);
    }
    const answer: Answer = reply.action === "accept"
      ? { action: "accept", ...contentOf(open.question, reply) }
      : { action: reply.action };
    const settled = settleQuestion(open.question, answer, { by: by.name, now: now() });
    this.#settle(open, settled);
    return withoutSecretValues(settled);
  }

  #settle(open: OpenQuestion, settled: Question): void {
    if (!this.#open.delete(settled.id)) return;
    clearTimeout(open.timer);
    open.place[Symbol.dispose]();
    open.question = settled;
    open.onSettled?.(settled.id);
    for (const work of open.works) work.questions.delete(settled.id);
    open.settled.abort();
    void this.#write(settled);
    for (const work of open.works) {
      work.emit({ type: "question-settled", id: settled.id, state: settled.state });
      this.#options.onSettled(work);
    }
    open.resolve(settled.answer ?? { action: "cancel" });
  }

  #arm(open: OpenQuestion): void {
    const { now } = this.#options;
    const left = Date.parse(open.question.expiresAt) - now();
    open.timer = setTimeout(() => {
      if (now() < Date.parse(open.question.expiresAt)) this.#arm(open);
      else this.#settle(open, expireQuestion(open.question, now()));
    }, Math.max(0, Math.min(left, LONGEST_TIMER_MS)));
  }

  /** A host's own model first, then the configured one, then whoever else can write an answer. */
  async #sampled(open: OpenQuestion): Promise<void> {
    const works = [...open.works];
    const host = works.some((work) =>
      [...work.waiters].some(({ caller }) => caller.surface === "mcp" && answererOf(caller)?.canSample)
    );
    const { sampler } = this;
    if (sampler && !host) {
      try {
        const result = await sampler.sample(open.question.sampling ?? {}, open.settled.signal);
        if (!this.#open.has(open.question.id)) return;
        if (result) {
          this.#take(open, { action: "accept", content: result }, { name: sampler.name });
          return;
        }
      } catch (thrown) {
        if (!this.#open.has(open.question.id)) return;
        this.#options.note("warn", `${sampler.name} gave no completion: ${McpxError.from(thrown).message}`);
      }
    }
    this.#putToAll(open);
  }

  #putToAll(open: OpenQuestion): void {
    open.ready = true;
    for (const work of [...open.works]) this.put(open.question.id, work);
  }

  async #offer(
    open: OpenQuestion,
    answerer: Answerer,
    { work, waiter }: { work: Work; waiter: Waiter },
  ): Promise<void> {
    const { id } = open.question;
    let problem: string | undefined;
    for (let offers = 0; offers < MOST_OFFERS; offers++) {
      let reply: Answer | undefined;
      try {
        const asked: AskedQuestion = {
          ...open.question,
          ...(problem === undefined ? {} : { problem }),
          ...(open.request ? { request: open.request } : {}),
        };
        reply = await answerer.ask(asked, open.settled.signal);
      } catch (thrown) {
        if (this.#open.has(id) && !work.signal.aborted) {
          this.#options.note(
            "warn",
            `${answerer.name} could not be asked ${id}: ${McpxError.from(thrown).message}`,
          );
        }
      }
      if (!this.#open.has(id)) return;
      if (!reply) break;
      try {
        this.#take(open, reply, { name: answerer.name });
        return;
      } catch (thrown) {
        problem = McpxError.from(thrown).message;
      }
    }
    this.#wait(open, work, waiter);
  }

  /** A waiter cannot answer. */
  #wait(open: OpenQuestion, work: Work, waiter: Waiter): void {
    if (this.#options.holdsTasks) this.#options.onWaiting(work, waiter);
    else this.#giveUp(open);
  }

  /** Nobody at hand answers and nobody else ever could. */
  #giveUp(open: OpenQuestion): void {
    const { question } = open;
    const answer = question.default ?? { action: "cancel" };
    for (const work of open.works) {
      work.emit({
        type: "note",
        text: `${askerOf(question)} asked: ${question.message} Nobody could be asked here, so ${
          question.default ? "its default stands" : "it was cancelled"
        } (${question.id}).`,
      });
    }
    const by = "mcpx: nobody could be asked where the command did the work itself";
    this.#settle(open, settleQuestion(question, answer, { by, now: this.#options.now() }));
  }

  /** A question that cannot be written down is still asked: whoever is at hand may answer it. */
  async #write(question: Question): Promise<void> {
    const shown = withoutSecretValues(question);
    try {
      (await this.#options.store()).putQuestion(question.state === "pending" ? shown : settledRecord(shown));
      this.#unkept = undefined;
    } catch (thrown) {
      this.#noteUnkept(thrown);
    }
    this.#options.onChange(shown);
  }

  /** What is written down; nothing where that cannot be read. */
  async #kept(filter: { states?: readonly string[]; limit: number }): Promise<Question[]> {
    try {
      return (await this.#options.store()).questions(filter);
    } catch (thrown) {
      this.#noteUnkept(thrown);
      return [];
    }
  }

  #noteUnkept(thrown: unknown): void {
    const { message } = McpxError.from(thrown);
    if (this.#unkept !== message) this.#options.note("error", message);
    this.#unkept = message;
  }

  /** One note for many refusals, and one for each request that they come up in. */
  #noteRefusal(server: string, { text }: Refusal, works: ReadonlySet<Work>): void {
    const now = this.#options.now();
    if (now - (this.#refused.get(server) ?? -Infinity) >= NOTE_PAUSE_MS) {
      this.#refused.set(server, now);
      this.#options.note("warn", text);
    }
    for (const work of works) work.noteOnce(`${text}.`);
  }

  async #notOpen(id: string): Promise<McpxError> {
    const kept = (await this.#options.store()).question(id);
    if (!kept) return unknownQuestion(id);
    if (kept.state !== "pending") return alreadySettled(kept);
    return new McpxError(
      "question-settled",
      `Cannot answer ${id}: the daemon that waits for it is on its way out.`,
      {
        hint: "Run the call again.",
      },
    );
  }
}

function canAnswer({ canElicit, canSample }: Answerer, { kind }: Question): boolean {
  if (kind === "sampling") return canSample;
  return kind === "url" ? canElicit.url : canElicit.form;
}

function unknownQuestion(id: string): McpxError {
  return new McpxError(
    "unknown-question",
    `Cannot find a question ${JSON.stringify(id.slice(0, 80))}: there is none.`,
    {
      hint: "mcpx elicit list --all",
    },
  );
}
