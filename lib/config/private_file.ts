import { McpxError } from "../errors/mod.ts";
import { writeWhole } from "./replace_file.ts";

/**
 * Writes a file that only its owner may read, whole or not at all; missing folders are made with mode 0700.
 *
 * @param path the file
 * @param text its new content
 * @throws {McpxError} `state-unwritable`
 */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  const folder = path.slice(0, path.lastIndexOf("/")) || "/";
  try {
    await Deno.mkdir(folder, { recursive: true, mode: 0o700 });
    await writeWhole(path, text, 0o600);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new McpxError("state-unwritable", `Cannot write ${path}: ${reason}.`, {
      hint: `ls -ld ${folder}`,
      data: { file: path },
      cause: error,
    });
  }
}
