import { createApp } from "../../daemon/http/app.ts";
import { LazyMcp } from "../../daemon/lazy_mcp.ts";
import { Engine } from "../../lib/engine/engine.ts";
import { HttpHost } from "./mcp_host.ts";

/** mcpx's HTTP face in this process behind a real port, and a wire to it that can be cut. */
export class ServedHost extends HttpHost implements AsyncDisposable {
  /** Where it listens. */
  readonly url: string;
  /** The same, over the wire that can be cut. */
  readonly wireUrl: string;
  readonly engine: Engine;
  readonly root: string;
  readonly #mcp: LazyMcp;
  readonly #server: Deno.HttpServer<Deno.NetAddr>;
  readonly #wire: Deno.TcpListener;
  readonly #connections = new Set<Deno.TcpConn>();

  private constructor(engine: Engine, root: string) {
    super();
    this.engine = engine;
    this.root = root;
    this.#mcp = new LazyMcp(engine);
    const app = createApp({
      engine,
      health: () => ({}),
      mcp: (request) => this.#mcp.fetch(request),
      guard: { transport: "tcp" },
    });
    const local = { hostname: "127.0.0.1", port: 0 };
    this.#server = Deno.serve({ ...local, onListen: () => undefined }, (request) => app.fetch(request));
    this.#wire = Deno.listen(local);
    this.url = `http://127.0.0.1:${this.#server.addr.port}`;
    this.wireUrl = `http://127.0.0.1:${this.#wire.addr.port}`;
    void this.#carry();
  }

  /** Opens it on servers; `$ROOT` in their entries is its folder. */
  static async open(
    servers: Record<string, object>,
    settings: Record<string, unknown> = {},
  ): Promise<ServedHost> {
    const root = await Deno.makeTempDir({ prefix: "mcpx-served-" });
    const config = JSON.stringify({ mcpServers: servers }).replaceAll("$ROOT", root);
    await Deno.writeTextFile(`${root}/.mcpx.json`, config);
    const env = { PATH: Deno.env.get("PATH") ?? "", HOME: root, XDG_RUNTIME_DIR: root };
    const flags = { "serve.mode": ["passthrough"], "pool.stopGrace": 50, ...settings };
    return new ServedHost(await Engine.open({ cwd: root, env, flags, holdsTasks: true }), root);
  }

  override async http(init: RequestInit & { headers?: Record<string, string> }): Promise<Response> {
    return await fetch(`${this.url}/mcp`, init);
  }

  /** Breaks every connection that goes over the wire now. */
  cut(): void {
    for (const connection of this.#connections) close(connection);
    this.#connections.clear();
  }

  /** How many requests are under way. */
  get active(): number {
    return this.engine.active;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#wire.close();
    this.cut();
    await this.#mcp.close();
    await this.#server.shutdown();
    await this.engine.close();
    await Deno.remove(this.root, { recursive: true });
  }

  async #carry(): Promise<void> {
    try {
      for await (const near of this.#wire) {
        const far = await Deno.connect({ hostname: "127.0.0.1", port: this.#server.addr.port });
        for (const one of [near, far]) this.#connections.add(one);
        void near.readable.pipeTo(far.writable).catch(() => close(far));
        void far.readable.pipeTo(near.writable).catch(() => close(near));
      }
    } catch (error) {
      // That is how a listener ends.
      if (!(error instanceof Deno.errors.BadResource)) throw error;
    }
  }
}

function close(connection: Deno.TcpConn): void {
  try {
    connection.close();
  } catch (error) {
    if (!(error instanceof Deno.errors.BadResource)) throw error;
  }
}
