/** What of Deno's that is not on by itself mcpx needs; `deno.json` says the same for the source. */
export const UNSTABLE_FLAGS: readonly string[] = ["--unstable-worker-options", "--unstable-no-legacy-abort"];

/** How a bundle is run: it needs nothing of a configuration file or a registry, and must not pick up those of the folder it is in. */
export const SEALED_FLAGS: readonly string[] = [
  "--no-config",
  "--no-lock",
  "--no-remote",
  "--no-npm",
  "--cached-only",
  ...UNSTABLE_FLAGS,
];
