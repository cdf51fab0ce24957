import { join } from "node:path";
import { readTextIfPresent, writeFileAtomic } from "./atomic_file.ts";

/** What a running daemon writes about itself, for `mcpx daemons` and for callers over TCP. */
export interface DaemonRecord {
  /** Key of the configuration set. */
  key: string;
  pid: number;
  socket: string;
  version: string;
  /** ISO 8601, UTC. */
  startedAt: string;
  configFiles: string[];
  /** Where it listens on TCP, and the bearer token for that. */
  url?: string;
  token?: string;
}

/** The folder of the daemon records below a state folder. */
export function daemonRecordFolder(state: string): string {
  return join(state, "daemons");
}

/** Writes a daemon's record (0600). */
export async function writeDaemonRecord(state: string, record: DaemonRecord): Promise<void> {
  await writeFileAtomic(
    join(daemonRecordFolder(state), `${record.key}.json`),
    JSON.stringify(record, null, 2),
  );
}

/** Removes a daemon's record, but only its own: a successor may have written another. */
export async function removeDaemonRecord(state: string, key: string, pid: number): Promise<void> {
  const path = join(daemonRecordFolder(state), `${key}.json`);
  const text = await readTextIfPresent(path);
  if (text === undefined || !text.includes(`"pid": ${pid},`)) return;
  await Deno.remove(path).catch(() => undefined); // somebody else removed it first
}
