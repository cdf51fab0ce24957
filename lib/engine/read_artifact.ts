import { McpxError } from "../errors/mod.ts";
import type { ArtifactRef } from "../store/mod.ts";

/** What an artifact holds. */
export interface ArtifactContent {
  text?: string | undefined;
  base64?: string | undefined;
}

const MOST_BYTES = 16 * 1024 ** 2;

/**
 * Reads what an artifact holds: text where it is text, else base64.
 *
 * @throws {McpxError} `too-large`
 */
export async function readArtifact({ id, path, bytes }: ArtifactRef): Promise<ArtifactContent> {
  if (bytes > MOST_BYTES) {
    throw new McpxError("too-large", `Cannot give the content of ${id}: it has ${bytes} bytes.`, {
      hint: `It is in ${path}.`,
    });
  }
  const content = await Deno.readFile(path);
  try {
    return { text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(content) };
  } catch {
    return { base64: content.toBase64() };
  }
}
