import { McpxError } from "../../errors/mod.ts";
import { type Api, readText } from "../api.ts";
import { prepareConnection } from "../connect.ts";
import { type CommandContext, writeNote } from "../context.ts";
import { Interrupt } from "../interrupt.ts";
import { bridgeStdio } from "../serve_bridge.ts";

/** The most bytes of a message where the daemon does not say. */
const FALLBACK_LIMIT = 64 * 1024 * 1024;
/** How long a connection may take that only ends the session, ms. */
const ENDING_MS = 2000;

/** Bridges an MCP host on stdin and stdout to the daemon, which is started where none runs. */
export async function serveHere(cx: CommandContext): Promise<number> {
  using interrupt = new Interrupt(cx.io);
  await using closing = new AsyncDisposableStack();
  // stdout is the protocol's: nothing else may be written there.
  const connection = await prepareConnection(cx, { existingOnly: false });
  refuseSelf(cx, connection.config.key);
  const headers = withSession(connection.headers);
  let inline: Api | undefined;
  const connect = async (): Promise<Api> => {
    // Inside the command there is one engine, whose sessions all requests share.
    if (inline) return inline;
    // An interrupted bridge still has its session to end.
    const { signal } = interrupt;
    const reached = await connection.open(signal.aborted ? AbortSignal.timeout(ENDING_MS) : signal);
    if (!reached) throw new McpxError("daemon-unreachable", "Cannot reach the daemon: none is running.");
    const { api, headers: own } = reached;
    const shared = reached.by === "inline";
    const opened: Api = {
      request: (request, signal) =>
        api.request({ ...request, headers: { ...own, ...request.headers } }, signal),
      close: shared ? (): void => undefined : () => api.close(),
    };
    if (shared) {
      inline = opened;
      closing.defer(() => api.close());
    }
    return opened;
  };
  await bridgeStdio({
    input: cx.io.openStdin(),
    write: (line) => cx.out.write(line),
    connect,
    headers,
    maxLine: () => readLimit(connect, headers, interrupt.signal),
    signal: interrupt.signal,
    note: (text) => void writeNote(cx, text),
  });
  return 0;
}

/** The daemon's limit of a message. */
async function readLimit(
  connect: () => Promise<Api>,
  headers: Record<string, string>,
  signal: AbortSignal,
): Promise<number> {
  const api = await connect().catch(() => undefined);
  if (!api) return FALLBACK_LIMIT; // whoever sent the line learns from its answer that there is no daemon
  try {
    const request = { method: "GET", path: "/v1/settings/http.maxBody", headers };
    const setting: unknown = JSON.parse(await readText(await api.request(request, signal)));
    const value = typeof setting === "object" && setting !== null && "value" in setting ? setting.value : 0;
    return typeof value === "number" && value > 0 ? value : FALLBACK_LIMIT;
  } finally {
    await api.close();
  }
}

/** An entry that starts mcpx on the configuration that it stands in would have mcpx call itself for ever. */
function refuseSelf({ io }: CommandContext, key: string): void {
  const marker = io.env("MCPX_UPSTREAM") ?? "";
  if (!marker.startsWith(`${key}:`)) return;
  const name = marker.slice(key.length + 1);
  throw new McpxError(
    "server-config",
    `Cannot serve: the entry ${name} is mcpx itself, on the configuration that it stands in.`,
    {
      hint: `Take ${name} out of the configuration, or give it another one with --config.`,
    },
  );
}

/** A host's connection is a session of its own, where it is not told to belong to another one. */
function withSession(headers: Record<string, string>): Record<string, string> {
  const caller: unknown = JSON.parse(headers["x-mcpx-caller"] ?? "{}");
  if (typeof caller !== "object" || caller === null || "session" in caller) return headers;
  const named = { ...caller, session: `mcp-${crypto.randomUUID()}` };
  return {
    ...headers,
    // Everything beyond ASCII is escaped already; parsing has undone that.
    "x-mcpx-caller": JSON.stringify(named).replace(
      /[\u007f-\uffff]/g,
      (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
    ),
  };
}
