import { isObject } from "../../json/mod.ts";
import type { Answer, UpstreamDraft } from "../../elicit/mod.ts";
import { McpxError } from "../../errors/mod.ts";
import {
  MAY_WANT_INPUT,
  type RequestOptions,
  type ServerRequestHandler,
  type UpstreamConnection,
} from "../../mcp/mod.ts";
import type { InstanceView } from "../../pool/mod.ts";
import type { JsonObject } from "../../schema/mod.ts";
import { answerOf, MCP_HOST } from "../answerer.ts";
import type { CallerAnswers } from "../caller_answers.ts";
import type { Broker } from "./broker.ts";
import { callThroughTask, type TaskCall } from "./call_through_task.ts";
import { withProgress } from "./host_progress.ts";
import { type Attribution, type OpenCall, OpenCalls } from "./open_calls.ts";
import { type AskMethod, draftOf, isAsk, refusedPage, resultOf, unanswered } from "./upstream_question.ts";
import type { Refusal } from "./question_limits.ts";
import type { Work } from "./work.ts";

/** One request to a server, with what its questions need. */
export interface Exchange {
  connection: UpstreamConnection;
  instance: InstanceView;
  method: string;
  params: JsonObject;
  options: RequestOptions;
  work: Work;
  /** The namespace that the caller knows the server by. */
  namespace: string;
  /** Where the caller's end takes the server's requests as they are, without a question of mcpx's between them. */
  direct?: CallerAnswers;
  /** Whether the caller's end acts by itself on what the server wants first. */
  rawErrors?: boolean;
  /** Whether the tool has to be called as a task of 2025-11-25. */
  asTask: boolean;
  /** The limits of waiting for a task. */
  waiting: TaskCall["waiting"];
  /** Answers `roots/list`. */
  roots(): JsonObject[];
}

/** What {@link UpstreamRequests} works with. */
export interface UpstreamRequestsOptions {
  broker: Broker;
  /** The namespace of a server, by its name. */
  namespaceOf(server: string): string;
  /** Whether completions are asked for of people too. */
  samplesByHand(): boolean;
  note(level: "warn", text: string): void;
}

const MOST_ROUNDS = 8;
/** JSON-RPC error of 2025-11-25: pages have to be opened before the request can be made. */
const URL_ELICITATION_REQUIRED = -32042;

/** What servers ask while they work, in both eras: as requests of their own, and as results that want more input. */
export class UpstreamRequests {
  readonly #options: UpstreamRequestsOptions;
  readonly #calls = new OpenCalls();
  /** Whose each open question may be. */
  readonly #attributed = new Map<string, Attribution>();
  /** Who began a task of 2025-11-25. */
  readonly #owners = new WeakMap<InstanceView, Map<string, CallerAnswers>>();
  /** What tells a request that was passed on that its call is over. */
  readonly #direct = new Map<string, AbortController>();

  constructor(options: UpstreamRequestsOptions) {
    this.#options = options;
  }

  /** Has what a server asks for the sake of a task put to whoever began it, while no request for its result is open. */
  ownTask(instance: InstanceView, taskId: string, owner: CallerAnswers): Disposable {
    const owners = this.#owners.get(instance) ?? new Map<string, CallerAnswers>();
    this.#owners.set(instance, owners.set(taskId, owner));
    return {
      [Symbol.dispose]: () => {
        if (owners.get(taskId) === owner) owners.delete(taskId);
      },
    };
  }

  /** Answers for a connection's server requests of a legacy server. */
  handlers(instance: InstanceView): Partial<Record<AskMethod, ServerRequestHandler>> {
    const handler = (method: AskMethod): ServerRequestHandler => (params, signal, origin) =>
      this.#asked(instance, { method, params }, { signal, ...(origin ? { origin } : {}) });
    const samples = this.#options.samplesByHand() || this.#options.broker.sampler !== undefined;
    return {
      "elicitation/create": handler("elicitation/create"),
      ...(samples ? { "sampling/createMessage": handler("sampling/createMessage") } : {}),
    };
  }

