import { daemonCommand } from "../start_daemon.ts";
import type { CliIo } from "../io.ts";

/**
 * The command by which another program starts this mcpx: its launcher where it has one, else what runs it now.
 *
 * @param io the environment: `MCPX_LAUNCHER` is set by the launchers of the packages
 * @param words what follows the program
 */
export function ownCommand(
  io: Pick<CliIo, "env">,
  words: readonly string[],
): { command: string; args: string[] } {
  const launcher = io.env("MCPX_LAUNCHER");
  if (launcher) return { command: launcher, args: [...words] };
  const [command = "mcpx", ...rest] = daemonCommand([]).filter((word) =>
    word !== "daemon" && !word.startsWith("--v8-flags")
  );
  return { command, args: [...rest, ...words] };
}
