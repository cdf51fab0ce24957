import { fileURLToPath } from "node:url";

/** The root of the repository, with a slash. */
export const ROOT: string = fileURLToPath(new URL("../../", import.meta.url));

/** How a program is run. */
export interface RunOptions {
  cwd?: string;
  env?: Record<string, string>;
}

/** Runs a program to its end, and gives what it wrote. @throws {Error} when it fails, with what it said */
export async function run(
  command: string,
  args: readonly string[],
  options: RunOptions = {},
): Promise<string> {
  const { code, stdout, stderr } = await new Deno.Command(command, {
    args: [...args],
    cwd: options.cwd ?? ROOT,
    env: { NO_COLOR: "1", ...options.env },
    stdin: "null",
  }).output();
  const said = new TextDecoder().decode(stderr);
  if (code === 0) return new TextDecoder().decode(stdout) + said;
  throw new Error(`Cannot run ${command} ${args[0] ?? ""}: it ended with ${code}.\n${said}`);
}

/** Runs Deno itself. @throws {Error} when it fails */
export function deno(args: readonly string[], options: RunOptions = {}): Promise<string> {
  return run(Deno.execPath(), args, options);
}

/** Says something on stdout. */
export function say(line: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
}
