import { processStamp } from "../lib/pool/process_stamp.ts";
import { readTextIfPresent } from "../lib/store/mod.ts";

/**
 * The process groups that a daemon has started, on disk, so that its successor can end what a killed daemon left behind.
 *
 * A group is known by its leader's id and start time. Where the leader is gone but the group lives on, the id cannot have been
 * given to anybody else.
 */
export class ChildLedger {
  readonly #path: string;
  readonly #children = new Map<number, string>();

  constructor(path: string) {
    this.#path = path;
  }

  /** Ends the groups that a predecessor left, and starts an empty page; gives how many there were. */
  async settle(): Promise<number> {
    const text = await readTextIfPresent(this.#path) ?? "";
    let ended = 0;
    for (const line of text.split("\n")) {
      const [pid, stamp] = line.split(" ");
      if (stamp === undefined || !/^\d+$/.test(pid ?? "")) continue;
      if (endGroup(Number(pid), stamp)) ended++;
    }
    this.#write();
    return ended;
  }

  /** A child was started, as the leader of its group. */
  started(pid: number): void {
    this.#children.set(pid, processStamp(pid) ?? "gone");
    this.#write();
  }

  /** A child's group has ended. */
  stopped(pid: number): void {
    if (this.#children.delete(pid)) this.#write();
  }

  #write(): void {
    const lines = [...this.#children].map(([pid, stamp]) => `${pid} ${stamp}\n`);
    try {
      Deno.writeTextFileSync(this.#path, lines.join(""), { mode: 0o600 });
    } catch {
      // A full disk: the ledger only matters after a kill, and what it lists is checked before it is used.
    }
  }
}

function endGroup(pid: number, stamp: string): boolean {
  const now = processStamp(pid);
  if (now !== undefined && now !== stamp) return false;
  try {
    Deno.kill(-pid, "SIGKILL");
    return true;
  } catch {
    return false; // nothing of the group is left
  }
}
