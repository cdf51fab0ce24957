import type { HostFormat, HostPlace } from "../../config/hosts/types.ts";
import { McpxError } from "../../errors/mod.ts";
import type { CommandContext } from "../context.ts";

const VARIABLES = ["HOME", "XDG_CONFIG_HOME", "CODEX_HOME", "APPDATA"];

/** Where other hosts' files of this caller are looked for. @throws {McpxError} `state-unwritable` without a HOME */
export function hostPlace({ io }: CommandContext): HostPlace {
  const env: Record<string, string | undefined> = {};
  for (const name of VARIABLES) env[name] = io.env(name);
  if (!env.HOME) {
    throw new McpxError("state-unwritable", "Cannot find the files of other hosts: HOME is not set.", {
      hint: "export HOME=/path/to/your/home",
    });
  }
  return { home: env.HOME, cwd: io.cwd, env, os: Deno.build.os };
}

/** Whether a host has a file here. */
export async function hasFile(host: HostFormat, place: HostPlace): Promise<boolean> {
  for (const { path } of host.files(place)) {
    if (await Deno.stat(path).then(({ isFile }) => isFile, () => false)) return true;
  }
  return false;
}
