import { z } from "zod";
import { defineOperation, type Operation } from "./define.ts";

/** Removes one artifact. */
export const artifactDelete: Operation<{ id: string }, { deleted: string }> = defineOperation({
  id: "artifact.delete",
  summary: "Remove an artifact.",
  examples: [{ command: "mcpx artifact delete art-0123456789abcdef", note: "one of them" }],
  effect: "destructive",
  http: { method: "DELETE", path: "/v1/artifacts/{id}" },
  input: z.strictObject({ id: z.string().describe("The artifact's id.") }),
  output: z.object({ deleted: z.string() }),
  cli: {
    commands: [{ words: ["artifact", "delete"], positional: ["id"], rank: 62 }],
    render: "fields",
  },
  settings: [],
  errors: ["unknown-artifact"],
  streams: false,
  run: async ({ id }, { engine }) => {
    await engine.artifacts.delete(id);
    return { deleted: id };
  },
});
