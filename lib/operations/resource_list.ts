import { z } from "zod";
import { listResources, type ResourceLine } from "../engine/prompts_and_resources.ts";
import { defineOperation, type Operation } from "./define.ts";
import { cachedField } from "./shapes.ts";

/** Lists resources and resource templates. */
export const resourceList: Operation<
  { namespace?: string | undefined; cached?: boolean | undefined },
  { resources: ResourceLine[] }
> = defineOperation({
  id: "resource.list",
  summary: "List the resources and resource templates that servers offer.",
  examples: [{ command: "mcpx resources list", note: "of every server" }],
  effect: "read",
  http: { method: "GET", path: "/v1/resources" },
  input: z.strictObject({
    namespace: z.string().optional().describe("A namespace or a server's name."),
    cached: cachedField,
  }),
  output: z.object({
    resources: z.array(z.object({
      uri: z.string(),
      kind: z.enum(["resource", "template"]),
      name: z.string(),
      description: z.string().optional(),
      mimeType: z.string().optional(),
    })),
  }),
  cli: {
    commands: [{ words: ["resources", "list"], positional: ["namespace"] }],
    fields: { namespace: { completion: "namespace" } },
    render: "table:resources:uri,kind,name,description",
  },
  settings: ["servers.groups", "pool.startTimeout"],
  errors: ["unknown-server"],
  streams: true,
  run: (input, { engine, caller }) => listResources(engine, caller, input),
});
