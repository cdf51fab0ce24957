import { McpxError } from "../lib/errors/mod.ts";
import { openPrivateFile } from "../lib/store/mod.ts";

/** The lock that one daemon of a configuration set holds. */
export interface OwnerLock extends Disposable {
  /** Whether the lock's file is still the one that others would lock. */
  holds(): boolean;
}

/**
 * Takes the lock that one daemon of a configuration set holds for as long as it accepts connections; the system gives it
 * back however the process ends.
 *
 * @throws {McpxError} `daemon-start` when another daemon has it, `state-unwritable`
 */
export async function takeOwnerLock(socket: string): Promise<OwnerLock> {
  const path = `${socket}.owner`;
  const file = await openPrivateFile(path);
  if (await file.tryLock(true)) {
    let held = true;
    return {
      holds: () => held && sameFile(file, path),
      [Symbol.dispose](): void {
        if (held) file.close();
        held = false;
      },
    };
  }
  file.close();
  throw served(socket);
}

/** Another daemon is there already. */
export function served(socket: string): McpxError {
  return new McpxError(
    "daemon-start",
    `Cannot start a daemon: another one serves this configuration on ${socket}.`,
    { hint: "mcpx stop" },
  );
}

function sameFile(file: Deno.FsFile, path: string): boolean {
  try {
    const [own, there] = [file.statSync(), Deno.lstatSync(path)];
    return own.dev === there.dev && own.ino === there.ino;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
