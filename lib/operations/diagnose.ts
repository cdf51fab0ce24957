import { z } from "zod";
import { type DiagnoseDocument, type DiagnoseRequest, diagnoseScripts } from "../engine/diagnose_scripts.ts";
import { defineOperation, type Operation } from "./define.ts";
import { recipeProblems } from "./recipe_shapes.ts";
import { finding, serverProblems } from "./shapes.ts";

/** Checks scripts against the schemas without running them. */
export const diagnose: Operation<DiagnoseRequest, DiagnoseDocument> = defineOperation({
  id: "diagnose",
  summary: "Check the tool calls of a script against the schemas, without running it.",
  description:
    "Says what is wrong, what changed and when, what was written, and the smallest fix. No model is asked.",
  examples: [
    { command: "mcpx diagnose ./report.ts", note: "a file" },
    { command: `echo 'await everything.echo()' | mcpx diagnose -`, note: "from standard input" },
    { command: "mcpx diagnose --all", note: "every script on the search path" },
  ],
  effect: "read",
  http: { method: "POST", path: "/v1/diagnose" },
  input: z.strictObject({
    code: z.string().optional().describe("TypeScript source."),
    script: z.string().optional().describe("The name of a script on the search path."),
    filename: z.string().optional().describe("The name that the answer shows."),
    all: z.boolean().optional().describe("Diagnose every script on the search path."),
  }),
  output: z.object({
    exitCode: z.number(),
    scripts: z.array(
      z.object({ script: z.string(), findings: z.array(finding), recipe: recipeProblems.optional() }),
    ),
    problems: serverProblems,
    text: z.string(),
  }),
  cli: {
    commands: [{ words: ["diagnose"], positional: ["script"], rank: 55 }],
    fields: {
      script: { reads: "script", completion: "script", conflicts: ["all", "code"] },
      code: { conflicts: ["all"] },
    },
    render: "text:text",
  },
  settings: ["servers.groups", "pool.startTimeout"],
  errors: ["unknown-script", "invalid-input"],
  streams: true,
  run: (input, { engine, caller }) => diagnoseScripts(engine, input, caller),
});
