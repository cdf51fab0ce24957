import { join } from "node:path";
import { McpxError } from "../../errors/mod.ts";

const OWN_NAME = /^(\d+)-/;

/** A folder that one run may write, and that is gone with it. */
export interface ScratchFolder extends AsyncDisposable {
  /** Its real path. */
  path: string;
}

/**
 * Makes a scratch folder for one run.
 *
 * @param parent where they all are
 * @throws {McpxError} `state-unwritable`
 */
export async function makeScratchFolder(parent: string): Promise<ScratchFolder> {
  try {
    await Deno.mkdir(parent, { recursive: true, mode: 0o700 });
    const path = await Deno.realPath(await Deno.makeTempDir({ dir: parent, prefix: `${Deno.pid}-` }));
    return { path, [Symbol.asyncDispose]: () => removeFolder(path) };
  } catch (cause) {
    throw new McpxError("state-unwritable", `Cannot make a scratch folder in ${parent}.`, { cause });
  }
}

/** Removes the scratch folders that a daemon left which was killed. */
export async function sweepScratchFolders(parent: string): Promise<void> {
  try {
    for await (const { name } of Deno.readDir(parent)) {
      const pid = Number(OWN_NAME.exec(name)?.[1] ?? Deno.pid);
      if (pid !== Deno.pid && !await isAlive(pid)) await removeFolder(join(parent, name));
    }
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

/** A script may have taken away its own right to look into a folder, or what it started may still write: then it is tried once more. */
async function removeFolder(path: string): Promise<void> {
  try {
    await Deno.remove(path, { recursive: true });
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return;
    await Deno.chmod(path, 0o700);
    await Deno.remove(path, { recursive: true });
  }
}

async function isAlive(pid: number): Promise<boolean> {
  try {
    // Signal 0 cannot be sent: where there is no /proc, a folder of another process is left alone.
    await Deno.stat(Deno.build.os === "linux" ? `/proc/${pid}` : "/");
    return true;
  } catch {
    return false;
  }
}
