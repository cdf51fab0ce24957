import { z } from "zod";
import type { CompletionAnswer } from "../engine/complete.ts";
import { type CompleteInput, completeNamed } from "../engine/complete_named.ts";
import { defineOperation, type Operation } from "./define.ts";
import { jsonObject } from "./shapes.ts";

/** Suggests values for an argument. */
export const complete: Operation<CompleteInput, Omit<CompletionAnswer, "raw">> = defineOperation({
  id: "complete",
  summary: "Suggest values for an argument of a prompt, a resource template, a tool or a recipe.",
  description:
    "The server that owns the prompt or template is asked where it completes; otherwise the values come from what mcpx " +
    "knows of it, and `source` says so. `ref`, `argument` and `context` are those of MCP's `completion/complete`, with " +
    "the prompt named `<namespace>.<prompt>` and the uri `mcpx://<namespace>/…`; on a command line `of`, `name` and " +
    "`value` say the same.",
  examples: [{
    command: "mcpx complete everything.completable-prompt department E",
    note: "departments that begin with E",
  }],
  effect: "read",
  http: { method: "POST", path: "/v1/complete" },
  input: z.strictObject({
    of: z.string().optional().describe(
      "What has the argument: <namespace>.<prompt or tool>, mcpx://<namespace>/…, or a recipe.",
    ),
    name: z.string().optional().describe("The argument."),
    value: z.string().optional().describe("What is typed so far."),
    ref: jsonObject.optional().describe("A ref/prompt or ref/resource, as MCP writes it."),
    argument: jsonObject.optional().describe("The argument's name and value, as MCP writes it."),
    context: jsonObject.optional().describe("`arguments`: the values chosen for other arguments."),
    caller: z.strictObject({ cwd: z.string().optional(), session: z.string().optional() }).optional()
      .describe("Who calls, where that differs from X-Mcpx-Caller."),
  }),
  output: z.object({
    values: z.array(z.string()),
    total: z.number().optional(),
    hasMore: z.boolean().optional(),
    source: z.enum(["upstream", "cache"]),
    notes: z.array(z.string()).optional(),
  }),
  cli: {
    commands: [{ words: ["complete"], positional: ["of", "name", "value"] }],
    fields: { caller: { hidden: true } },
    render: "table:values",
  },
  settings: ["completion.maxValues", "servers.groups", "pool.callTimeout", "pool.maxTotal"],
  errors: ["invalid-input", "unknown-server", "upstream-error", "call-timeout"],
  streams: false,
  run: async (input, { engine, caller }) => {
    const { raw: _raw, ...answer } = await completeNamed(engine, input, {
      ...caller,
      identity: { ...caller.identity, ...input.caller },
    });
    return answer;
  },
});
