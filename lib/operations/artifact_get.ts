import { z } from "zod";
import { type ArtifactContent, readArtifact } from "../engine/read_artifact.ts";
import { type StoredArtifact, storedArtifact } from "./artifact_list.ts";
import { defineOperation, type Operation } from "./define.ts";

/** Shows one artifact. */
export const artifactGet: Operation<
  { id: string; content?: boolean | undefined },
  StoredArtifact & ArtifactContent
> = defineOperation({
  id: "artifact.get",
  summary: "Show where an artifact is, or what it holds.",
  examples: [{ command: "mcpx artifact get art-0123456789abcdef --content", note: "with its content" }],
  effect: "read",
  http: { method: "GET", path: "/v1/artifacts/{id}" },
  input: z.strictObject({
    id: z.string().describe("The artifact's id."),
    content: z.boolean().optional().describe("Give its content too: as text, or as base64 where it is none."),
  }),
  output: storedArtifact.and(z.object({ text: z.string().optional(), base64: z.string().optional() })),
  cli: {
    commands: [{ words: ["artifact", "get"], positional: ["id"], rank: 61 }],
    render: "fields",
  },
  settings: ["artifact.ttl"],
  errors: ["unknown-artifact", "too-large"],
  streams: false,
  run: async ({ id, content }, { engine }) => {
    const ref = await engine.artifacts.get(id);
    return content ? { ...ref, ...await readArtifact(ref) } : ref;
  },
});
