import { LazyMcp } from "../../daemon/lazy_mcp.ts";
import { Engine } from "../../lib/engine/engine.ts";
import { parseJson } from "../../lib/json/mod.ts";

/** The revision without a handshake. */
export const MODERN = "2026-07-28";
const META = "io.modelcontextprotocol/";

/** One answer over HTTP, with every message that it carried. */
export interface RawAnswer {
  status: number;
  headers: Headers;
  /** The body as it came. */
  text: string;
  /** Messages as texts: one for JSON, one for each event. */
  messages: string[];
  /** The last of them, parsed with its digits kept. */
  last: Record<string, unknown>;
}

/** An MCP surface behind HTTP, wherever it runs, spoken to in raw text. */
export abstract class HttpHost {
  /** One HTTP request as it is. */
  abstract http(init: RequestInit & { headers?: Record<string, string> }): Promise<Response>;

  /** POSTs a text and reads the whole answer. */
  async post(body: string, headers?: Record<string, string>, signal?: AbortSignal): Promise<RawAnswer> {
    const response = await this.http({
      method: "POST",
      body,
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...headers,
      },
      ...(signal ? { signal } : {}),
    });
    return await readAnswer(response);
  }

  /** Opens a session and gives the headers that its requests carry. */
  async initialize(
    version: string,
    capabilities = "{}",
  ): Promise<{ headers: Record<string, string>; answer: RawAnswer }> {
    const answer = await this.post(
      `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"${version}","capabilities":${capabilities},"clientInfo":{"name":"raw","version":"1"}}}`,
    );
    const headers = {
      "mcp-session-id": answer.headers.get("mcp-session-id") ?? "",
      "mcp-protocol-version": version,
    };
    await this.post('{"jsonrpc":"2.0","method":"notifications/initialized"}', headers);
    return { headers, answer };
  }

  /** A request of a revision, with a session or an envelope as it has it: `send(method, raw params, id)`. */
  async as(
    version: string,
    capabilities = "{}",
  ): Promise<(method: string, params?: string, id?: string) => Promise<RawAnswer>> {
    if (version === MODERN) {
      return (method, params = "{}", id = "1") =>
        this.post(...modernRequest(method, params, { id, capabilities }));
    }
    const { headers } = await this.initialize(version, capabilities);
    return (method, params, id = "1") =>
      this.post(
        `{"jsonrpc":"2.0","id":${id},"method":"${method}"${
          params === undefined ? "" : `,"params":${params}`
        }}`,
        headers,
      );
  }
}

/** mcpx's MCP surface in this process, spoken to in raw HTTP. */
export class RawHost extends HttpHost implements AsyncDisposable {
  readonly engine: Engine;
  readonly #mcp: LazyMcp;
  readonly #root: string;

  private constructor(engine: Engine, root: string) {
    super();
    this.engine = engine;
    this.#mcp = new LazyMcp(engine);
    this.#root = root;
  }

  /** Opens it on a configuration of its own. */
  static async open(
    servers: Record<string, object>,
    options: { settings?: Record<string, unknown>; files?: Record<string, string> } = {},
  ): Promise<RawHost> {
    const root = await Deno.makeTempDir({ prefix: "mcpx-mcp-" });
    for (const [name, text] of Object.entries(options.files ?? {})) {
      await Deno.writeTextFile(`${root}/${name}`, text);
    }
    const config = JSON.stringify({ mcpServers: servers }).replaceAll("$ROOT", root);
    await Deno.writeTextFile(`${root}/.mcpx.json`, config);
    await Deno.mkdir(`${root}/home`);
    const env = { PATH: Deno.env.get("PATH") ?? "", HOME: `${root}/home`, XDG_RUNTIME_DIR: root };
    // Servers that stay when their stdin ends are not waited for.
    const flags = { "serve.mode": ["passthrough"], "pool.stopGrace": 50, ...options.settings };
    return new RawHost(await Engine.open({ cwd: root, env, flags, holdsTasks: true }), root);
  }

  /** A file of its folder, as text. */
  async file(name: string): Promise<string> {
    return await Deno.readTextFile(`${this.#root}/${name}`);
  }

  /** Writes a file of its folder. */
  async write(name: string, text: string): Promise<void> {
    await Deno.writeTextFile(`${this.#root}/${name}`, text);
  }

  /** One HTTP request as it is. */
  override async http(init: RequestInit & { headers?: Record<string, string> }): Promise<Response> {
    return await this.#mcp.fetch(new Request("http://localhost/mcp", init));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#mcp.close();
    await this.engine.close();
    await Deno.remove(this.#root, { recursive: true });
  }
}

/** A modern request's text and headers; `params` is raw JSON text of an object without `_meta`. */
export function modernRequest(
  method: string,
  params = "{}",
  { id = "1", capabilities = "{}", meta = "" }: { id?: string; capabilities?: string; meta?: string } = {},
): [string, Record<string, string>] {
  const envelope =
    `"_meta":{"${META}protocolVersion":"${MODERN}","${META}clientCapabilities":${capabilities}${meta}}`;
  const inner = params.trim().slice(1, -1).trim();
  const body = `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":{${inner}${
    inner === "" ? "" : ","
  }${envelope}}}`;
  const { name, uri, taskId } = JSON.parse(params) as Record<string, string | undefined>;
  const named = ["tools/call", "prompts/get"].includes(method)
    ? name
    : method === "resources/read"
    ? uri
    : method.startsWith("tasks/")
    ? taskId
    : undefined;
  return [body, {
    "mcp-protocol-version": MODERN,
    "mcp-method": method,
    ...(named === undefined ? {} : { "mcp-name": named }),
  }];
}

/** Reads an answer to its end. */
export async function readAnswer(response: Response): Promise<RawAnswer> {
  const text = await response.text();
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") ?? false;
  const messages = isStream
    ? text.split("\n").filter((line) => line.startsWith("data: ")).map((line) => line.slice(6))
    : text === ""
    ? []
    : [text];
  const last = parseJson(messages.at(-1) ?? "{}") as Record<string, unknown>;
  return { status: response.status, headers: response.headers, text, messages, last };
}

/** The raw text of a message's `result`, its last member. */
export function resultText(message: string | undefined): string {
  const at = message?.indexOf('"result":') ?? -1;
  return at < 0 || message === undefined ? "" : message.slice(at + '"result":'.length, -1);
}
