import { McpxError } from "../errors/mod.ts";
import { LONGEST_TIMER_MS } from "./delay.ts";
import { openHttp } from "./open_http.ts";
import { openProcess } from "./open_process.ts";
import { startTimeout } from "./start_timeout.ts";
import type { ConnectOptions, UpstreamConnection, UpstreamTarget } from "./types.ts";

/**
 * Opens a connection to an MCP server, over stdio or HTTP, in the era that it speaks.
 *
 * @param target where the server is, every string expanded
 * @param options limits, handlers and listeners
 * @returns a live connection; whoever opened it closes it
 * @throws {McpxError} `upstream-command-missing`, `upstream-cwd-missing`, `upstream-start-exited`,
 * `upstream-start-timeout`, `upstream-unauthorized`, `upstream-dns`, `upstream-tls`, `upstream-refused`,
 * `upstream-http`, `upstream-protocol`, `upstream-error`, `cancelled`
 * @see spec 01, Pool; spec 98.11
 *
 * @example
 * ```ts
 * import { connectUpstream } from "./connect.ts";
 * const options = {
 *   protocol: "auto",
 *   probeTimeoutMs: 2000,
 *   startTimeoutMs: 60_000,
 *   stderrTailBytes: 8192,
 *   maxMessageBytes: 64 * 1024 * 1024,
 *   clientInfo: { name: "example", version: "1.0.0" },
 *   handlers: {},
 * } as const;
 * const target = { kind: "stdio", command: "no-such-server", args: [], env: { PATH: "/usr/bin" } } as const;
 * const reason = await connectUpstream({ ...target, args: [] }, options).catch((error) => error.code);
 * console.assert(reason === "upstream-command-missing");
 * ```
 */
export async function connectUpstream(
  target: UpstreamTarget,
  options: ConnectOptions,
): Promise<UpstreamConnection> {
  const opening = new AbortController();
  const onAbort = (): void => {
    const reason: unknown = options.signal?.reason;
    opening.abort(
      reason instanceof McpxError
        ? reason
        : new McpxError("cancelled", "Cancelled by the caller.", { cause: reason }),
    );
  };
  const timer = setTimeout(
    () => opening.abort(startTimeout("open the connection", options.startTimeoutMs)),
    Math.min(LONGEST_TIMER_MS, options.startTimeoutMs),
  );
  options.signal?.addEventListener("abort", onAbort, { once: true });
  if (options.signal?.aborted) onAbort();
  try {
    opening.signal.throwIfAborted();
    return target.kind === "stdio"
      ? await openProcess(target, options, opening.signal)
      : await openHttp(target, options, opening.signal);
  } catch (error) {
    throw McpxError.from(error);
  } finally {
    clearTimeout(timer);
    options.signal?.removeEventListener("abort", onAbort);
  }
}
