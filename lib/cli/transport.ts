import { McpxError } from "../errors/mod.ts";
import type { Api, ApiRequest, ApiResponse } from "./api.ts";

/** Where a daemon listens. */
export type DaemonAddress = { kind: "unix"; path: string } | { kind: "tcp"; hostname: string; port: number };

const BUFFER = 64 * 1024;
const HEAD_LIMIT = 64 * 1024;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/**
 * HTTP/1.1 by hand over one connection: a runtime's own client costs more to load than the request takes.
 *
 * Requests follow one another on the connection, each after the body of the one before was read. Aborting closes the connection, by
 * which the daemon learns that its caller has gone.
 */
export class HttpConnection implements Api {
  readonly #conn: Deno.Conn;
  readonly #host: string;
  #buffer: Uint8Array = new Uint8Array(0);
  #closed = false;

  private constructor(conn: Deno.Conn, host: string) {
    this.#conn = conn;
    this.#host = host;
  }

  /** Connects; throws what `Deno.connect` throws. */
  static async open(address: DaemonAddress): Promise<HttpConnection> {
    if (address.kind === "unix") {
      return new HttpConnection(await Deno.connect({ transport: "unix", path: address.path }), "localhost");
    }
    const { hostname, port } = address;
    const bracketed = hostname.includes(":") ? `[${hostname}]` : hostname;
    return new HttpConnection(await Deno.connect({ hostname, port }), `${bracketed}:${port}`);
  }

  /**
   * Sends a request and reads the head of its answer.
   *
   * @throws {McpxError} `daemon-unreachable` when the connection ends first or does not speak HTTP, `cancelled` when aborted
   */
  async request(request: ApiRequest, signal: AbortSignal): Promise<ApiResponse> {
    const abort = (): void => this.close();
    if (signal.aborted) throw cancelled();
    signal.addEventListener("abort", abort, { once: true });
    let sent = false;
    try {
      const body = request.body === undefined ? undefined : encoder.encode(request.body);
      await this.#send(this.#head(request, body?.length), body);
      sent = true;
      const { status, headers } = await this.#readHead();
      const chunks = this.#readBody(request.method, status, headers);
      return { status, headers, body: this.#guard(chunks, signal, abort) };
    } catch (error) {
      signal.removeEventListener("abort", abort);
      throw signal.aborted ? cancelled() : lost(error, sent);
    }
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#conn.close();
  }

  #head(request: ApiRequest, length: number | undefined): Uint8Array {
    let head = `${request.method} ${request.path} HTTP/1.1\r\nhost: ${this.#host}\r\n`;
    for (const [name, value] of Object.entries(request.headers)) head += `${name}: ${value}\r\n`;
    if (length !== undefined) head += `content-type: application/json\r\ncontent-length: ${length}\r\n`;
    return encoder.encode(head + "\r\n");
  }

