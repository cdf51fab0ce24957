import { Connection } from "./connection.ts";
import { Dispatcher } from "./dispatcher.ts";
import { negotiate } from "./negotiate.ts";
import type { Transport, TransportEvents } from "./transport/transport.ts";
import type { ConnectOptions } from "./types.ts";
import type { OpenEra, OpenOptions, Wire } from "./wire/codec.ts";
import { openLegacy } from "./wire/legacy/mod.ts";
import { openModern } from "./wire/modern/mod.ts";

/** A failed opening does not wait long for what it leaves. */
const FAILED_GRACE_MS = 200;

/** The eras to ask for, in order, and how long the first may stay silent before the second is asked too. */
export interface EraPlan {
  eras: readonly [OpenEra, OpenEra?];
  probeTimeoutMs?: number;
  /** The first message may be one that some servers of the other era cannot bear. */
  probes: boolean;
}

/** Plans the negotiation from what is configured and what was found last time. */
export function planEras({ protocol, remembered, probeTimeoutMs }: ConnectOptions): EraPlan {
  if (protocol === "legacy") return LEGACY_ONLY;
  if (protocol === "modern") return { eras: [openModern], probes: false };
  if (remembered === "legacy") return { eras: [openLegacy, openModern], probes: false };
  return { eras: [openModern, openLegacy], probeTimeoutMs, probes: true };
}

/** `initialize` and nothing else. */
export const LEGACY_ONLY: EraPlan = { eras: [openLegacy], probes: false };

/**
 * Opens a transport, negotiates the era over it and starts the connection; a failure closes the transport.
 *
 * @param open makes the transport, given where its events go
 * @param plan the eras to ask for
 * @param options what the connection is opened with
 * @param signal ends the opening
 */
export async function openWire(
  open: (events: TransportEvents) => Promise<Transport> | Transport,
  { plan, options, signal }: { plan: EraPlan; options: ConnectOptions; signal: AbortSignal },
): Promise<Connection> {
  const dispatcher = new Dispatcher(options);
  const transport = await open(dispatcher);
  dispatcher.attach(transport);
  const wire: Wire = { transport, dispatcher };
  const openOptions = {
    clientInfo: options.clientInfo,
    handlers: options.handlers,
    ...(options.onNotification ? { onNotification: options.onNotification } : {}),
  } satisfies Partial<OpenOptions>;
  try {
    const opened = await negotiate(wire, { ...openOptions, ...plan, signal });
    const connection = new Connection({
      wire,
      opened,
      ...(options.onRenewed ? { onRenewed: options.onRenewed } : {}),
      reopen: (closing) => openLegacy(wire, { ...openOptions, signal: closing, forced: true }),
    });
    await unlessAborted(connection.begin(), signal);
    return connection;
  } catch (error) {
    await transport.close(FAILED_GRACE_MS);
    throw error;
  }
}

async function unlessAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