  /**
   * Sends a request and answers what the server asks before it gives a result.
   *
   * @throws {McpxError} `unanswered`, `too-many-questions`, and what the request itself throws
   */
  async exchange(exchange: Exchange): Promise<JsonObject> {
    const { connection, instance, method, params, work, options } = exchange;
    const subject = params.name ?? params.uri;
    const call: OpenCall = {
      work,
      subject: typeof subject === "string" ? subject : method,
      questions: new Set(),
      possible: new Set(),
      asked: 0,
      ...(exchange.direct ? { direct: exchange.direct } : {}),
      ...(method === "tasks/result" && typeof params.taskId === "string" ? { task: params.taskId } : {}),
    };
    const { paused } = options;
    const requestOptions: RequestOptions = {
      ...options,
      origin: call,
      paused: () => call.questions.size > 0 || call.possible.size > 0 || (paused?.() ?? false),
    };
    const opened = this.#calls.open(instance, call);
    try {
      const request = (given: JsonObject): Promise<JsonObject> =>
        this.#request(exchange, call, given, requestOptions);
      if (exchange.rawErrors && connection.era === "legacy") return await request(params);
      let sent = params;
      for (let round = 0;; round++) {
        const given = await this.#send(method, request(sent));
        if (given.kind === "result") return given.result;
        if (round >= MOST_ROUNDS) {
          throw new McpxError(
            "too-many-questions",
            `Cannot finish ${call.subject}: the server asked ${MOST_ROUNDS} times and still gives no result.`,
            { data: { rounds: MOST_ROUNDS } },
          );
        }
        sent = { ...params, ...await this.#answer(exchange, call, given) };
      }
    } finally {
      opened[Symbol.dispose]();
      for (const id of [...call.questions, ...call.possible]) this.#over(id, call);
    }
  }

  /** Sends it once; a call that the server takes as a task only gives its result all the same. */
  async #request(
    exchange: Exchange,
    call: OpenCall,
    params: JsonObject,
    options: RequestOptions,
  ): Promise<JsonObject> {
    const { connection, method, asTask, waiting } = exchange;
    if (method !== "tools/call" || params.task !== undefined) {
      return await connection.request(method, params, options);
    }
    return await callThroughTask({
      connection,
      params,
      options,
      waiting,
      asTask,
      onTask: (taskId) => call.task = taskId,
      answer: (inputs) => this.#answerInputs(exchange, call, inputsOf(inputs)),
    });
  }

