import type { ServerListing } from "../catalog/types.ts";
import type { McpxError } from "../errors/mod.ts";
import type { JsonObject } from "../schema/types.ts";

/** `legacy`: `initialize` handshake, revisions 2024-11-05 to 2025-11-25; `modern`: 2026-07-28. */
export type Era = "legacy" | "modern";

/** Where to connect, with every string already expanded. */
export type UpstreamTarget =
  | { kind: "stdio"; command: string; args: string[]; env: Record<string, string>; cwd?: string }
  | { kind: "http"; url: string; headers: Record<string, string>; transport: "http" | "sse" | "auto" };

/** Answers a request that a server makes of its client; it rejects with an error to answer with one. */
export type ServerRequestHandler = (
  params: JsonObject,
  /** Aborted when the server cancels its request or the connection ends. */
  signal: AbortSignal,
  /** {@link RequestOptions.origin} of the request on whose own stream it came, where it came on one. */
  origin?: object,
) => Promise<JsonObject>;

/** What one connection is opened with. */
export interface ConnectOptions {
  /** Which era is spoken. */
  protocol: "auto" | "legacy" | "modern";
  /** What was found last time: saves the probe. A wrong memory is noticed and corrected. */
  remembered?: Era;
  /** How long `server/discover` may stay unanswered before `initialize` is sent too, ms. */
  probeTimeoutMs: number;
  /** How long the whole opening may take, ms. */
  startTimeoutMs: number;
  /** How many bytes of stderr are kept. */
  stderrTailBytes: number;
  /** The largest single message that is accepted, bytes. */
  maxMessageBytes: number;
  /** What the server is told of the client. */
  clientInfo: { name: string; version: string };
  /** Requests of the server's that are answered; the capabilities declared follow from the keys present:
   * `elicitation/create`, `sampling/createMessage`, `roots/list`. `ping` is always answered. */
  handlers: Partial<
    Record<"elicitation/create" | "sampling/createMessage" | "roots/list", ServerRequestHandler>
  >;
  /** Every notification that belongs to no open request. */
  onNotification?: (method: string, params: JsonObject) => void;
  /** The server had forgotten the session and a new one is open: what was subscribed to or set in the old one is no more. */
  onRenewed?: () => void;
  /** Something worth a log line: junk on stdout (with a sample), a late reply, a dropped message. */
  onNote?: (note: string) => void;
  /** Ends the start. */
  signal?: AbortSignal;
}

/** One request's limits and listeners. */
export interface RequestOptions {
  /** Cancels the request, upstream too. */
  signal?: AbortSignal;
  /** Silence allowed before the request fails with `call-timeout`, ms; progress starts it anew. */
  timeoutMs?: number;
  /** Bounds the whole, progress or not, ms. */
  maxTotalMs?: number;
  /** Names the limit in the error: `pool.callTimeout`, `--timeout`, … */
  timeoutName?: string;
  /** Names the other limit: `pool.maxTotal`; without it `timeoutName` stands for both. */
  maxTotalName?: string;
  /** Stops the clock while it answers true (a person is thinking about a question). */
  paused?: () => boolean;
  /** `params` are the notification's own, unknown members and all. */
  onProgress?: (
    progress: { progress: number; total?: number; message?: string },
    params: JsonObject,
  ) => void;
  /** Log notifications that arrive on this request's own stream or, where the era cannot tell, while it runs. */
  onLog?: (entry: JsonObject) => void;
  /** Told the id that the request is sent under, before it is sent. */
  onId?: (id: number) => void;
  /** What a server's own request is said to come from when it arrives on this request's stream. */
  origin?: object;
  /** Extra members of the request's `_meta`. */
  meta?: JsonObject;
  /** Whether the request may be sent once more after a lost connection. */
  idempotent?: boolean;
}

/** Why a connection ended. */
export interface ConnectionEnd {
  /** `closed` by mcpx, the process `exited`, or the transport was `lost`. */
  kind: "closed" | "exited" | "lost";
  /** The exit status. */
  code?: number;
  /** The signal that ended it. */
  signal?: string;
  /** The last words on its stderr. */
  stderrTail?: string;
  /** The end in a sentence. */
  message: string;
}

/** One live connection to an upstream, in whichever era it speaks. */
export interface UpstreamConnection {
  /** The era that is spoken. */
  readonly era: Era;
  /** The revision that was agreed on. */
  readonly protocolVersion: string;
  /** What the server says of itself. */
  readonly serverInfo: JsonObject;
  /** What the server can do. */
  readonly capabilities: JsonObject;
  /** What the server tells its callers. */
  readonly instructions?: string;
  /** The child's process id, where there is one. */
  readonly pid?: number;
  /** Settles when the connection has ended, whoever ended it; never rejects. */
  readonly ended: Promise<ConnectionEnd>;
  /** The last bytes of the child's stderr. */
  stderrTail(): string;
  /**
   * Sends a request and gives its result as it came, unknown members and all.
   *
   * @throws {McpxError} `upstream-error` (data: code, message, data of the JSON-RPC error), `call-timeout`,
   * `cancelled`, `upstream-exited`, `outcome-unknown`, `upstream-protocol`
   */
  request(method: string, params?: JsonObject, options?: RequestOptions): Promise<JsonObject>;
  /** Sends a notification. */
  notify(method: string, params?: JsonObject): Promise<void>;
  /** Reads every list to its last page. Lists the server does not declare are empty. */
  readListing(options?: { signal?: AbortSignal; timeoutMs?: number }): Promise<ServerListing>;
  /** Ends the connection: stdin closed, then TERM, then KILL to the whole process group; DELETE over HTTP. */
  close(options?: { graceMs?: number }): Promise<void>;
}

/** Opens a connection. @throws {McpxError} an `upstream-…` code that says what was wrong */
export type ConnectUpstream = (
  target: UpstreamTarget,
  options: ConnectOptions,
) => Promise<UpstreamConnection>;

/** A failed opening that the pool can tell apart from others. */
export type ConnectError = McpxError;
