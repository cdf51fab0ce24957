import { McpxError } from "../errors/mod.ts";
import { openPrivateFile } from "../store/open_private_file.ts";
import { claimPrivateFolder } from "../store/private_folder.ts";
import { accepts } from "./accepts.ts";
import type { DaemonFiles } from "./socket_path.ts";

/** Who may start a daemon, and what it does. */
export interface StartLockOptions {
  timeoutMs: number;
  signal: AbortSignal;
  /** Starts the daemon; returns when its socket accepts. */
  start(): Promise<void>;
}

/**
 * Starts a daemon unless somebody else does: of commands that race, one starts it and the others wait for that one.
 *
 * A socket that nobody listens on was left by a daemon that crashed; it is removed first.
 *
 * @throws {McpxError} `daemon-start` when the other starter takes too long, `state-unwritable`, and what `start` throws
 */
export async function startUnderLock(files: DaemonFiles, options: StartLockOptions): Promise<void> {
  await claimPrivateFolder(files.lock.slice(0, files.lock.lastIndexOf("/")));
  using lock = await openPrivateFile(files.lock);
  await takeLock(lock, options);
  if (await accepts(files.socket)) return;
  await Deno.remove(files.socket).catch((error) => {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  });
  await options.start();
}

async function takeLock(lock: Deno.FsFile, options: StartLockOptions): Promise<void> {
  if (await lock.tryLock(true)) return;
  const { promise, reject } = Promise.withResolvers<never>();
  const stop = (): void =>
    reject(new McpxError("cancelled", "Interrupted while another command starts the daemon."));
  const timer = setTimeout(() =>
    reject(
      new McpxError(
        "daemon-start",
        `Cannot start the daemon: another command has been starting it for ${options.timeoutMs / 1000} s.`,
        { hint: "mcpx daemons" },
      ),
    ), options.timeoutMs);
  options.signal.addEventListener("abort", stop, { once: true });
  try {
    await Promise.race([lock.lock(true), promise]);
  } finally {
    clearTimeout(timer);
    options.signal.removeEventListener("abort", stop);
  }
}
