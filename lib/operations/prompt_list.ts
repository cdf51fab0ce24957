import { z } from "zod";
import { listPrompts, type PromptLine } from "../engine/prompts_and_resources.ts";
import { defineOperation, type Operation } from "./define.ts";
import { cachedField, jsonObject } from "./shapes.ts";

/** Lists prompts. */
export const promptList: Operation<
  { namespace?: string | undefined; cached?: boolean | undefined },
  { prompts: PromptLine[] }
> = defineOperation({
  id: "prompt.list",
  summary: "List the prompts that servers offer.",
  examples: [{ command: "mcpx prompts list", note: "of every server" }],
  effect: "read",
  http: { method: "GET", path: "/v1/prompts" },
  input: z.strictObject({
    namespace: z.string().optional().describe("A namespace or a server's name."),
    cached: cachedField,
  }),
  output: z.object({
    prompts: z.array(z.object({
      name: z.string(),
      description: z.string().optional(),
      arguments: z.array(jsonObject),
    })),
  }),
  cli: {
    commands: [{ words: ["prompts", "list"], positional: ["namespace"] }],
    fields: { namespace: { completion: "namespace" } },
    render: "table:prompts:name,description",
  },
  settings: ["servers.groups", "pool.startTimeout"],
  errors: ["unknown-server"],
  streams: true,
  run: (input, { engine, caller }) => listPrompts(engine, caller, input),
});
