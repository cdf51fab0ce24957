import { delay, settlesWithin } from "../delay.ts";

/** A child that leads a process group of its own. */
export interface GroupLeader {
  readonly pid: number;
  readonly status: Promise<Deno.CommandStatus>;
}

/** Sends a signal to every process of the group; false when none is left. */
export function signalGroup(pid: number, signal: Deno.Signal): boolean {
  try {
    Deno.kill(-pid, signal);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

/**
 * Ends a whole process group whose standard input was closed already: wait, TERM, wait, KILL.
 *
 * A leader that goes in time does not save what it started: the rest of the group gets the same treatment.
 *
 * @param leader the child
 * @param graceMs how long to wait before TERM, and again before KILL
 */
export async function stopGroup(leader: GroupLeader, graceMs: number): Promise<void> {
  await settlesWithin(leader.status, graceMs);
  if (!signalGroup(leader.pid, "SIGTERM")) return;
  if (await settlesWithin(leader.status, graceMs)) await groupGone(leader.pid);
  signalGroup(leader.pid, "SIGKILL");
  await leader.status;
}

/** Gives what a leader left behind a quarter of a second; a zombie that nobody reaps looks alive for as long. */
async function groupGone(pid: number): Promise<void> {
  for (let pause = 2; pause < 200 && signalGroup(pid, "SIGCONT"); pause *= 2) {
    await delay(pause, NEVER);
  }
}

const NEVER = new AbortController().signal;
