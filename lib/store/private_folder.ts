import { McpxError } from "../errors/mod.ts";

/**
 * Makes a folder that only its owner can enter (0700), with its parents.
 *
 * @throws {McpxError} `state-unwritable` when it cannot be made, or is not a folder of this user's own
 */
export async function ensurePrivateFolder(path: string): Promise<void> {
  try {
    await Deno.mkdir(path, { recursive: true, mode: 0o700 });
    const info = await Deno.stat(path);
    if (!info.isDirectory) throw new Error("it is not a folder");
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new McpxError("state-unwritable", `Cannot make the folder ${path}: ${reason}.`, {
      cause,
      data: { path },
    });
  }
}

/**
 * Makes a folder private even where it existed with wider permissions, and refuses one that belongs to somebody else.
 *
 * @throws {McpxError} `state-unwritable`
 */
export async function claimPrivateFolder(path: string): Promise<void> {
  await ensurePrivateFolder(path);
  const info = await Deno.stat(path);
  const user = Deno.uid();
  if (user !== null && info.uid !== null && info.uid !== user) {
    throw new McpxError("state-unwritable", `Cannot use the folder ${path}: it belongs to another user.`, {
      data: { path },
    });
  }
  if (info.mode !== null && (info.mode & 0o077) !== 0) await Deno.chmod(path, 0o700);
}
