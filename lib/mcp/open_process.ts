import { McpxError } from "../errors/mod.ts";
import type { Connection } from "./connection.ts";
import { type EraPlan, LEGACY_ONLY, openWire, planEras } from "./open_wire.ts";
import { lastWords } from "./last_words.ts";
import { startTimeout } from "./start_timeout.ts";
import { openStdio } from "./transport/stdio.ts";
import type { Transport } from "./transport/transport.ts";
import type { ConnectOptions, UpstreamTarget } from "./types.ts";

/**
 * Starts a server's process and opens a connection with it.
 *
 * A process that ends on the probe is started once more and spoken to by `initialize` alone.
 */
export async function openProcess(
  target: UpstreamTarget & { kind: "stdio" },
  options: ConnectOptions,
  signal: AbortSignal,
): Promise<Connection> {
  let last: Transport | undefined;
  const attempt = (plan: EraPlan): Promise<Connection> =>
    openWire(async (events) => last = await openStdio(target, options, events), { plan, options, signal });
  const plan = planEras(options);
  try {
    return await attempt(plan).catch((error) => {
      if (!plan.probes || !hasEnded(error)) throw error;
      return attempt(LEGACY_ONLY);
    });
  } catch (thrown) {
    throw startFailure(McpxError.from(thrown), target.command, {
      ...options,
      stderrTail: last?.stderrTail() ?? "",
    });
  }
}

/** Whether the process, or its side of the pipes, ended during the opening. */
function hasEnded(error: unknown): boolean {
  return error instanceof McpxError && (error.code === "upstream-exited" || error.code === "outcome-unknown");
}

/** Says of a failed opening what the process showed of itself. */
function startFailure(
  error: McpxError,
  command: string,
  options: { startTimeoutMs: number; stderrTail: string },
): McpxError {
  const { stderrTail } = options;
  const tail = stderrTail.trim() === "" ? {} : { stderrTail };
  const words = lastWords(stderrTail);
  const said = words === "" ? "" : ` It last wrote: ${words}`;
  if (hasEnded(error)) {
    const { code, signal } = error.data ?? {};
    const how = signal === undefined ? `exit status ${String(code)}` : `signal ${String(signal)}`;
    return new McpxError(
      "upstream-start-exited",
      `Cannot start ${command}: its process ended (${how}) before it answered.${said}`,
      {
        hint: "Run the command by hand to see what it misses: a variable, an argument, a package.",
        data: {
          command,
          ...(code === undefined ? {} : { code }),
          ...(signal === undefined ? {} : { signal }),
          ...tail,
        },
        cause: error,
      },
    );
  }
  if (error.code !== "upstream-start-timeout") return error;
  return startTimeout(`start ${command}`, options.startTimeoutMs, { command, ...tail });
}
