import type { EngineRecord } from "../lib/engine/engine_options.ts";

const ENCODER = new TextEncoder();
/** How many records that begin alike are written within one minute. */
const MOST_ALIKE = 30;
const MINUTE_MS = 60_000;
const ALIKE_LENGTH = 60;

/** Records that begin alike, in the present minute. */
const written = new Map<string, number>();
let minute = 0;

/**
 * Writes one record as a line of JSON on stderr, which is the daemon's log file. Of what a server says over and over only the first
 * lines of each minute are written, and then how many there were.
 */
export function writeRecord(record: EngineRecord): void {
  const now = Math.floor(Date.now() / MINUTE_MS);
  if (now !== minute) tellOmitted();
  minute = now;
  const key = record.text.slice(0, ALIKE_LENGTH);
  const count = (written.get(key) ?? 0) + 1;
  written.set(key, count);
  if (count <= MOST_ALIKE || record.level === "error") write(record);
}

function tellOmitted(): void {
  for (const [text, count] of written) {
    if (count > MOST_ALIKE) {
      write({ level: "warn", text: `${text}…: ${count - MOST_ALIKE} more such records in one minute` });
    }
  }
  written.clear();
}

function write({ level, text, data }: EngineRecord): void {
  const line = JSON.stringify({ time: new Date().toISOString(), level, text, ...data });
  try {
    Deno.stderr.writeSync(ENCODER.encode(line + "\n"));
  } catch {
    // A full disk or a closed terminal must not end the daemon, and there is nowhere else to say so.
  }
}
