/** What a child's environment is composed of. */
export interface ChildEnvParts {
  /** The daemon's own environment: only the basics are taken from it. */
  base: Record<string, string>;
  /** The entry's own `env`, expanded. */
  own?: Record<string, string>;
  /** The entry's `envPassthrough`: names of variables of the caller's environment. */
  passthrough?: readonly string[];
  /** The caller's environment, as far as it was sent. Default: `base`. */
  caller?: Record<string, string>;
  /** Marks the child as mcpx's own, such as `{ MCPX_DAEMON: "1" }`; nothing overrides it. */
  marker?: Record<string, string>;
}

const BASICS: ReadonlySet<string> = new Set(["PATH", "HOME", "LANG", "LANGUAGE", "TMPDIR", "TMP", "TEMP"]);

/**
 * Composes the whole environment of a server's process: PATH, HOME, the locale and the temporary folder, then what
 * `envPassthrough` names, then its own `env`. No `MCPX_…` variable is inherited, named or not.
 *
 * @param parts where each variable may come from
 * @returns the environment; nothing else may be added to it
 * @example
 * ```ts
 * import { childEnv } from "./child_env.ts";
 * const env = childEnv({ base: { PATH: "/bin", SECRET: "x" }, own: { A: "1" } });
 * console.assert(env.PATH === "/bin" && env.A === "1" && !("SECRET" in env));
 * ```
 */
export function childEnv(parts: ChildEnvParts): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(parts.base)) {
    if (BASICS.has(name) || name.startsWith("LC_")) env[name] = value;
  }
  const caller = parts.caller ?? parts.base;
  for (const name of parts.passthrough ?? []) {
    const value = Object.hasOwn(caller, name) ? caller[name] : undefined;
    if (value !== undefined && !name.startsWith("MCPX_")) env[name] = value;
  }
  return { ...env, ...parts.own, ...parts.marker };
}
