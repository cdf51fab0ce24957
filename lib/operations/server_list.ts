import { z } from "zod";
import { listServers, type ServerLine } from "../engine/list_servers.ts";
import { defineOperation, type Operation } from "./define.ts";
import { cachedField } from "./shapes.ts";

const serverLine: z.ZodType<ServerLine> = z.object({
  namespace: z.string(),
  server: z.string(),
  state: z.enum(["ready", "idle", "starting", "unread", "disabled", "error"]),
  tools: z.number().optional(),
  prompts: z.number().optional(),
  resources: z.number().optional(),
  protocolVersion: z.string().optional(),
  readAt: z.string().optional(),
  description: z.string().optional(),
  error: z.object({ code: z.string(), message: z.string(), hint: z.string().optional() }).optional(),
});

/** Lists the configured servers. */
export const serverList: Operation<
  { cached?: boolean | undefined },
  { servers: ServerLine[]; notes: string[] }
> = defineOperation({
  id: "server.list",
  summary: "List the servers and what each offers.",
  description:
    "A server that was never read is read once; after that the answer comes from the cache and starts nothing.",
  examples: [{ command: "mcpx ls", note: "every server" }, {
    command: "mcpx ls everything",
    note: "the tools of one",
  }],
  effect: "read",
  http: { method: "GET", path: "/v1/servers" },
  input: z.strictObject({ cached: cachedField }),
  output: z.object({ servers: z.array(serverLine), notes: z.array(z.string()) }),
  cli: {
    commands: [{ words: ["ls"], rank: 10 }],
    render:
      "table:servers:namespace=server,state,tools,prompts,resources,protocolVersion=protocol,description~,error!",
  },
  settings: ["servers.groups", "pool.startTimeout"],
  errors: ["invalid-config"],
  streams: true,
  run: (input, { engine, caller }) => listServers(engine, caller, { cached: input.cached ?? false }),
});
