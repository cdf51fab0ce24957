import process from "node:process";

/**
 * Tells a running process from a later one that got the same id.
 *
 * @param pid the process's id
 * @returns its start time where the system shows one, else a constant; undefined when there is no such process
 */
export function processStamp(pid: number): string | undefined {
  try {
    const stat = Deno.readTextFileSync(`/proc/${pid}/stat`);
    // The command's name, in brackets, may hold spaces and brackets of its own: count the fields after the last.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" ? undefined : fields[19];
  } catch {
    return answersSignals(pid) ? "running" : undefined;
  }
}

/** For systems without `/proc`. A process of another user's refuses the signal, but is there. */
function answersSignals(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (thrown) {
    return thrown instanceof Error && "code" in thrown && thrown.code === "EPERM";
  }
}
