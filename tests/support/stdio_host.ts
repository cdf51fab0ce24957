import type { World } from "./world.ts";

type Json = Record<string, unknown>;

/** An MCP host of revision 2025-11-25 that drives `mcpx serve` over stdio in raw JSON lines. */
export class StdioHost implements AsyncDisposable {
  /** The requests that the server made. */
  readonly asked: Json[] = [];
  /** The methods of the notifications that it sent. */
  readonly told: string[] = [];
  readonly #child: Deno.ChildProcess;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #waiting = new Map<number, (message: Json) => void>();
  readonly #reading: Promise<void>;
  readonly #answer: (method: string, params: Json) => Json;
  #next = 1;

  private constructor(child: Deno.ChildProcess, answer: (method: string, params: Json) => Json) {
    this.#child = child;
    this.#writer = child.stdin.getWriter();
    this.#answer = answer;
    this.#reading = this.#read();
  }

  /**
   * Starts `mcpx serve` in a world and shakes hands.
   *
   * @param options.capabilities what the host declares
   * @param options.answer the result of each request that the server makes
   */
  static async open(
    world: World,
    options: { capabilities?: Json; answer?: (method: string, params: Json) => Json; flags?: string[] } = {},
  ): Promise<StdioHost> {
    const child = world.spawn(["serve", ...options.flags ?? []], { stdin: "" });
    const host = new StdioHost(child, options.answer ?? ((): Json => ({})));
    await host.request("initialize", {
      protocolVersion: "2025-11-25",
      capabilities: options.capabilities ?? {},
      clientInfo: { name: "raw", version: "1" },
    });
    await host.#send({ method: "notifications/initialized" });
    return host;
  }

  /** Sends a request and gives its result; throws where it is an error. */
  async request(method: string, params: Json = {}): Promise<Json> {
    const id = this.#next++;
    const { promise, resolve } = Promise.withResolvers<Json>();
    this.#waiting.set(id, resolve);
    await this.#send({ id, method, params });
    const { result, error } = await promise;
    if (error !== undefined) throw new Error(JSON.stringify(error));
    return result as Json;
  }

  async #send(message: Json): Promise<void> {
    await this.#writer.write(new TextEncoder().encode(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`));
  }

  async #read(): Promise<void> {
    let rest = "";
    for await (const chunk of this.#child.stdout.pipeThrough(new TextDecoderStream())) {
      const lines = (rest + chunk).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) if (line !== "") await this.#take(JSON.parse(line));
    }
  }

  async #take(message: Json): Promise<void> {
    if (typeof message.method !== "string") {
      this.#waiting.get(Number(message.id))?.(message);
      return;
    }
    if (message.id === undefined) {
      this.told.push(message.method);
      return;
    }
    this.asked.push(message);
    await this.#send({ id: message.id, result: this.#answer(message.method, message.params as Json) });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#writer.close();
    await Promise.all([this.#reading, this.#child.stderr.cancel(), this.#child.status]);
  }
}