  /** Sends head and body, in one write where the body is small. */
  async #send(head: Uint8Array, body: Uint8Array | undefined): Promise<void> {
    if (body === undefined || body.length > BUFFER) {
      await this.#writeAll(head);
      if (body) await this.#writeAll(body);
      return;
    }
    const whole = new Uint8Array(head.length + body.length);
    whole.set(head);
    whole.set(body, head.length);
    await this.#writeAll(whole);
  }

  async #writeAll(bytes: Uint8Array): Promise<void> {
    for (let rest = bytes; rest.length > 0;) rest = rest.subarray(await this.#conn.write(rest));
  }

  /** Reads more bytes behind those that wait; false at the end of the stream. */
  async #fill(): Promise<boolean> {
    const chunk = new Uint8Array(BUFFER);
    const length = await this.#conn.read(chunk);
    if (length === null) return false;
    if (this.#buffer.length === 0) {
      this.#buffer = chunk.subarray(0, length);
      return true;
    }
    const joined = new Uint8Array(this.#buffer.length + length);
    joined.set(this.#buffer);
    joined.set(chunk.subarray(0, length), this.#buffer.length);
    this.#buffer = joined;
    return true;
  }

  /** The next line without its ending. */
  async #readLine(): Promise<string> {
    for (let from = 0;;) {
      const end = this.#buffer.indexOf(10, from);
      if (end >= 0) {
        const line = decoder.decode(this.#buffer.subarray(0, end));
        this.#buffer = this.#buffer.subarray(end + 1);
        return line.endsWith("\r") ? line.slice(0, -1) : line;
      }
      from = this.#buffer.length;
      if (from > HEAD_LIMIT) throw new TypeError("a line of the answer's head is too long");
      if (!await this.#fill()) throw new TypeError("the connection ended before the answer did");
    }
  }

  async #readHead(): Promise<{ status: number; headers: Map<string, string> }> {
    for (;;) {
      const line = await this.#readLine();
      const match = /^HTTP\/1\.[01] (\d{3})(?: |$)/.exec(line);
      if (!match) {
        throw new TypeError(`what listens there does not speak HTTP (${JSON.stringify(line.slice(0, 60))})`);
      }
      const headers = new Map<string, string>();
      for (let field = await this.#readLine(); field !== ""; field = await this.#readLine()) {
        const colon = field.indexOf(":");
        if (colon > 0) headers.set(field.slice(0, colon).toLowerCase(), field.slice(colon + 1).trim());
      }
      const status = Number(match[1]);
      if (status >= 200) return { status, headers };
    }
  }

  async *#readBody(
    method: string,
    status: number,
    headers: ReadonlyMap<string, string>,
  ): AsyncGenerator<Uint8Array> {
    if (method === "HEAD" || status === 204 || status === 304) return;
    if (/\bchunked\b/i.test(headers.get("transfer-encoding") ?? "")) {
      yield* this.#readChunks();
      return;
    }
    const length = headers.get("content-length");
    if (length === undefined) yield* this.#readToEnd();
    else yield* this.#readExactly(Number(length));
  }

  async *#readToEnd(): AsyncGenerator<Uint8Array> {
    do {
      if (this.#buffer.length > 0) yield this.#take(this.#buffer.length);
    } while (await this.#fill());
  }

  async *#readExactly(length: number): AsyncGenerator<Uint8Array> {
    for (let left = length; left > 0;) {
      if (this.#buffer.length === 0 && !await this.#fill()) {
        throw new TypeError("the connection ended before the answer did");
      }
      const bytes = this.#take(Math.min(left, this.#buffer.length));
      left -= bytes.length;
      yield bytes;
    }
  }

  async *#readChunks(): AsyncGenerator<Uint8Array> {
    for (;;) {
      const line = await this.#readLine();
      const size = Number.parseInt(line, 16);
      if (!/^[0-9a-fA-F]+/.test(line)) throw new TypeError("the answer's chunks are broken");
      if (size === 0) break;
      yield* this.#readExactly(size);
      await this.#readLine();
    }
    while (await this.#readLine() !== "");
  }

  #take(length: number): Uint8Array {
    const bytes = this.#buffer.subarray(0, length);
    this.#buffer = this.#buffer.subarray(length);
    return bytes;
  }

  /** Passes a body on, with what went wrong in it said as one of mcpx's errors. */
  async *#guard(
    chunks: AsyncGenerator<Uint8Array>,
    signal: AbortSignal,
    abort: () => void,
  ): AsyncGenerator<Uint8Array> {
    let whole = false;
    try {
      yield* chunks;
      whole = true;
    } catch (error) {
      throw signal.aborted ? cancelled() : lost(error);
    } finally {
      signal.removeEventListener("abort", abort);
      if (!whole) this.close();
    }
  }
}

function cancelled(): McpxError {
  return new McpxError("cancelled", "Interrupted: the request was cancelled.");
}

/** @param sent whether the daemon may have got the whole request */
function lost(error: unknown, sent = true): McpxError {
  if (error instanceof McpxError) return error;
  const why = error instanceof Error ? error.message : String(error);
  return new McpxError("daemon-unreachable", `Cannot finish the request: ${why}.`, {
    hint: "mcpx daemons",
    data: { sent },
    cause: error,
  });
}
