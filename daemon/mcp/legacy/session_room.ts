import { RPC, RpcError } from "../wire/rpc_error.ts";

/** What decides whether a session has to make room. */
export interface SessionUse {
  /** Whether something of it is under way or listened to. */
  readonly isBusy: boolean;
  /** When its host last sent something, ms. */
  readonly lastUsed: number;
}

/** No session can begin: as many as there may be are in use. */
export class NoRoomError extends RpcError {
  constructor(most: number) {
    super(
      RPC.internal,
      `Cannot begin a session: all ${most} that there may be are in use; end one, or try again later.`,
    );
  }
}

/**
 * Finds the session that goes where one more begins.
 *
 * @param sessions all that are open, by their ids
 * @param most how many there may be
 * @returns the one that is longest unused of those with nothing under way; none while there is room
 * @throws {NoRoomError} where every one of them is busy
 */
export function firstToGo<S extends SessionUse>(
  sessions: ReadonlyMap<string, S>,
  most: number,
): S | undefined {
  if (sessions.size < most) return undefined;
  let first: S | undefined;
  for (const session of sessions.values()) {
    if (!session.isBusy && (!first || session.lastUsed < first.lastUsed)) first = session;
  }
  if (!first) throw new NoRoomError(most);
  return first;
}
