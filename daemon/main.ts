import { daemonCommand } from "../lib/cli/start_daemon.ts";
import type { DaemonOptions } from "../lib/cli/entries.ts";
import { startDaemon } from "./daemon.ts";
import { serviceUnit } from "./service_unit.ts";

/**
 * Runs a daemon until it is told to stop, by request or by signal; gives the exit status.
 *
 * @throws {McpxError} when it cannot start
 */
export async function daemonMain(options: DaemonOptions): Promise<number> {
  if (options.printUnit) {
    await Deno.stdout.write(new TextEncoder().encode(serviceUnit(options.printUnit, daemonCommand([]))));
    return 0;
  }
  const daemon = await startDaemon({
    cwd: options.cwd,
    env: Deno.env.toObject(),
    settings: options.settings,
    ...(options.configFile === undefined ? {} : { configFile: options.configFile }),
  });
  const stop = (): void => daemon.stop();
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) Deno.addSignalListener(signal, stop);
  await options.onReady();
  await daemon.stopped;
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) Deno.removeSignalListener(signal, stop);
  return 0;
}
