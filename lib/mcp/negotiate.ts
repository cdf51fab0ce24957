import { settlesWithin } from "./delay.ts";
import { NotThisEra, type OpenedEra, type OpenEra, type OpenOptions, type Wire } from "./wire/codec.ts";

/** What a negotiation goes by. */
export interface NegotiateOptions extends Omit<OpenOptions, "forced"> {
  /** The era to ask for first, and the one to try after it, if any. */
  eras: readonly [OpenEra, OpenEra?];
  /** How long the first may stay silent before the second is asked too, ms; absent: for ever. */
  probeTimeoutMs?: number;
}

/**
 * Finds the era that a server speaks, over one connection.
 *
 * The second era is asked when the first is refused, or when it stays silent for too long: then both are open and
 * the first usable answer decides. A failure that says nothing about eras (credentials, a dead process) ends it.
 *
 * @throws {McpxError} what the server or the transport said
 */
export async function negotiate(wire: Wire, options: NegotiateOptions): Promise<OpenedEra> {
  const decided = new AbortController();
  const signal = AbortSignal.any([options.signal, decided.signal]);
  const [first, second] = options.eras;
  try {
    if (!second) return await first(wire, { ...options, signal, forced: true });
    const open = { ...options, signal, forced: false };
    const probe = first(wire, open);
    if (await settlesInTime(probe, options.probeTimeoutMs)) {
      return await probe.catch((error) => {
        if (!(error instanceof NotThisEra)) throw error;
        return second(wire, open);
      });
    }
    return await firstUsable(probe, second(wire, open));
  } catch (error) {
    throw error instanceof NotThisEra ? error.reason : error;
  } finally {
    decided.abort();
  }
}

async function settlesInTime(probe: Promise<unknown>, ms: number | undefined): Promise<boolean> {
  if (ms !== undefined) return await settlesWithin(probe, ms);
  await probe.catch(() => {});
  return true;
}

/** Of two failures the second era's is told: the first was a probe. */
async function firstUsable(probe: Promise<OpenedEra>, second: Promise<OpenedEra>): Promise<OpenedEra> {
  try {
    return await Promise.any([probe, second]);
  } catch {
    return await second;
  }
}
