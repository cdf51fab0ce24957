import { McpxError } from "../../../lib/errors/mod.ts";
import type { JsonObject } from "../../../lib/schema/mod.ts";
import type { McpFace } from "../face/mcp_face.ts";
import type { RequestOrigin } from "../surface_options.ts";
import { LogAllowance } from "../wire/log_allowance.ts";
import { initializeResult, readInitialize } from "./legacy_methods.ts";
import { LegacySession } from "./legacy_session.ts";
import { firstToGo } from "./session_room.ts";
import { SessionStreams, type SessionStreamsOptions } from "./session_streams.ts";

/** What a session is begun with. */
export interface SessionBeginning {
  id: string;
  /** The params of `initialize`. */
  params: JsonObject;
  origin: RequestOrigin;
  /** Whether the host can be sent messages of the session's own accord. */
  canPush: boolean;
  /** Where it speaks; by default on streams of its own. */
  streams?: SessionStreams;
}

/** How long `initialize` waits for servers that were never read, so that what it declares is right, ms. */
const FIRST_READING_MS = 2000;
/** Begins the names of sessions that end with their connection; another name was given by whoever runs the host. */
const MINTED = "mcp-";
/** How many sessions there may be. */
const MOST_SESSIONS = 1000;

/** The sessions of all hosts of the legacy era, whatever their transport. */
export class LegacySessions {
  readonly #face: McpFace;
  readonly #sessions = new Map<string, LegacySession>();
  readonly #allowance = new LogAllowance();
  readonly #sweep: ReturnType<typeof setInterval>;

  constructor(face: McpFace) {
    this.#face = face;
    this.#sweep = setInterval(() => this.#expire(), 30_000);
    Deno.unrefTimer(this.#sweep);
  }

  /** An id that nobody can guess, of visible ASCII alone. */
  mint(): string {
    return `${MINTED}${crypto.randomUUID()}`;
  }

  /** Streams for one session, which hold no more than all sessions may. */
  streams(standing?: SessionStreamsOptions["standing"]): SessionStreams {
    return new SessionStreams({ allowance: this.#allowance, ...(standing ? { standing } : {}) });
  }

  /** Whether a session of that id is open. */
  has(id: string | null): boolean {
    return id !== null && this.#sessions.has(id);
  }

  /** The session of an id, unless it has ended. */
  get(id: string): LegacySession | undefined {
    this.#expire();
    return this.#sessions.get(id);
  }

  /** Begins a session and gives what `initialize` is answered with. @throws {RpcError} -32602 @throws {NoRoomError} */
  async begin(
    { id, params, origin, canPush, streams = this.streams() }: SessionBeginning,
  ): Promise<JsonObject> {
    const { version, capabilities } = readInitialize(params);
    const identity = { ...origin.identity, session: origin.identity.session ?? id };
    const caller = this.#face.engine.caller({ surface: "mcp", ...origin, identity });
    await this.#face.readFirst(caller, FIRST_READING_MS);
    // Only now: what was read just before is no change to a host that has seen nothing yet.
    this.#makeRoom();
    const session = new LegacySession(this.#face, {
      id,
      version,
      capabilities,
      origin: { ...origin, identity },
      ownsScope: identity.session.startsWith(MINTED),
      streams,
    });
    this.#sessions.set(id, session);
    const mode = caller.settings.get("serve.mode");
    return initializeResult(version, this.#face.known(caller), { mode, canPush });
  }

  /** Ends a session. */
  async end(session: LegacySession): Promise<void> {
    this.#sessions.delete(session.id);
    await session.close();
  }

  /** Ends a session that nobody waits for. */
  drop(session: LegacySession): void {
    this.end(session).catch((error) => this.#face.engine.note("warn", McpxError.from(error).message));
  }

  /** Ends the streams of every session, each once what runs in it is answered. */
  leave(): void {
    for (const session of this.#sessions.values()) session.leave();
  }

  /** Ends every session. */
  async close(): Promise<void> {
    clearInterval(this.#sweep);
    await Promise.all([...this.#sessions.values()].map((session) => this.end(session)));
  }

  /** Makes room for one more. @throws {NoRoomError} */
  #makeRoom(): void {
    const goes = firstToGo(this.#sessions, MOST_SESSIONS);
    if (goes) this.drop(goes);
  }

  #expire(): void {
    const limit = this.#face.engine.settings.base.get("serve.sessionTimeout");
    for (const session of this.#sessions.values()) {
      session.streams.prune();
      if (!session.isBusy && Date.now() - session.lastUsed > limit) this.drop(session);
    }
  }
}
