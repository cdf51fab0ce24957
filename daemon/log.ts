import type { EngineRecord } from "../lib/engine/engine.ts";

const ENCODER = new TextEncoder();

/** Writes one record as a line of JSON on stderr, which is the daemon's log file. */
export function writeRecord(record: EngineRecord): void {
  const { level, text, data } = record;
  const line = JSON.stringify({ time: new Date().toISOString(), level, text, ...data });
  try {
    Deno.stderr.writeSync(ENCODER.encode(line + "\n"));
  } catch {
    // A full disk or a closed terminal must not end the daemon, and there is nowhere else to say so.
  }
}
