import type { InstanceStatus } from "../../pool/mod.ts";
import { ResolvedSettings } from "../../settings/mod.ts";
import type { Answerer, AskedQuestion } from "../answerer.ts";
import type { Answer } from "../../elicit/mod.ts";
import type { Caller, Surface } from "../caller.ts";
import { QuestionDesk } from "./question_desk.ts";

/** A desk in memory, for tests of this folder. */
export interface DeskBench extends AsyncDisposable {
  desk: QuestionDesk;
  events: { type: string; data: unknown }[];
  notes: string[];
  instances: InstanceStatus[];
  caller(options?: {
    surface?: Surface;
    session?: string;
    answerer?: Answerer;
    signal?: AbortSignal;
  }): Caller;
}

/** Opens a desk with settings given as flags. */
export function deskBench(
  options: { settings?: Record<string, unknown>; holdsTasks?: boolean } = {},
): DeskBench {
  const settings = ResolvedSettings.from([{
    layer: "flag",
    entries: Object.entries(options.settings ?? {}).map(([path, value]) => ({ path, value, source: "test" })),
  }]);
  const events: DeskBench["events"] = [];
  const notes: string[] = [];
  const instances: InstanceStatus[] = [];
  const desk = new QuestionDesk({
    path: () => undefined,
    holdsTasks: options.holdsTasks ?? true,
    settings: () => settings,
    instances: (server) => instances.filter((instance) => instance.server === server),
    namespaceOf: (server) => server,
    publish: (type, data) => events.push({ type, data }),
    note: (_level, text) => notes.push(text),
  });
  return {
    desk,
    events,
    notes,
    instances,
    caller: ({ surface = "http", session, answerer, signal } = {}) => ({
      surface,
      identity: session === undefined ? {} : { session },
      env: {},
      settings,
      signal: signal ?? new AbortController().signal,
      emit: () => undefined,
      ...(answerer ? { answerer } : {}),
    }),
    [Symbol.asyncDispose]: () => desk.close(),
  };
}

/** Somebody at hand who answers as `answer` says. */
export function answering(
  answer: (question: AskedQuestion, signal: AbortSignal) => Answer | undefined | Promise<Answer | undefined>,
  can: Partial<Pick<Answerer, "canElicit" | "canSample">> = {},
): Answerer {
  return {
    name: "the test",
    canElicit: { form: true, url: true },
    canSample: true,
    ...can,
    ask: async (question, signal) => await answer(question, signal),
  };
}
