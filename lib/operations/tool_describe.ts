import { z } from "zod";
import { describeTool, type ToolDescription } from "../engine/list_tools.ts";
import { defineOperation, type Operation } from "./define.ts";
import { toolSummary } from "./shapes.ts";

/** Describes one tool. */
export const toolDescribe: Operation<{ tool: string }, ToolDescription> = defineOperation({
  id: "describe",
  summary: "Show one tool: its signature, arguments and schemas.",
  examples: [{ command: "mcpx describe everything.echo", note: "one tool" }],
  effect: "read",
  http: { method: "GET", path: "/v1/describe" },
  input: z.strictObject({ tool: z.string().min(1).describe("The tool: <namespace>.<function>.") }),
  output: z.object({
    tool: toolSummary,
    types: z.string(),
    inputSchema: z.unknown(),
    outputSchema: z.unknown().optional(),
  }),
  cli: {
    commands: [{ words: ["describe"], positional: ["tool"], rank: 22 }],
    fields: { tool: { completion: "tool" } },
    render: "text:types",
  },
  settings: ["servers.groups"],
  errors: ["unknown-server", "unknown-tool", "ambiguous-tool", "hidden-tool"],
  streams: true,
  run: (input, { engine, caller }) => describeTool(engine, caller, input.tool),
});
