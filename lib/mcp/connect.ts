import { McpxError } from "../errors/mod.ts";
import { openHttp } from "./open_http.ts";
import { openProcess } from "./open_process.ts";
import { startTimeout } from "./start_timeout.ts";
import type { ConnectUpstream } from "./types.ts";

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
 * ```ts ignore
 * const server = await connectUpstream(
 *   { kind: "stdio", command: "npx", args: ["-y", "@modelcontextprotocol/server-memory"], env: { PATH: "/usr/bin" } },
 *   options,
 * );
 * const { tools } = await server.readListing();
 * await server.close();
 * ```
 */
export const connectUpstream: ConnectUpstream = async (target, options) => {
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
    options.startTimeoutMs,
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
};
