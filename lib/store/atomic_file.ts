import { dirname } from "node:path";
import { McpxError } from "../errors/mod.ts";
import { ensurePrivateFolder } from "./private_folder.ts";

/** How a file is written. */
export interface WriteOptions {
  /** Whether the bytes are on the disk before the file takes its name; default true. */
  sync?: boolean;
}

/**
 * Writes a whole file so that a reader sees the old content or the new, never a part; mode 0600.
 *
 * @param path where; its folder is made (0700) when it is missing
 * @param content text, or bytes
 * @throws {McpxError} `state-unwritable`
 */
export async function writeFileAtomic(
  path: string,
  content: string | Uint8Array,
  options: WriteOptions = {},
): Promise<void> {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  const temporary = `${path}.${Deno.pid}.${crypto.randomUUID().slice(0, 8)}.tmp`;
  try {
    await ensurePrivateFolder(dirname(path));
    const file = await Deno.open(temporary, { createNew: true, write: true, mode: 0o600 });
    try {
      for (let written = 0; written < bytes.length;) written += await file.write(bytes.subarray(written));
      if (options.sync ?? true) await file.syncData();
    } finally {
      file.close();
    }
    await Deno.rename(temporary, path);
  } catch (cause) {
    await Deno.remove(temporary).catch(() => undefined); // the failure of the write is what is reported
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new McpxError("state-unwritable", `Cannot write ${path}: ${reason}.`, {
      cause,
      hint: "Check free space and permissions, or set XDG_STATE_HOME and XDG_CACHE_HOME to another place.",
      data: { path },
    });
  }
}

/** Reads a text file; `undefined` where there is none. */
export async function readTextIfPresent(path: string): Promise<string | undefined> {
  try {
    return await Deno.readTextFile(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

/** Moves a file that cannot be used out of the way, keeping it; gives the new path. */
export async function setAside(path: string, now: Date): Promise<string> {
  const aside = `${path}.unusable-${now.toISOString().replace(/[:.]/g, "-")}`;
  await Deno.rename(path, aside);
  return aside;
}
