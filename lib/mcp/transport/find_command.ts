import { isAbsolute, join, resolve } from "node:path";
import { McpxError } from "../../errors/mod.ts";

/** What a command is looked up with. */
export interface CommandPlace {
  env: Record<string, string>;
  cwd?: string;
}

/**
 * Finds the file that a command names, on the `PATH` that the child itself will see.
 *
 * @param command a bare name, or a path (relative ones start at `cwd`)
 * @param place the child's environment and working folder
 * @returns an absolute path
 * @throws {McpxError} `upstream-cwd-missing`, `upstream-command-missing`
 *
 * @example
 * ```ts
 * import { findCommand } from "./find_command.ts";
 * console.assert((await findCommand("sh", { env: { PATH: "/usr/bin:/bin" } })).endsWith("/sh"));
 * ```
 */
export async function findCommand(command: string, place: CommandPlace): Promise<string> {
  const cwd = place.cwd === undefined ? Deno.cwd() : resolve(place.cwd);
  if (place.cwd !== undefined && !(await stat(cwd))?.isDirectory) throw missingCwd(command, cwd);
  if (command.includes("/")) {
    const path = isAbsolute(command) ? command : resolve(cwd, command);
    const info = await stat(path);
    if (info?.isFile) return path;
    const state = info ? `${path} is no file` : `there is no file ${path}`;
    throw new McpxError("upstream-command-missing", `Cannot start ${command}: ${state}.`, {
      hint: `ls -l ${path}`,
      data: { command, path },
    });
  }
  const path = place.env.PATH ?? "";
  let found: string | undefined;
  for (const folder of path.split(":")) {
    const candidate = join(folder === "" ? cwd : resolve(cwd, folder), command);
    const info = await stat(candidate);
    if (!info?.isFile) continue;
    if (((info.mode ?? 0o111) & 0o111) !== 0) return candidate;
    found ??= candidate;
  }
  throw missingCommand(command, path, found);
}

/** `undefined` for what cannot be looked at, whyever: a name that is too long or has a NUL starts nothing either. */
async function stat(path: string): Promise<Deno.FileInfo | undefined> {
  return await Deno.stat(path).catch(() => undefined);
}

function missingCwd(command: string, cwd: string): McpxError {
  return new McpxError(
    "upstream-cwd-missing",
    `Cannot start ${command}: its working directory ${cwd} does not exist.`,
    { hint: `Create it (mkdir -p ${cwd}) or change "cwd" in the server's entry.`, data: { command, cwd } },
  );
}

function missingCommand(command: string, path: string, notExecutable: string | undefined): McpxError {
  const state = notExecutable
    ? `${notExecutable} is not executable`
    : `it is not on PATH (${path || "empty"})`;
  return new McpxError("upstream-command-missing", `Cannot start ${command}: ${state}.`, {
    hint: notExecutable
      ? `chmod +x ${notExecutable}`
      : `Find it with: command -v ${command} . Then write that absolute path as "command", ` +
        `or set "env": {"PATH": "…"} in the server's entry.`,
    data: { command, path },
  });
}
