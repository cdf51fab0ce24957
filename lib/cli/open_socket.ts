import { McpxError } from "../errors/mod.ts";
import { delay } from "./delay.ts";
import { HttpConnection } from "./transport.ts";

const FIRST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 250;

/**
 * Connects to a daemon's socket. Where more connections wait there than the system lets wait, it is busy: it is tried again.
 *
 * @param path the socket
 * @param options how long to try, and what ends it
 * @throws {McpxError} `daemon-unreachable` where it stays busy, `cancelled`; and what `Deno.connect` throws for anything else
 */
export async function openSocket(
  path: string,
  { timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal },
): Promise<HttpConnection> {
  const deadline = Date.now() + timeoutMs;
  for (let pause = FIRST_PAUSE_MS;; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
    try {
      return await HttpConnection.open({ kind: "unix", path });
    } catch (error) {
      if (!(error instanceof Deno.errors.WouldBlock)) throw error;
      if (Date.now() + pause > deadline) throw busy(path, timeoutMs, error);
      await delay(pause, signal);
    }
  }
}

function busy(path: string, ms: number, cause: unknown): McpxError {
  return new McpxError(
    "daemon-unreachable",
    `Cannot use the daemon at the socket ${path}: it is busy, and has taken no connection for ${
      ms / 1000
    } s.`,
    {
      hint:
        "Run the command again later, or: mcpx daemons shows its process; kill -9 that, and the next command starts another.",
      cause,
    },
  );
}
