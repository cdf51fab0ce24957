/**
 * Where the daemon of a configuration set listens by its own record, which an environment without the same `XDG_RUNTIME_DIR` would
 * look for elsewhere: hosts pass on few variables to what they start.
 *
 * @param state the folder of the records
 * @param key the key of the configuration set
 * @returns nothing where there is no record; that it is alive is not said
 */
export function recordedSocket(state: string, key: string): string | undefined {
  try {
    const record: unknown = JSON.parse(Deno.readTextFileSync(`${state}/daemons/${key}.json`));
    const isRecord = typeof record === "object" && record !== null && "socket" in record;
    return isRecord && typeof record.socket === "string" ? record.socket : undefined;
  } catch {
    return undefined; // no record, or none that can be read: nothing is lost but this way
  }
}
