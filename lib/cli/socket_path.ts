/** The most bytes that a socket's path may have: the smallest limit of the systems that mcpx runs on, with its ending zero. */
const LIMIT = 103;

/** What a daemon of one configuration set is reached and guarded by. */
export interface DaemonFiles {
  socket: string;
  /** Locked by whoever starts the daemon. */
  lock: string;
}

/**
 * Names the socket and the start lock of a daemon, by a short path of its own where the runtime folder is too deep for a socket.
 *
 * @param options.runtime the runtime folder
 * @param options.key the key of the configuration set
 * @param options.uid the user, who owns the short folder
 * @param options.temporary a shallow folder for the short path; default `/tmp`
 * @returns absolute paths in one folder, which has to be created with mode 0700
 *
 * @example
 * ```ts
 * import { daemonFiles } from "./socket_path.ts";
 * console.assert(daemonFiles({ runtime: "/run/user/1/mcpx", key: "k", uid: 1 }).socket === "/run/user/1/mcpx/k.sock");
 * ```
 */
export function daemonFiles(
  options: { runtime: string; key: string; uid: number | null; temporary?: string },
): DaemonFiles {
  const { runtime, key, uid, temporary = "/tmp" } = options;
  const plain = `${runtime}/${key}`;
  const fits = new TextEncoder().encode(`${plain}.sock`).length <= LIMIT;
  const base = fits ? plain : `${temporary}/mcpx-${uid ?? 0}-${shortHash(runtime)}/${key}`;
  return { socket: `${base}.sock`, lock: `${base}.lock` };
}

/** Twelve hexadecimal digits that tell runtime folders apart; no secret is derived from it. */
function shortHash(text: string): string {
  let hash = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(text)) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  }
  return hash.toString(16).padStart(16, "0").slice(0, 12);
}
