import { McpxError } from "../errors/mod.ts";
import { readRegularText } from "../store/read_regular_file.ts";

/** The largest file that is replaced: types of many tools have more than any configuration. */
const MAX_BYTES = 64 * 1024 * 1024;

/**
 * Replaces a configuration file whole or not at all: its mode stays, and a link keeps pointing to it.
 *
 * @param path the file; it and its folder are made where they do not exist, for the owner alone
 * @param text the new content
 * @param options.backup whether the old content is kept beside it as `<name>.mcpx-backup`
 * @param options.expected the content that the change was made from: where the file has another by now, it is left alone
 * @returns the path of the backup, where one was made
 * @throws {McpxError} `invalid-config` when the file has changed meanwhile, `state-unwritable`
 *
 * @example
 * ```ts
 * import { replaceFile } from "./replace_file.ts";
 * const folder = await Deno.makeTempDir();
 * await replaceFile(`${folder}/new.json`, "{}\n");
 * await Deno.remove(folder, { recursive: true });
 * ```
 */
export async function replaceFile(
  path: string,
  text: string,
  options: { backup?: boolean; expected?: string } = {},
): Promise<string | undefined> {
  try {
    return await replace(path, text, options);
  } catch (error) {
    if (error instanceof McpxError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new McpxError("state-unwritable", `Cannot write ${path}: ${reason}.`, {
      hint: `ls -ld ${path}`,
      data: { file: path },
      cause: error,
    });
  }
}

async function replace(
  path: string,
  text: string,
  { backup, expected }: { backup?: boolean; expected?: string },
): Promise<string | undefined> {
  const present = await readPresent(path);
  if (expected !== undefined && expected !== (present?.text ?? "")) {
    throw new McpxError("invalid-config", `Cannot write ${path}: it has changed meanwhile.`, {
      hint: "Run the command again.",
      data: { file: path },
    });
  }
  const real = present?.real ?? path;
  const mode = present?.mode ?? 0o600;
  await Deno.mkdir(real.slice(0, real.lastIndexOf("/")) || "/", { recursive: true, mode: 0o700 });
  const kept = backup && present ? `${real}.mcpx-backup` : undefined;
  if (kept && present) await writeWhole(kept, present.text, mode);
  await writeWhole(real, text, mode);
  return kept;
}

async function readPresent(path: string): Promise<{ real: string; text: string; mode: number } | undefined> {
  try {
    const real = await Deno.realPath(path);
    const { mode } = await Deno.stat(real);
    return { real, text: await readRegularText(real, { limit: MAX_BYTES }), mode: (mode ?? 0o600) & 0o777 };
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

/** Writes beside the file and renames over it, so that nobody ever reads half of it. */
export async function writeWhole(path: string, text: string, mode: number): Promise<void> {
  const temporary = `${path}.${crypto.randomUUID()}.tmp`;
  try {
    const file = await Deno.open(temporary, { write: true, createNew: true, mode: 0o600 });
    try {
      const bytes = new TextEncoder().encode(text);
      for (let at = 0; at < bytes.length;) at += await file.write(bytes.subarray(at));
      await file.sync();
    } finally {
      file.close();
    }
    // The umask does not count here: the mode is the one that the file had.
    await Deno.chmod(temporary, mode);
    await Deno.rename(temporary, path);
  } catch (error) {
    await Deno.remove(temporary).catch(() => undefined);
    throw error;
  }
}
