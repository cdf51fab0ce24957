import { McpxError } from "../../../errors/mod.ts";
import { delay } from "../../delay.ts";
import type { Dispatcher, PreparedRequest } from "../../dispatcher.ts";

/** A subscription that is kept open. */
export interface Listening {
  dispatcher: Dispatcher;
  prepare(id: number): PreparedRequest;
  /** Called when the subscription had ended and is open again: changes in between were not told. */
  onLapse(): void;
  closing: AbortSignal;
}

const SHORTEST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 60_000;

/** Keeps a `subscriptions/listen` request open until the connection closes or the server refuses it. */
export async function keepListening({ dispatcher, prepare, onLapse, closing }: Listening): Promise<void> {
  let pause = SHORTEST_PAUSE_MS;
  for (let first = true; !closing.aborted; first = false) {
    const since = performance.now();
    const listening = dispatcher.request(prepare, { signal: closing });
    if (!first) onLapse();
    try {
      await listening;
    } catch (thrown) {
      const error = McpxError.from(thrown);
      if (closing.aborted || error.code === "cancelled" || error.code === "upstream-exited") return;
      if (error.code !== "outcome-unknown" && error.code !== "upstream-refused") {
        return dispatcher.note(`Changes of the server's lists are not told: ${error.message}`);
      }
      if (error.data?.sent === false && error.code === "outcome-unknown") return;
    }
    if (performance.now() - since > pause) pause = SHORTEST_PAUSE_MS;
    await delay(pause, closing);
    pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
  }
}
