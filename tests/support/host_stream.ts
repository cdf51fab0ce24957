import { modernRequest, type RawHost } from "./mcp_host.ts";

/** A message as it came on a stream. */
export type StreamMessage = {
  id?: unknown;
  method?: string;
  params: Record<string, unknown>;
  result?: unknown;
};

/** A stream of mcpx's towards a host, read as it comes. */
export class HostStream implements AsyncDisposable {
  readonly messages: StreamMessage[] = [];
  readonly #reader: ReadableStreamDefaultReader<string>;
  readonly #reading: Promise<void>;
  readonly #waiting = new Set<() => void>();
  #over = false;

  constructor(response: Response) {
    if (!response.body) throw new Error("the answer has no body");
    this.#reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    this.#reading = this.#read();
  }

  /** The standing stream of a session. */
  static async standing(host: RawHost, headers: Record<string, string>): Promise<HostStream> {
    return new HostStream(await host.http({ headers: { ...headers, accept: "text/event-stream" } }));
  }

  /** A subscription of 2026-07-28; `filter` is raw text of its notifications. */
  static async listen(
    host: RawHost,
    filter: string,
    options: { id?: string; capabilities?: string; headers?: Record<string, string> } = {},
  ): Promise<HostStream> {
    const { headers, ...rest } = options;
    const [body, own] = modernRequest("subscriptions/listen", `{"notifications":${filter}}`, {
      id: '"sub"',
      ...rest,
    });
    const response = await host.http({
      method: "POST",
      body,
      headers: {
        ...own,
        ...headers,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
      },
    });
    return new HostStream(response);
  }

  /** Waits for a message that fits, come already or not. */
  async until(fits: (message: StreamMessage) => boolean, what = "a message"): Promise<StreamMessage> {
    for (;;) {
      const found = this.messages.find(fits);
      if (found) return found;
      if (this.#over) throw new Error(`the stream ended before ${what}: ${JSON.stringify(this.messages)}`);
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#waiting.add(resolve);
      await promise;
    }
  }

  /** The messages of a method. */
  of(method: string): StreamMessage[] {
    return this.messages.filter((message) => message.method === method);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#reader.cancel();
    await this.#reading;
  }

  async #read(): Promise<void> {
    let rest = "";
    for (let read = await this.#reader.read(); !read.done; read = await this.#reader.read()) {
      const lines = (rest + read.value).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) if (line.startsWith("data: ")) this.messages.push(JSON.parse(line.slice(6)));
      this.#wake();
    }
    this.#over = true;
    this.#wake();
  }

  #wake(): void {
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }
}
