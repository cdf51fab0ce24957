import { readEvents } from "./sse.ts";

/** How a stream is gone on with. */
export interface ResumeOptions {
  /** Aborted when nobody wants it any more. */
  signal: AbortSignal;
  /** Opens another connection behind an event; nothing where there is none to go on with. */
  resume(lastId: string): Promise<AsyncIterable<Uint8Array> | undefined>;
}

/**
 * Gives the data of a stream's events, over as many connections as it takes.
 *
 * @param first the connection that it begins on
 * @throws what reading threw, where no event had an id or the stream is not to be had again
 */
export async function* resumedEvents(
  first: AsyncIterable<Uint8Array>,
  { signal, resume }: ResumeOptions,
): AsyncGenerator<string> {
  let last: string | undefined;
  for (let body: AsyncIterable<Uint8Array> | undefined = first;;) {
    let hasNews = false;
    try {
      for await (const { id, data } of readEvents(body)) {
        hasNews = true;
        last = id ?? last;
        yield data;
      }
      return;
    } catch (error) {
      // A stream that breaks again before it said anything would go on breaking.
      if (last === undefined || !hasNews || signal.aborted) throw error;
      body = await resume(last);
      if (!body) throw error;
    }
  }
}
