import { z } from "zod";
import type { ArtifactRef } from "../store/mod.ts";
import { defineOperation, type Operation } from "./define.ts";
import { artifactRef } from "./shapes.ts";

/** A stored artifact with the time that it was stored. */
export type StoredArtifact = ArtifactRef & { createdAt: string };

/** The schema of {@link StoredArtifact}. */
export const storedArtifact: z.ZodType<StoredArtifact> = artifactRef.and(z.object({ createdAt: z.string() }));

/** Lists what is stored. */
export const artifactList: Operation<Record<string, never>, { artifacts: StoredArtifact[] }> =
  defineOperation({
    id: "artifact.list",
    summary: "List the artifacts that scripts and large results have left, oldest first.",
    examples: [{ command: "mcpx artifact list", note: "all of them" }],
    effect: "read",
    http: { method: "GET", path: "/v1/artifacts" },
    input: z.strictObject({}) as unknown as z.ZodType<Record<string, never>>,
    output: z.object({ artifacts: z.array(storedArtifact) }),
    cli: {
      commands: [{ words: ["artifact", "list"], rank: 60 }],
      render: "table:artifacts:id,name,bytes,mimeType,createdAt",
    },
    settings: ["artifact.quota", "artifact.ttl"],
    errors: [],
    streams: false,
    run: async (_input, { engine }) => ({ artifacts: await engine.artifacts.list() }),
  });
