import { z } from "zod";
import { listTools } from "../engine/list_tools.ts";
import type { ServerProblem, ToolSummary } from "../engine/summaries.ts";
import { defineOperation, type Operation } from "./define.ts";
import { cachedField, serverProblems, toolSummary } from "./shapes.ts";

/** Lists tools. */
export const toolList: Operation<
  { namespace?: string | undefined; cached?: boolean | undefined },
  { tools: ToolSummary[]; problems: ServerProblem[] }
> = defineOperation({
  id: "tool.list",
  summary: "List the tools of one server, or of all.",
  examples: [{ command: "mcpx tools everything", note: "one server" }, {
    command: "mcpx tools --json",
    note: "all, as data",
  }],
  effect: "read",
  http: { method: "GET", path: "/v1/tools" },
  input: z.strictObject({
    namespace: z.string().optional().describe("A namespace or a server's name."),
    cached: cachedField,
  }),
  output: z.object({ tools: z.array(toolSummary), problems: serverProblems }),
  cli: {
    commands: [{ words: ["tools"], positional: ["namespace"], rank: 15 }],
    fields: { namespace: { completion: "namespace" } },
    render: "table:tools:name,signature+,description~",
  },
  settings: ["servers.groups", "pool.startTimeout"],
  errors: ["unknown-server"],
  streams: true,
  run: (input, { engine, caller }) => listTools(engine, caller, input),
});
