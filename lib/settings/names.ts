/** A setting's words: `proto.askTTL` -> `proto ask TTL`; a run of capitals is one word. */
function words(path: string): string[] {
  return path.split(".").flatMap((part) => part.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+/g) ?? [part]);
}

/** The environment variable of a setting: `pool.callTimeout` -> `MCPX_POOL_CALL_TIMEOUT`. */
export function settingVariable(path: string): string {
  return `MCPX_${words(path).join("_").toUpperCase()}`;
}

/** The command line flag of a setting, without dashes: `pool.callTimeout` -> `pool-call-timeout`. */
export function settingFlag(path: string): string {
  return words(path).join("-").toLowerCase();
}
