import type { OutgoingMessage } from "../json_rpc.ts";
import type { ConnectionEnd } from "../types.ts";

/** How one message is sent. */
export interface SendOptions {
  /** HTTP headers that the message's era asks for; a byte stream has no place for them. */
  headers?: Record<string, string>;
  /** Lets go of the exchange: over HTTP the request itself is aborted. */
  signal?: AbortSignal;
  /** The answer to this request may begin a session (`Mcp-Session-Id`). */
  beginsSession?: boolean;
  /** A broken response stream may be taken up again with `Last-Event-ID`. */
  resumable?: boolean;
}

/** What a transport tells the connection above it. */
export interface TransportEvents {
  /**
   * A parsed message, or a list of them.
   *
   * @param value what was parsed
   * @param stream the id of the request on whose own response stream it came, where there are such streams
   */
  message(value: unknown, stream?: number): void;
  /** A message that was too large to keep; `id` is set where the request it answers could be told. */
  tooLarge(bytes: number, id?: number): void;
  /** Something worth a log line. */
  note(text: string): void;
}

/** Carries JSON-RPC messages to one server and back. */
export interface Transport {
  /** Whether each request has a response stream of its own, whose closing cancels it. */
  readonly streamPerRequest: boolean;
  readonly pid?: number;
  /** Settles when nothing more will come; never rejects. */
  readonly ended: Promise<ConnectionEnd>;
  stderrTail(): string;
  /** Resolves once the message is handed over; over HTTP, once its exchange is complete. */
  send(message: OutgoingMessage, options?: SendOptions): Promise<void>;
  /** Sets the headers that every message carries from now on, beside the target's own. */
  setHeaders(headers: Record<string, string>): void;
  /** Registers who is told when the standing stream finds the session gone. */
  onSessionLost?(tell: () => void): void;
  /** Opens the stream on which a server sends what belongs to no request, where the transport has one. */
  openStandingStream(): void;
  close(graceMs: number): Promise<void>;
}

/** Thrown by a transport when the server no longer knows the session that a message was sent in. */
export class SessionLost extends Error {
  override readonly name = "SessionLost";
  /** The session has been replaced since by another. */
  readonly replaced: boolean;

  constructor(message: string, replaced: boolean) {
    super(message);
    this.replaced = replaced;
  }
}
