import { z } from "zod";
import { readResource } from "../engine/prompts_and_resources.ts";
import { defineOperation, type Operation } from "./define.ts";
import { artifactRef, jsonObject } from "./shapes.ts";

/** Reads one resource. */
export const resourceRead: Operation<
  { uri: string },
  { contents: Record<string, unknown>[]; artifacts?: z.infer<typeof artifactRef>[] | undefined }
> = defineOperation({
  id: "resource.read",
  summary: "Read a resource of a server's.",
  examples: [{ command: "mcpx resources read mcpx://memory/memory://knowledge-graph", note: "one resource" }],
  effect: "read",
  http: { method: "GET", path: "/v1/resource" },
  input: z.strictObject({
    uri: z.string().min(1).describe("The URI as listed: mcpx://<namespace>/<uri>, or the server's own."),
  }),
  output: z.object({ contents: z.array(jsonObject), artifacts: z.array(artifactRef).optional() }),
  cli: {
    commands: [{ words: ["resources", "read"], positional: ["uri"] }],
    fields: { uri: { completion: "resource" } },
    render: "contents",
  },
  settings: ["servers.groups", "pool.callTimeout", "pool.maxTotal"],
  errors: ["unknown-resource", "unknown-server", "upstream-error", "call-timeout", "waiting-input"],
  streams: true,
  task: ({ uri }) => `resources read ${uri}`,
  run: (input, { engine, caller }) => readResource(engine, caller, input.uri),
});
