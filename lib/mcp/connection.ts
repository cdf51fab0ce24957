import type { ServerListing } from "../catalog/types.ts";
import { McpxError } from "../errors/mod.ts";
import type { JsonObject } from "../schema/types.ts";
import { requestTitle } from "./call_error.ts";
import type { PreparedRequest } from "./dispatcher.ts";
import { type ListingSource, readListing, readToolsAgain } from "./listing.ts";
import { SessionLost } from "./transport/transport.ts";
import type { ConnectionEnd, ConnectOptions, Era, RequestOptions, UpstreamConnection } from "./types.ts";
import type { EraCodec, OpenedEra, ServerFacts, Wire } from "./wire/codec.ts";

const DEFAULT_GRACE_MS = 2000;

/** What a connection is made of. */
export interface ConnectionParts {
  wire: Wire;
  opened: OpenedEra;
  /** Opens the same era once more on the same wire, when the server has forgotten the session. */
  reopen(signal: AbortSignal): Promise<OpenedEra>;
  onRenewed?: ConnectOptions["onRenewed"];
}

/** An opened connection. */
export class Connection implements UpstreamConnection {
  readonly era: Era;
  readonly pid?: number;
  readonly ended: Promise<ConnectionEnd>;
  readonly #wire: Wire;
  readonly #reopen: ConnectionParts["reopen"];
  readonly #onRenewed: ConnectionParts["onRenewed"];
  readonly #closing = new AbortController();
  #codec: EraCodec;
  #facts: ServerFacts;
  #reopening: Promise<void> | undefined;

  constructor({ wire, opened, reopen, onRenewed }: ConnectionParts) {
    this.#wire = wire;
    this.#reopen = reopen;
    this.#onRenewed = onRenewed;
    this.#codec = opened.codec;
    this.#facts = opened.facts;
    this.era = opened.codec.era;
    this.ended = wire.transport.ended;
    if (wire.transport.pid !== undefined) this.pid = wire.transport.pid;
    this.ended.then(() => this.#closing.abort());
    wire.transport.onSessionLost?.(() => {
      this.#renew().catch((error) => wire.dispatcher.note(McpxError.from(error).message));
    });
  }

  get protocolVersion(): string {
    return this.#facts.protocolVersion;
  }

  get serverInfo(): JsonObject {
    return this.#facts.serverInfo;
  }

  get capabilities(): JsonObject {
    return this.#facts.capabilities;
  }

  get instructions(): string | undefined {
    return this.#facts.instructions;
  }

  stderrTail(): string {
    return this.#wire.transport.stderrTail();
  }

  /** Does what follows the opening. */
  begin(): Promise<void> {
    return this.#codec.begin(this.#facts, this.#closing.signal);
  }

  async request(method: string, params: JsonObject = {}, options: RequestOptions = {}): Promise<JsonObject> {
    if (this.#reopening) await this.#reopening.catch(() => {}); // Who began it is told how it went.
    try {
      return await this.#send(method, params, options);
    } catch (error) {
      if (error instanceof SessionLost) throw await this.#renewSession(error, method, params);
      if (!(error instanceof McpxError)) throw McpxError.from(error);
      const readTools = (): Promise<void> => readToolsAgain(this.#source(options));
      if (!await this.#codec.repair(error, method, readTools)) throw error;
    }
    try {
      return await this.#send(method, params, options);
    } catch (error) {
      throw McpxError.from(error);
    }
  }

  async notify(method: string, params?: JsonObject): Promise<void> {
    const { params: own, ...send } = this.#codec.notification(method, params);
    try {
      await this.#wire.dispatcher.notify(method, own, send);
    } catch (error) {
      if (error instanceof SessionLost) throw await this.#renewSession(error, method, {});
      throw error;
    }
  }

  async readListing(options: { signal?: AbortSignal; timeoutMs?: number } = {}): Promise<ServerListing> {
    try {
      return await readListing(this.#source(options));
    } catch (error) {
      if (!(error instanceof McpxError) || error.data?.sessionRenewed !== true) throw error;
      return await readListing(this.#source(options));
    }
  }

  async close({ graceMs = DEFAULT_GRACE_MS }: { graceMs?: number } = {}): Promise<void> {
    this.#closing.abort();
    await this.#wire.transport.close(graceMs);
  }

  async #send(method: string, params: JsonObject, options: RequestOptions): Promise<JsonObject> {
    const codec = this.#codec;
    const wishes = {
      progress: options.timeoutMs !== undefined || options.onProgress !== undefined,
      log: options.onLog !== undefined,
      meta: options.meta,
    };
    const prepare = (id: number): PreparedRequest => {
      options.onId?.(id);
      return codec.request(id, { method, params }, wishes);
    };
    const result = await this.#wire.dispatcher.request(prepare, {
      ...options,
      cancelNotice: (id, reason) => codec.cancelNotice(id, reason),
    });
    codec.checkResult(result, wishes);
    return result;
  }

  #source({ signal, timeoutMs }: RequestOptions): ListingSource {
    return {
      facts: this.#facts,
      codec: this.#codec,
      request: (method, params) => this.request(method, params, { signal, timeoutMs }),
    };
  }

  /** Opens a new session in the place of the lost one, once for all who noticed. */
  #renew(): Promise<void> {
    this.#reopening ??= (async () => {
      const { codec, facts } = await this.#reopen(this.#closing.signal);
      this.#codec = codec;
      this.#facts = facts;
      await this.begin();
    })().finally(() => this.#reopening = undefined).then(() => this.#onRenewed?.());
    return this.#reopening;
  }

  /** Renews a lost session, and gives what to tell who noticed. */
  async #renewSession(lost: SessionLost, method: string, params: JsonObject): Promise<McpxError> {
    try {
      await (lost.replaced ? this.#reopening : this.#renew());
    } catch (error) {
      return McpxError.from(error);
    }
    const subject = params.name ?? params.uri;
    const title = requestTitle({ method, ...(typeof subject === "string" ? { subject } : {}) });
    return new McpxError(
      "outcome-unknown",
      `Cannot finish ${title}: the server had forgotten the session (404), and a new one was opened; ` +
        `whether the request took effect is unknown.`,
      {
        hint: "Look whether it took effect before sending it again.",
        data: { sent: true, sessionRenewed: true, method },
      },
    );
  }
}
