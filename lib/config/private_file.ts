import { McpxError } from "../errors/mod.ts";

/**
 * Writes a file that only its owner may read, whole or not at all; missing folders are made with mode 0700.
 *
 * @param path the file
 * @param text its new content
 * @throws {McpxError} `state-unwritable`
 */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  const folder = path.slice(0, path.lastIndexOf("/")) || "/";
  const temporary = `${path}.${crypto.randomUUID()}.tmp`;
  try {
    await Deno.mkdir(folder, { recursive: true, mode: 0o700 });
    const file = await Deno.open(temporary, { write: true, createNew: true, mode: 0o600 });
    try {
      const bytes = new TextEncoder().encode(text);
      for (let at = 0; at < bytes.length;) at += await file.write(bytes.subarray(at));
      await file.sync();
    } finally {
      file.close();
    }
    await Deno.rename(temporary, path);
  } catch (error) {
    await Deno.remove(temporary).catch(() => undefined);
    const reason = error instanceof Error ? error.message : String(error);
    throw new McpxError("state-unwritable", `Cannot write ${path}: ${reason}.`, {
      hint: `ls -ld ${folder}`,
      data: { file: path },
      cause: error,
    });
  }
}
