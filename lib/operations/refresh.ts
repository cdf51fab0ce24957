import { z } from "zod";
import { listServers, type ServerLine } from "../engine/list_servers.ts";
import type { ServerProblem } from "../engine/summaries.ts";
import { defineOperation, type Operation } from "./define.ts";
import { serverProblems } from "./shapes.ts";

/** Reads servers' lists again. */
export const refresh: Operation<
  { namespace?: string | undefined },
  { servers: Pick<ServerLine, "namespace" | "state" | "tools">[]; problems: ServerProblem[] }
> = defineOperation({
  id: "refresh",
  summary: "Read the lists of one server, or of all, again.",
  examples: [{ command: "mcpx refresh everything", note: "one server" }],
  effect: "write",
  http: { method: "POST", path: "/v1/refresh" },
  input: z.strictObject({
    namespace: z.string().optional().describe("A namespace or a server's name; default all."),
  }),
  output: z.object({
    servers: z.array(z.object({ namespace: z.string(), state: z.string(), tools: z.number().optional() })),
    problems: serverProblems,
  }) as z.ZodType<
    { servers: Pick<ServerLine, "namespace" | "state" | "tools">[]; problems: ServerProblem[] }
  >,
  cli: {
    commands: [{ words: ["refresh"], positional: ["namespace"] }],
    fields: { namespace: { completion: "namespace" } },
    render: "table:servers:namespace,state,tools",
  },
  settings: ["servers.groups", "pool.startTimeout"],
  errors: ["unknown-server"],
  streams: true,
  run: async (input, { engine, caller }) => {
    const problems = await engine.readListings(caller, { only: input.namespace, again: true });
    const { servers } = await listServers(engine, caller, { cached: true });
    const wanted = input.namespace === undefined
      ? undefined
      : engine.catalog.server(input.namespace).definition.name;
    return {
      servers: servers.filter((line) => wanted === undefined || line.server === wanted)
        .map(({ namespace, state, tools }) => ({
          namespace,
          state,
          ...(tools === undefined ? {} : { tools }),
        })),
      problems,
    };
  },
});
