import { HttpHost } from "./mcp_host.ts";
import { World } from "./world.ts";

/** A real daemon's MCP surface, spoken to in raw HTTP over its socket. */
export class DaemonHost extends HttpHost implements AsyncDisposable {
  readonly world: World;
  readonly #client: Deno.HttpClient;

  private constructor(world: World, socket: string) {
    super();
    this.world = world;
    this.#client = Deno.createHttpClient({ proxy: { transport: "unix", path: socket } });
  }

  /** Starts a daemon on this configuration; `$ROOT` in it is the world's folder. */
  static async open(config: object): Promise<DaemonHost> {
    const world = await World.open({});
    await world.configure(rooted(config, world));
    const { code, stderr } = await world.run(["ls"]);
    if (code !== 0) throw new Error(stderr);
    return new DaemonHost(world, (await world.daemon()).socket);
  }

  /** Gives it another configuration. */
  async configure(config: object): Promise<void> {
    await this.world.configure(rooted(config, this.world));
  }

  override async http(init: RequestInit & { headers?: Record<string, string> }): Promise<Response> {
    return await fetch("http://localhost/mcp", { ...init, client: this.#client });
  }

  /** A file of the world's folder, as text; empty where there is none yet. */
  async file(name: string): Promise<string> {
    return await Deno.readTextFile(`${this.world.root}/${name}`).catch(() => "");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#client.close();
    await this.world[Symbol.asyncDispose]();
  }
}

function rooted(config: object, { root }: World): object {
  return JSON.parse(JSON.stringify(config).replaceAll("$ROOT", root));
}
