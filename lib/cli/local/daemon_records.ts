import type { DaemonRecord } from "../../store/daemon_record.ts";
import { accepts } from "../accepts.ts";

/** A daemon's record, and whether it listens. */
export interface KnownDaemon extends DaemonRecord {
  alive: boolean;
}

/**
 * Reads the records that daemons leave in the state folder and tries each one's socket.
 *
 * @param state the state folder
 * @returns the daemons, oldest first; records that cannot be read are left out
 */
export async function knownDaemons(state: string): Promise<KnownDaemon[]> {
  const daemons: KnownDaemon[] = [];
  for (const path of recordPaths(`${state}/daemons`)) {
    const record = readRecord(path);
    if (record) daemons.push({ ...record, alive: await accepts(record.socket) });
  }
  return daemons.sort((a, b) => a.startedAt < b.startedAt ? -1 : 1);
}

function recordPaths(folder: string): string[] {
  try {
    return [...Deno.readDirSync(folder)].filter((entry) => entry.name.endsWith(".json"))
      .map((entry) => `${folder}/${entry.name}`);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
}

function readRecord(path: string): DaemonRecord | undefined {
  let value: unknown;
  try {
    value = JSON.parse(Deno.readTextFileSync(path));
  } catch (error) {
    // A daemon that ends removes its record meanwhile, and one that is cut short is no daemon's.
    if (error instanceof Deno.errors.NotFound || error instanceof SyntaxError) return undefined;
    throw error;
  }
  if (typeof value !== "object" || value === null) return undefined;
  const { key, pid, socket, version, startedAt, configFiles, url } = value as Record<string, unknown>;
  if (typeof key !== "string" || typeof pid !== "number" || typeof socket !== "string") return undefined;
  return {
    key,
    pid,
    socket,
    version: String(version ?? ""),
    startedAt: String(startedAt ?? ""),
    configFiles: Array.isArray(configFiles) ? configFiles.map(String) : [],
    ...(typeof url === "string" ? { url } : {}),
  };
}
