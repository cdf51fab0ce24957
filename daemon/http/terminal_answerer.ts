import type { Answerer } from "../../lib/engine/answerer.ts";
import type { CallerEvent } from "../../lib/engine/caller.ts";

/**
 * A person at the command line that reads a request's events: shown a question as an event, they answer it as anybody does, by
 * `/v1/elicit/{id}/answer`.
 */
export function terminalAnswerer(emit: (event: CallerEvent) => void): Answerer {
  return {
    name: "the terminal",
    canElicit: { form: true, url: true },
    canSample: true,
    ask: ({ request: _raw, ...question }, signal) => {
      emit({ type: "question", question });
      const { promise, resolve } = Promise.withResolvers<undefined>();
      if (signal.aborted) resolve(undefined);
      signal.addEventListener("abort", () => resolve(undefined), { once: true });
      return promise;
    },
  };
}
