import { z } from "zod";
import { type HistoryDocument, type HistoryRequest, showHistory } from "../engine/schema_history.ts";
import { defineOperation, type Operation } from "./define.ts";
import { recordedChange } from "./shapes.ts";

/** Shows what changed in the servers' schemas. */
export const historyShow: Operation<HistoryRequest, HistoryDocument> = defineOperation({
  id: "history.show",
  summary: "Show what changed in the servers' tools, and when.",
  description: "With --breaking the exit status is 1 where there is such a change, for use in CI.",
  examples: [
    { command: "mcpx history", note: "everything that is recorded" },
    { command: "mcpx history show everything.echo", note: "one tool" },
    { command: "mcpx history --since 7d --breaking", note: "what broke in a week" },
  ],
  effect: "read",
  http: { method: "GET", path: "/v1/catalog/history" },
  input: z.strictObject({
    name: z.string().optional().describe("A namespace, or <namespace>.<function>."),
    since: z.string().optional().describe("A duration such as 7d, or a date."),
    breaking: z.boolean().optional().describe("Only changes that break callers."),
  }),
  output: z.object({ exitCode: z.number(), changes: z.array(recordedChange) }),
  cli: {
    commands: [{ words: ["history"], positional: ["name"], rank: 57 }, {
      words: ["history", "show"],
      positional: ["name"],
    }],
    fields: { name: { completion: "tool" } },
    render: "table:changes:when,server,tool,verdict,what,flags",
  },
  settings: [],
  errors: ["unknown-server", "unknown-tool", "invalid-input"],
  streams: false,
  run: (input, { engine, caller }) => showHistory(engine, input, caller),
});
