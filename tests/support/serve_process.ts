import { eventually, type World } from "./world.ts";

const PASSTHROUGH = ["--serve-mode", "passthrough"];

/** `mcpx serve` as a host sees it: bytes in, lines out. */
export class ServeProcess implements AsyncDisposable {
  readonly lines: string[] = [];
  readonly pid: number;
  readonly #child: Deno.ChildProcess;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #reading: Promise<void>;
  #closed = false;

  /** @param flags which tools are offered, and whatever else is not as usual */
  constructor(world: World, flags: readonly string[] = PASSTHROUGH) {
    this.#child = world.spawn(["serve", ...flags], { stdin: "" });
    this.pid = this.#child.pid;
    this.#writer = this.#child.stdin.getWriter();
    this.#reading = this.#read();
  }

  /** Sends lines, in one piece. */
  async say(...lines: string[]): Promise<void> {
    await this.write(lines.map((line) => `${line}\n`).join(""));
  }

  /** Sends bytes as they are. */
  async write(bytes: string | Uint8Array): Promise<void> {
    await this.#writer.write(typeof bytes === "string" ? new TextEncoder().encode(bytes) : bytes);
  }

  /** Waits for a line with this text, from the `from`th line on. */
  async heard(text: string, from = 0): Promise<string> {
    return await eventually(
      () => Promise.resolve(this.lines.slice(from).find((line) => line.includes(text))),
      `a line with ${text}`,
    );
  }

  /** Sends a request and waits for its answer. */
  async ask(id: string, method: string, params = "{}"): Promise<string> {
    const from = this.lines.length;
    await this.say(`{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${params}}`);
    return await this.heard(`"id":${id},`, from);
  }

  /** Shakes hands. */
  async initialize(version: string, capabilities = "{}"): Promise<string> {
    const answer = await this.ask(
      '"init"',
      "initialize",
      `{"protocolVersion":"${version}","capabilities":${capabilities},"clientInfo":{"name":"raw","version":"1"}}`,
    );
    await this.say('{"jsonrpc":"2.0","method":"notifications/initialized"}');
    return answer;
  }

  /** Closes stdin and waits for the end. */
  async close(): Promise<number> {
    if (!this.#closed) await this.#writer.close().catch(() => {}); // it has ended by itself
    this.#closed = true;
    await this.#reading;
    await this.#child.stderr.cancel();
    return (await this.#child.status).code;
  }

  /** Ends it by a signal, and waits for that. */
  async kill(signal: Deno.Signal): Promise<Deno.CommandStatus> {
    this.#child.kill(signal);
    const status = await this.#child.status;
    await this.close();
    return status;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #read(): Promise<void> {
    let rest = "";
    for await (
      const text of this.#child.stdout.pipeThrough(new TextDecoderStream("utf-8", { fatal: true }))
    ) {
      const lines = (rest + text).split("\n");
      rest = lines.pop() ?? "";
      this.lines.push(...lines);
    }
  }
}
