import { z } from "zod";
import { execScript } from "../engine/exec_script.ts";
import { defineOperation, type Operation } from "./define.ts";
import type { TaskRecord } from "../store/mod.ts";
import { backgroundField, taskShape } from "./question_shapes.ts";
import { runDocumentFields } from "./run_document.ts";
import { RUN_SETTINGS, runFields, type RunInput, type RunOutput } from "./run_fields.ts";
import { jsonObject, textArgumentsField } from "./shapes.ts";

/** What a run is asked with. */
export interface ExecInput extends RunInput {
  code?: string | undefined;
  script?: string | undefined;
  filename?: string | undefined;
  args?: Record<string, unknown> | undefined;
  textArguments?: [string, string][] | undefined;
  export?: string | undefined;
  stream?: boolean | undefined;
  task?: boolean | undefined;
}

/** The document of a run. */
export interface ExecOutput extends RunOutput {
  ok: boolean;
  exitCode: number;
  durationMs: number;
  result?: unknown;
  results?: unknown[] | undefined;
  logs?: { level: string; text: string; attributes?: unknown }[] | undefined;
  error?: Record<string, unknown> | undefined;
  diagnostics?: unknown[] | undefined;
  calls: number;
  notes?: string[] | undefined;
  task?: TaskRecord | undefined;
}

/** Runs a script in the sandbox. */
export const exec: Operation<ExecInput, ExecOutput> = defineOperation({
  id: "exec",
  summary: "Run TypeScript over many tools, in the sandbox.",
  description:
    "Every namespace is a global object whose functions are its tools. Top-level `await` and `return` work; what is " +
    "returned is the result, `console` writes records to stderr. The script reaches tools and nothing else, unless " +
    "a profile or a flag grants it more and script.permissionsMax allows that.",
  examples: [
    { command: `mcpx exec 'return await everything.echo({ message: "hello" })'`, note: "a snippet" },
    {
      command: `mcpx exec 'return (await tools.everything.echo({ message: args.word })).length' word=hello`,
      note: "with arguments",
    },
    { command: "mcpx run ./report.ts days=7", note: "a file" },
    { command: "mcpx run ./report.ts --dry-run", note: "shows the calls that would change something" },
    { command: "mcpx run ./report.ts --allow-read=./data --typecheck", note: "may read a folder" },
  ],
  effect: "destructive",
  http: { method: "POST", path: "/v1/exec" },
  input: z.strictObject({
    code: z.string().optional().describe("TypeScript source."),
    script: z.string().optional().describe("The name of a script on the search path."),
    filename: z.string().optional().describe("The name that stack positions show."),
    args: jsonObject.optional().describe("What the script sees as `args`: one JSON object."),
    textArguments: textArgumentsField,
    export: z.string().optional().describe("The export that is called; default `default`."),
    ...runFields,
    stream: z.boolean().optional()
      .describe(
        "Over HTTP: answer with events (`emit`, `log`, `done`), as the header `accept: text/event-stream` does.",
      ),
    task: backgroundField,
  }),
  output: z.object({
    ...runDocumentFields,
    task: taskShape.optional().describe(
      "What it runs as, where that was asked for; then there is no result yet.",
    ),
  }),
  cli: {
    commands: [
      { words: ["exec"], positional: ["code", "args"], rest: true, without: ["script"], rank: 40 },
      {
        words: ["run"],
        positional: ["script", "args"],
        rest: true,
        without: ["code", "filename"],
        rank: 50,
        summary: "Run a script by its name or file, in the sandbox.",
      },
    ],
    fields: {
      code: { reads: "stdin" },
      script: { reads: "script", completion: "script" },
      args: { pairs: true },
      textArguments: { hidden: true },
      stream: { hidden: true },
    },
    render: "run",
  },
  settings: [
    "exec.timeout",
    "exec.maxWait",
    "exec.cpu",
    "exec.maxCalls",
    "exec.concurrency",
    "exec.maxOutput",
    "exec.maxResult",
    ...RUN_SETTINGS,
    "pool.callTimeout",
    "pool.maxTotal",
    "servers.groups",
    "diagnose.preflight",
    "repair.autonomy",
    "autonomy.max",
    "elicit.confirmDestructive",
    "elicit.disambiguate",
    "elicit.disambiguateDefault",
    "elicit.askTimeout",
    "elicit.ttl",
  ],
  errors: [
    "unknown-script",
    "invalid-recipe",
    "invalid-input",
    "unknown-profile",
    "not-confirmed",
    "unsupported",
    "script-preflight",
    "script-types",
    "script-syntax",
    "script-error",
    "script-timeout",
    "script-cpu",
    "script-memory",
    "script-output",
    "script-result",
    "script-calls",
    "script-storage",
    "script-unhandled",
    "script-stalled",
    "script-protocol",
    "queue-full",
    "script-exited",
    "sandbox-unavailable",
    "waiting-input",
    "cancelled",
  ],
  streams: true,
  task: titleOf,
  run: async ({ task, stream: _stream, ...input }, { engine, caller }) => {
    if (!task) return await execScript(engine, input, caller);
    const plan = { title: titleOf(input), succeeded: ({ ok }: ExecOutput) => ok };
    return {
      ok: true,
      exitCode: 0,
      durationMs: 0,
      calls: 0,
      task: await engine.tasks.start(caller, plan, (alone) => execScript(engine, input, alone)),
    };
  },
});

function titleOf({ script, filename }: ExecInput): string {
  return `exec ${script ?? filename ?? "a script"}`;
}