  /** One round: a result, or what the server wants first. */
  async #send(method: string, answer: Promise<JsonObject>): Promise<Round> {
    let result: JsonObject;
    try {
      result = await answer;
    } catch (error) {
      const pages = error instanceof McpxError ? pagesOf(error) : [];
      if (pages.length === 0) throw error;
      return { kind: "pages", pages };
    }
    if (result.resultType !== "input_required" || !MAY_WANT_INPUT.has(method)) {
      return { kind: "result", result };
    }
    const { inputRequests, requestState } = result;
    return {
      kind: "inputs",
      inputs: inputsOf(inputRequests),
      ...(requestState === undefined ? {} : { state: requestState }),
    };
  }

  /** What goes along when the request is made again: every answer, and the server's state as it came. */
  async #answer(
    exchange: Exchange,
    call: OpenCall,
    round: Exclude<Round, { kind: "result" }>,
  ): Promise<JsonObject> {
    if (round.kind === "pages") {
      await Promise.all(round.pages.map((params) => this.#openPage(exchange, call, params)));
      return {};
    }
    return {
      ...(round.inputs.length > 0
        ? { inputResponses: await this.#answerInputs(exchange, call, round.inputs) }
        : {}),
      ...(round.state === undefined ? {} : { requestState: round.state }),
    };
  }

  async #answerInputs(
    exchange: Exchange,
    call: OpenCall,
    inputs: readonly [string, JsonObject][],
  ): Promise<JsonObject> {
    const answers = await Promise.all(
      inputs.map(async ([key, request]): Promise<[string, JsonObject]> => [
        key,
        await this.#answerInput(exchange, call, request),
      ]),
    );
    return Object.fromEntries(answers);
  }

  async #answerInput(
    { work, namespace, instance, roots }: Exchange,
    call: OpenCall,
    { method, params }: JsonObject,
  ): Promise<JsonObject> {
    const given = isObject(params) ? params : {};
    const direct = typeof method === "string" && call.direct?.can(method, given) ? call.direct : undefined;
    if (method === "roots/list") return await direct?.ask(method, given, work.signal) ?? { roots: roots() };
    if (!isAsk(method) || !Object.hasOwn(this.handlers(instance), method)) {
      throw new McpxError(
        "upstream-protocol",
        `Cannot answer ${namespace}: it asks for ${String(method)}, which mcpx did not offer.`,
      );
    }
    if (this.#refuses(method, given, { namespace, works: [work] })) return { action: "cancel" };
    if (direct) {
      return await this.#passOn({ call, direct }, { method, params: given, namespace }, {
        signal: work.signal,
        onRaised: (id) => call.questions.add(id),
        onSettled: (id) => call.questions.delete(id),
      });
    }
    const draft = draftOf(method, given, { namespace, subject: call.subject });
    const answer = await this.#raise(draft, { candidates: [call], told: [call] }, work.signal);
    return resultOf(draft, answer);
  }

  async #openPage({ work, namespace }: Exchange, call: OpenCall, params: JsonObject): Promise<void> {
    const page = { ...params, mode: "url" };
    const draft = draftOf("elicitation/create", page, { namespace, subject: call.subject });
    if (this.#refuses("elicitation/create", page, { namespace, works: [work] })) {
      throw unanswered(draft, { action: "cancel" });
    }
    const { action } = await this.#raise(draft, { candidates: [call], told: [call] }, work.signal);
    if (action !== "accept") throw unanswered(draft, { action });
  }

  /** A legacy server asks. */
  async #asked(
    instance: InstanceView,
    { method, params }: { method: AskMethod; params: JsonObject },
    { signal, origin }: { signal: AbortSignal; origin?: object },
  ): Promise<JsonObject> {
    const task = relatedTask(params);
    const namespace = this.#options.namespaceOf(instance.server.name);
    const isRefused = refusedPage(method, params, namespace) !== undefined;
    const owner = task === undefined ? undefined : this.#owners.get(instance)?.get(task);
    if (
      !isRefused && task !== undefined && owner?.can(method, params) && !this.#calls.waitsFor(instance, task)
    ) {
      return await withProgress(owner, instance).ask(method, params, signal);
    }
    const attribution = this.#calls.attribute(instance, origin, task);
    if (isRefused) {
      this.#refuses(method, params, { namespace, works: attribution.told.map(({ work }) => work) });
      return { action: "cancel" };
    }
    const told = attribution.told.length === 1 ? attribution.told[0] : undefined;
    if (told?.direct?.can(method, params)) {
      return await this.#askDirectly(
        instance,
        { call: told, direct: withProgress(told.direct, instance) },
        { method, params },
        signal,
      );
    }
    const alone = told ? { subject: told.subject } : {};
    const draft = draftOf(method, params, { namespace, ...alone });
    return resultOf(draft, await this.#raise(draft, attribution, signal));
  }

  /**
   * Passes a server's request to the host whose call it is. Where that call is over while the server still waits, the request was
   * another call's all along.
   */
  async #askDirectly(
    instance: InstanceView,
    told: { call: OpenCall; direct: CallerAnswers },
    request: { method: AskMethod; params: JsonObject },
    signal: AbortSignal,
  ): Promise<JsonObject> {
    const { call } = told;
    const over = new AbortController();
    const isMisplaced = (): boolean => over.signal.aborted && !signal.aborted && this.#calls.isBusy(instance);
    const namespace = this.#options.namespaceOf(instance.server.name);
    try {
      const answer = await this.#passOn(told, { ...request, namespace }, {
        signal: AbortSignal.any([signal, over.signal]),
        onRaised: (id) => {
          call.questions.add(id);
          this.#direct.set(id, over);
        },
        onSettled: (id) => {
          call.questions.delete(id);
          this.#direct.delete(id);
        },
      });
      if (!isMisplaced()) return answer;
    } catch (error) {
      if (!isMisplaced()) throw error;
    }
    return await this.#asked(instance, request, { signal });
  }

  /** Passes a request on as it is, and keeps it as a question meanwhile: who answers first is heard, the host or anybody else. */
  async #passOn(
    { call, direct }: { call: OpenCall; direct: CallerAnswers },
    { method, params, namespace }: { method: AskMethod; params: JsonObject; namespace: string },
    context: { signal: AbortSignal; onRaised(id: string): void; onSettled(id: string): void },
  ): Promise<JsonObject> {
    const { broker } = this.#options;
    const draft = draftOf(method, params, { namespace, subject: call.subject });
    const first = Promise.withResolvers<JsonObject>();
    const withdrawn = new AbortController();
    let question = "";
    const onRaised = (id: string): void => {
      question = id;
      context.onRaised(id);
    };
    let refusal: Refusal | undefined;
    const onRefused = (why: Refusal): void => {
      refusal = why;
    };
    const raised = broker.raise(draft, { ...context, works: [call.work], isPut: true, onRaised, onRefused })
      .then((answer) => resultOf(draft, answer));
    if (wasTooMany(refusal)) return await raised;
    // What is too large to be kept is asked of the host alone.
    raised.then((answer) => refusal ?? first.resolve(answer)).catch((thrown) =>
      refusal ?? first.reject(thrown)
    );
    direct.ask(method, params, AbortSignal.any([context.signal, withdrawn.signal])).then((result) => {
      first.resolve(result);
      broker.record(question, answerOf(method, result), MCP_HOST);
    }, (thrown) => {
      first.reject(thrown);
      broker.record(question, { action: "cancel" }, `${MCP_HOST}: ${McpxError.from(thrown).message}`);
    });
    return await first.promise.finally(() => withdrawn.abort());
  }

  /** Whether a page is none that anybody is asked to open; then all concerned are told why. */
  #refuses(
    method: AskMethod,
    params: JsonObject,
    { namespace, works }: { namespace: string; works: readonly Work[] },
  ): boolean {
    const refusal = refusedPage(method, params, namespace);
    if (refusal === undefined) return false;
    this.#options.note("warn", refusal);
    for (const work of works) work.noteOnce(refusal);
    return true;
  }

  /** Raises a question, for those whose it is taken to be; the clocks of all whose it may be stand still. */
  async #raise(draft: UpstreamDraft, attribution: Attribution, signal: AbortSignal): Promise<Answer> {
    const { candidates, told } = attribution;
    return await this.#options.broker.raise(draft, {
      works: told.map(({ work }) => work),
      signal,
      onRaised: (id) => {
        this.#attributed.set(id, attribution);
        for (const call of candidates) {
          if (told.includes(call)) call.questions.add(id);
          else {
            call.possible.add(id);
            call.work.possible.add(id);
          }
        }
      },
      onSettled: (id) => {
        for (const call of this.#attributed.get(id)?.candidates ?? []) forget(call, id);
        this.#attributed.delete(id);
      },
    });
  }

  /** A call is over: its question is too, or it was another call's all along, whose callers are told then. */
  #over(id: string, call: OpenCall): void {
    this.#direct.get(id)?.abort();
    forget(call, id);
    const attribution = this.#attributed.get(id);
    if (!attribution) return;
    const candidates = attribution.candidates.filter((one) => one !== call);
    const told = attribution.told.filter((one) => one !== call);
    this.#attributed.set(id, { candidates, told: told.length > 0 ? told : candidates });
    if (candidates.length === 0) return this.#options.broker.abandon(id);
    if (!candidates.some(({ work }) => work === call.work)) this.#options.broker.leave(id, call.work);
    if (told.length > 0) return;
    for (const other of candidates) {
      forget(other, id);
      other.questions.add(id);
      this.#options.broker.join(id, other.work);
    }
  }
}

