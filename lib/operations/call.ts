import { z } from "zod";
import { callTool } from "../engine/call_tool.ts";
import { defineOperation, type Operation } from "./define.ts";
import type { TaskRecord } from "../store/mod.ts";
import { backgroundField, taskShape } from "./question_shapes.ts";
import { artifactRef, jsonObject, textArgumentsField } from "./shapes.ts";

/** What a call is asked with. */
export interface CallInput {
  tool: string;
  arguments?: Record<string, unknown> | undefined;
  textArguments?: [string, string][] | undefined;
  preview?: boolean | undefined;
  task?: boolean | undefined;
}

/** What a call answers. */
export interface CallOutput {
  result: unknown;
  extra?: unknown[] | undefined;
  raw: unknown;
  artifacts?: z.infer<typeof artifactRef>[] | undefined;
  notes?: string[] | undefined;
  task?: TaskRecord | undefined;
}

/** Calls one tool. */
export const call: Operation<CallInput, CallOutput> = defineOperation({
  id: "call",
  summary: "Call a tool.",
  description:
    "The arguments are one JSON object, or key=value words that the tool's schema turns into values. " +
    "What the server answers is unwrapped; `--json` shows the whole envelope.",
  examples: [
    { command: "mcpx call everything.echo message=hello", note: "key=value" },
    { command: `mcpx call everything.echo '{"message":"hello"}'`, note: "a JSON object" },
    { command: `echo '{"message":"hello"}' | mcpx call everything.echo -`, note: "from standard input" },
  ],
  effect: "destructive",
  http: {
    method: "POST",
    path: "/v1/call",
    alternate: {
      path: "/v1/call/{namespace}/{fn}",
      toInput: (params, body) => ({ tool: `${params.namespace}.${params.fn}`, arguments: body ?? {} }),
    },
  },
  input: z.strictObject({
    tool: z.string().min(1).describe("The tool: <namespace>.<function>, or a name that only one server has."),
    arguments: jsonObject.optional().describe("The arguments as one JSON object."),
    textArguments: textArgumentsField,
    preview: z.boolean().optional().describe(
      "Answer a result above output.preview with a preview and an artifact.",
    ),
    task: backgroundField,
  }),
  output: z.object({
    result: z.unknown(),
    extra: z.array(z.unknown()).optional().describe("What the envelope says beside its structured content."),
    raw: z.unknown(),
    artifacts: z.array(artifactRef).optional(),
    notes: z.array(z.string()).optional(),
    task: taskShape.optional().describe(
      "What it runs as, where that was asked for; then there is no result yet.",
    ),
  }),
  cli: {
    commands: [{ words: ["call"], positional: ["tool", "arguments"], rest: true, rank: 30 }],
    fields: {
      tool: { completion: "tool" },
      arguments: { pairs: true, reads: "stdin", completion: "argument" },
      textArguments: { hidden: true },
      preview: { hidden: true },
    },
    render: "result",
  },
  settings: [
    "pool.callTimeout",
    "pool.maxTotal",
    "output.preview",
    "output.strict",
    "repair.autonomy",
    "diagnose.drift",
    "servers.groups",
    "exec.maxWait",
    "elicit.confirmDestructive",
    "elicit.disambiguate",
    "elicit.disambiguateDefault",
    "elicit.askTimeout",
    "elicit.ttl",
  ],
  errors: [
    "unknown-server",
    "unknown-tool",
    "ambiguous-tool",
    "hidden-tool",
    "tool-changed",
    "missing-variable",
    "upstream-error",
    "tool-error",
    "call-timeout",
    "upstream-exited",
    "outcome-unknown",
    "result-schema",
    "queue-timeout",
    "waiting-input",
    "not-confirmed",
    "unanswered",
    "too-many-questions",
    "cancelled",
  ],
  streams: true,
  task: ({ tool }) => `call ${tool}`,
  run: async ({ task, ...input }, { engine, caller }) => {
    if (!task) return await callTool(engine, input, caller);
    const plan = { title: `call ${input.tool}` };
    return {
      raw: null,
      result: null,
      task: await engine.tasks.start(caller, plan, (alone) => callTool(engine, input, alone)),
    };
  },
});
