import { z } from "zod";
import { getPrompt } from "../engine/prompts_and_resources.ts";
import { defineOperation, type Operation } from "./define.ts";
import { jsonObject, textArgumentsField } from "./shapes.ts";

/** Renders one prompt. */
export const promptGet: Operation<
  {
    name: string;
    arguments?: Record<string, unknown> | undefined;
    textArguments?: [string, string][] | undefined;
  },
  Record<string, unknown>
> = defineOperation({
  id: "prompt.get",
  summary: "Render a prompt of a server's.",
  examples: [{ command: "mcpx prompts get everything.args-prompt city=Bern", note: "with an argument" }],
  effect: "read",
  http: { method: "POST", path: "/v1/prompt" },
  input: z.strictObject({
    name: z.string().min(1).describe("The prompt: <namespace>.<name>."),
    arguments: jsonObject.optional().describe("The arguments as one JSON object; values are strings."),
    textArguments: textArgumentsField,
  }),
  output: jsonObject,
  cli: {
    commands: [{ words: ["prompts", "get"], positional: ["name", "arguments"], rest: true }],
    fields: {
      name: { completion: "prompt" },
      arguments: { pairs: true, completion: "argument" },
      textArguments: { hidden: true },
    },
    render: "messages",
  },
  settings: ["servers.groups", "pool.callTimeout", "pool.maxTotal"],
  errors: ["unknown-prompt", "unknown-server", "upstream-error", "call-timeout", "waiting-input"],
  streams: true,
  task: ({ name }) => `prompts get ${name}`,
  run: (input, { engine, caller }) => getPrompt(engine, caller, input),
});
