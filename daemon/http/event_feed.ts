import type { EventLog, EventPosition, LoggedEvent } from "../../lib/engine/event_log.ts";
import { McpxError } from "../../lib/errors/mod.ts";

const HEARTBEAT_MS = 15_000;
const encoder = new TextEncoder();

/**
 * `GET /v1/events`: what happens in the daemon, as server-sent events with ids.
 *
 * `Last-Event-ID`, or `?since=` with an event's id, its number, or a time, replays what was kept; a `gap` says that something was not.
 * `?types=question,task` narrows. A reader that is slow gets a `gap` as well: nothing is kept for it beside the log itself.
 *
 * @throws {McpxError} `invalid-input`
 */
export function eventFeed(request: Request, log: EventLog): Response {
  const query = new URL(request.url).searchParams;
  const types = query.get("types")?.split(",").map((type) => type.trim()).filter((type) => type !== "");
  let position = positionOf(request.headers.get("last-event-id"), query.get("since")) ??
    { after: log.lastId };
  const { promise: gone, resolve: end } = Promise.withResolvers<void>();
  let wake: () => void = () => undefined;
  const listening = log.listen(() => wake());
  log.closed.addEventListener("abort", () => end(), { once: true });
  if (log.closed.aborted) end();
  const stop = (): void => {
    listening[Symbol.dispose]();
    end();
  };
  const next = async (): Promise<string | undefined> => {
    for (let over = false; !over;) {
      const events = log.replay(position);
      const last = events.at(-1);
      if (last) position = { after: last.id };
      else if (position && "since" in position) position = { after: log.lastId };
      const shown = events.filter(({ type }) => !types || types.includes(type) || type === "gap");
      if (shown.length > 0) return shown.map(eventText).join("");
      const { promise: woken, resolve } = Promise.withResolvers<void>();
      wake = resolve;
      let beat: string | undefined;
      const timer = setTimeout(() => {
        beat = ": \n\n";
        resolve();
      }, HEARTBEAT_MS);
      over = await Promise.race([woken.then(() => false), gone.then(() => true)]);
      clearTimeout(timer);
      if (beat !== undefined && !over) return beat;
    }
    return undefined;
  };
  const body = new ReadableStream<Uint8Array>({
    // The head goes out at once, so that the reader knows that it is listening.
    start: (controller) => controller.enqueue(encoder.encode(": \n\n")),
    pull: async (controller) => {
      const text = await next();
      if (text !== undefined) return controller.enqueue(encoder.encode(text));
      stop();
      controller.close();
    },
    cancel: stop,
  });
  return new Response(body, {
    headers: {
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-cache",
      "x-accel-buffering": "no",
    },
  });
}

function eventText({ id, type, at, data }: LoggedEvent): string {
  return `id: ${id}\nevent: ${type}\ndata: ${JSON.stringify({ at, data })}\n\n`;
}

function positionOf(lastEventId: string | null, since: string | null): EventPosition {
  if (lastEventId !== null && lastEventId !== "") return { after: lastEventId };
  if (since === null || since === "") return undefined;
  if (/^(?:\w+-)?\d{1,15}$/.test(since)) return { after: since };
  const at = Date.parse(since);
  if (!Number.isNaN(at)) return { since: at };
  throw new McpxError("invalid-input", "Cannot replay events: `since` is no event's id, number or time.", {
    hint: "GET /v1/events?since=2026-01-31T12:00:00Z",
    data: { field: "since" },
  });
}
