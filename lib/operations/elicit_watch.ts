import { z } from "zod";
import type { Question } from "../elicit/mod.ts";
import { defineOperation, type Operation } from "./define.ts";
import { listed } from "./elicit_list.ts";

/** Follows questions as they come. */
export const elicitWatch: Operation<{ count?: number | undefined }, { seen: number }> = defineOperation({
  id: "elicit.watch",
  summary: "Show questions as they come: first those that are open, then every change.",
  description: "It ends when it is interrupted, or after so many questions. With --json each is one line.",
  examples: [{ command: "mcpx elicit watch", note: "until Ctrl-C" }, {
    command: "mcpx elicit watch --count 1 --json",
    note: "the next one",
  }],
  effect: "read",
  http: { method: "GET", path: "/v1/elicit/watch" },
  input: z.strictObject({
    count: z.int().min(1).optional().describe("End after so many questions."),
  }),
  output: z.object({ seen: z.number() }),
  cli: { commands: [{ words: ["elicit", "watch"] }], render: "stream" },
  settings: [],
  errors: ["cancelled"],
  streams: true,
  notOn: { mcp: "A stream: hosts are asked questions as they come, by elicitation." },
  run: async ({ count = Infinity }, { engine, caller }) => {
    const { promise: over, resolve: end } = Promise.withResolvers<void>();
    let seen = 0;
    const known = new Set<string>();
    const show = (question: Question): void => {
      if (seen >= count) return;
      // What was open first may be published as new while the list is read.
      const version = `${question.id} ${question.state} ${question.audience}`;
      if (known.has(version)) return;
      known.add(version);
      caller.emit({ type: "emit", value: listed(question) });
      if (++seen >= count) end();
    };
    const waiting: Question[] = [];
    let ready = false;
    using _listening = engine.events.listen(({ type, data }) => {
      if (type !== "question") return;
      const question = data as Question; // published under this type are questions alone
      if (ready) show(question);
      else waiting.push(question);
    });
    for (const signal of [caller.signal, engine.events.closed]) {
      signal.addEventListener("abort", () => end(), { once: true });
      if (signal.aborted) end();
    }
    for (const question of (await engine.broker.list({ states: ["pending"], limit: 1000 })).reverse()) {
      show(question);
    }
    ready = true;
    waiting.forEach(show);
    await over;
    return { seen };
  },
});