function forget(call: OpenCall, id: string): void {
  call.questions.delete(id);
  call.possible.delete(id);
  call.work.possible.delete(id);
}

/** Refusals come while a question is raised, which the compiler cannot see. */
function wasTooMany(refusal: Refusal | undefined): boolean {
  return refusal !== undefined && !refusal.isLarge;
}

/** What a server gives in one round. */
type Round =
  | { kind: "result"; result: JsonObject }
  /** `input_required`, with the server's state. */
  | { kind: "inputs"; inputs: [string, JsonObject][]; state?: unknown }
  /** Pages that a legacy server wants opened before it takes the request. */
  | { kind: "pages"; pages: JsonObject[] };

function pagesOf(error: McpxError): JsonObject[] {
  const { code, data } = error.data ?? {};
  if (error.code !== "upstream-error" || code !== URL_ELICITATION_REQUIRED || !isObject(data)) return [];
  return Array.isArray(data.elicitations) ? data.elicitations.filter(isObject) : [];
}

function inputsOf(requests: unknown): [string, JsonObject][] {
  if (!isObject(requests)) return [];
  return Object.entries(requests).filter((entry): entry is [string, JsonObject] => isObject(entry[1]));
}

/** The task of 2025-11-25 that a message says it belongs to. */
function relatedTask({ _meta }: JsonObject): string | undefined {
  const related = isObject(_meta) ? _meta["io.modelcontextprotocol/related-task"] : undefined;
  return isObject(related) && typeof related.taskId === "string" ? related.taskId : undefined;
}
