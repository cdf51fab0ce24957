import { McpxError } from "../lib/errors/mod.ts";

/**
 * Takes the lock that one daemon of a configuration set holds for as long as it accepts connections; the system gives it
 * back however the process ends.
 *
 * @throws {McpxError} `daemon-start` when another daemon has it
 */
export async function takeOwnerLock(socket: string): Promise<Disposable> {
  const path = `${socket}.owner`;
  const file = await Deno.open(path, { create: true, write: true, mode: 0o600 });
  if (await file.tryLock(true)) return file;
  file.close();
  throw new McpxError(
    "daemon-start",
    `Cannot start a daemon: another one serves this configuration on ${socket}.`,
    {
      hint: "mcpx status",
    },
  );
}
