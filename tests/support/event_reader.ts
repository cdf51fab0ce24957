/** One block of a stream of server-sent events, as it came. */
export interface RawEvent {
  id?: string;
  event?: string;
  retry?: string;
  /** The data; absent in a comment. */
  data?: string;
  /** The data as a message, where there is some. */
  message: Record<string, unknown>;
}

/** Reads server-sent events one by one; nothing is read before it is asked for. */
export class EventReader implements AsyncDisposable {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #decoder = new TextDecoder();
  #text = "";

  constructor(response: Response) {
    this.#reader = (response.body ?? new ReadableStream<Uint8Array>()).getReader();
  }

  /** The next event; comments are passed over. Nothing at the end. */
  async next(): Promise<RawEvent | undefined> {
    for (;;) {
      const end = this.#text.indexOf("\n\n");
      if (end >= 0) {
        const block = this.#text.slice(0, end);
        this.#text = this.#text.slice(end + 2);
        const fields = Object.fromEntries(
          block.split("\n").filter((line) => !line.startsWith(":")).map((line) => {
            const at = line.indexOf(":");
            return [line.slice(0, at), line.slice(at + 1).replace(/^ /, "")];
          }),
        ) as Omit<RawEvent, "message">;
        if (Object.keys(fields).length === 0) continue;
        const isMessage = fields.data && (fields.event ?? "message") === "message";
        return { ...fields, message: isMessage ? JSON.parse(fields.data ?? "") : {} };
      }
      const { value, done } = await this.#reader.read();
      if (done) return undefined;
      this.#text += this.#decoder.decode(value, { stream: true });
    }
  }

  /** All that is left, to the end. */
  async rest(): Promise<RawEvent[]> {
    const events: RawEvent[] = [];
    for (let event = await this.next(); event; event = await this.next()) events.push(event);
    return events;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#reader.cancel().catch(() => undefined); // a broken stream has nothing to cancel
  }
}
