import type { McpTool } from "../../catalog/types.ts";
import type { McpxError } from "../../errors/mod.ts";
import type { JsonObject } from "../../schema/types.ts";
import type { Dispatcher, PreparedRequest } from "../dispatcher.ts";
import type { SendOptions, Transport } from "../transport/transport.ts";
import type { ConnectOptions, Era } from "../types.ts";

/** One transport with its dispatcher: what an era is spoken over. */
export interface Wire {
  readonly transport: Transport;
  readonly dispatcher: Dispatcher;
}

/** What a caller wants to know while its request runs, and what it adds to `_meta`. */
export interface RequestWishes {
  progress: boolean;
  log: boolean;
  meta?: JsonObject;
}

/** What a server said about itself when the era was opened. */
export interface ServerFacts {
  protocolVersion: string;
  serverInfo: JsonObject;
  capabilities: JsonObject;
  instructions?: string;
  /** The capabilities are a guess, for the server says nothing about itself. */
  assumed: boolean;
}

/** The messages of one era, for one connection. */
export interface EraCodec {
  readonly era: Era;
  /** Gives a request its era's members and headers. */
  request(
    id: number,
    request: { method: string; params: JsonObject },
    wishes: RequestWishes,
  ): PreparedRequest;
  /** Gives a notification its era's members and headers. */
  notification(method: string, params: JsonObject | undefined): { params?: JsonObject } & SendOptions;
  /** The params of `notifications/cancelled`, where the era tells the server so on this transport. */
  cancelNotice(id: number, reason: string): JsonObject | undefined;
  /** Looks at a result's kind. @throws {McpxError} `upstream-protocol` where the request cannot have a result of that kind */
  checkResult(result: JsonObject, wishes: RequestWishes): void;
  /** Does what follows the opening; what it keeps open ends with `closing`. */
  begin(facts: ServerFacts, closing: AbortSignal): Promise<void>;
  /**
   * Sets right what made the server refuse a request before it did anything.
   *
   * @returns whether the request may be sent again
   */
  repair(error: McpxError, method: string, readTools: () => Promise<unknown>): Promise<boolean>;
  /** Learns what the tools ask of their callers' messages; leaves out those that the era forbids to offer. */
  admitTools(tools: McpTool[]): { tools: McpTool[]; warnings: string[] };
}

/** What an era is opened with. */
export interface OpenOptions {
  clientInfo: ConnectOptions["clientInfo"];
  handlers: ConnectOptions["handlers"];
  onNotification?: ConnectOptions["onNotification"];
  /** No other era may be tried. */
  forced: boolean;
  signal: AbortSignal;
}

/** An era that the server agreed to. */
export interface OpenedEra {
  codec: EraCodec;
  facts: ServerFacts;
}

/** Asks a server for one era. @throws {NotThisEra} when the answer speaks for another era */
export type OpenEra = (wire: Wire, options: OpenOptions) => Promise<OpenedEra>;

/** The server answered, and what it said means that it does not speak the era. */
export class NotThisEra extends Error {
  override readonly name = "NotThisEra";
  /** What to tell when no other era works either. */
  readonly reason: McpxError;

  constructor(reason: McpxError) {
    super(reason.message, { cause: reason });
    this.reason = reason;
  }
}
