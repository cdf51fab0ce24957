import { fileURLToPath } from "node:url";
import { modernRequest } from "../tests/support/mcp_host.ts";
import { fixtureServer, realServer, World } from "../tests/support/world.ts";
import { upstreamEntry } from "../tools/upstreams.ts";
import { command, median, print, report, sideBySide } from "./measure.ts";

const CLI = fileURLToPath(new URL("../cli.ts", import.meta.url));
const EVERYTHING = "@modelcontextprotocol/server-everything";
const CALLS = 400;
/** What `tools/list` of fifteen published servers takes as JSON, measured once. */
const FIFTEEN_SERVERS_BYTES = 468_492;

/** A server on stdin and stdout, spoken to in lines. */
class Lines implements AsyncDisposable {
  readonly #child: Deno.ChildProcess;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #waiting = new Map<number, (line: string) => void>();
  readonly #reading: Promise<void>;
  #nextId = 1;

  constructor(words: readonly string[], options: { cwd?: string; env?: Record<string, string> } = {}) {
    const [program = "", ...args] = words;
    this.#child = new Deno.Command(program, {
      args,
      stdin: "piped",
      stdout: "piped",
      stderr: "null",
      ...options,
    })
      .spawn();
    this.#writer = this.#child.stdin.getWriter();
    this.#reading = this.#read();
  }

  async ask(method: string, params = "{}"): Promise<string> {
    const id = this.#nextId++;
    const answer = new Promise<string>((resolve) => this.#waiting.set(id, resolve));
    await this.#send(`{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${params}}`);
    return await answer;
  }

  async open(): Promise<void> {
    await this.ask(
      "initialize",
      '{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}',
    );
    await this.#send('{"jsonrpc":"2.0","method":"notifications/initialized"}');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#writer.close();
    this.#child.kill("SIGTERM");
    await this.#child.status;
    await this.#reading;
  }

  async #send(line: string): Promise<void> {
    await this.#writer.write(new TextEncoder().encode(`${line}\n`));
  }

  async #read(): Promise<void> {
    let rest = "";
    for await (const text of this.#child.stdout.pipeThrough(new TextDecoderStream())) {
      const lines = (rest + text).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        const id = Number(/"id":(\d+)/.exec(line)?.[1]);
        this.#waiting.get(id)?.(line);
        this.#waiting.delete(id);
      }
    }
  }
}

/** mcpx as an MCP server: calls, lists, the start, and what an agent's context pays. */
export async function run(): Promise<void> {
  await passThrough();
  await lists();
  await starts();
}

async function passThrough(): Promise<void> {
  await using world = await World.open({ mcpServers: { everything: realServer(EVERYTHING) } });
  await world.run(["ls"]);
  const { socket } = await world.daemon();
  using client = Deno.createHttpClient({ proxy: { transport: "unix", path: socket } });
  await using direct = new Lines(["node", upstreamEntry(EVERYTHING)]);
  const serve = [Deno.execPath(), "run", "-A", "--quiet", CLI, "serve", "--serve-mode", "passthrough"];
  await using bridged = new Lines(serve, { cwd: world.project, env: world.env });
  await direct.open();
  await bridged.open();
  await bridged.ask("tools/list");
  const args = '"arguments":{"message":"hello"}';
  const [body, headers] = modernRequest("tools/call", `{"name":"everything_echo",${args}}`);
  const samples = await sideBySide(CALLS, {
    "direct, stdio": () => direct.ask("tools/call", `{"name":"echo",${args}}`),
    "mcpx serve, stdio": () => bridged.ask("tools/call", `{"name":"everything_echo",${args}}`),
    "/mcp on the daemon's socket, HTTP": async () => {
      const response = await fetch("http://localhost/mcp", {
        method: "POST",
        body,
        headers: {
          ...headers,
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          "x-mcpx-settings": '{"serve.mode":["passthrough"]}',
        },
        client,
      });
      await response.text();
    },
  });
  report(`A pass-through call, ${CALLS} times in turn`, samples);
  const [base = NaN, ...rest] = [...samples.values()].map(({ times }) => median(times));
  print(`\nAdded at the median: ${rest.map((value) => `${(value - base).toFixed(2)} ms`).join(", ")}`);
}

async function lists(): Promise<void> {
  await using world = await World.open({
    mcpServers: {
      big: fixtureServer("many_tools.mjs", { TOOLS: "1000" }),
      everything: realServer(EVERYTHING),
    },
  });
  await world.run(["ls"]);
  const serve = (
    mode: string,
  ): string[] => [Deno.execPath(), "run", "-A", "--quiet", CLI, "serve", "--serve-mode", mode];
  const options = { cwd: world.project, env: world.env };
  await using whole = new Lines(serve("passthrough"), options);
  await using code = new Lines(serve("code"), options);
  await whole.open();
  await code.open();
  report(
    "tools/list over stdio",
    await sideBySide(50, {
      "code mode": () => code.ask("tools/list"),
      "pass-through, 1,017 tools": () => whole.ask("tools/list"),
    }),
  );
  const { result } = JSON.parse(await code.ask("tools/list")) as { result: { tools: { name: string }[] } };
  const bytes = (tools: unknown): number => new TextEncoder().encode(JSON.stringify({ tools })).length;
  const own = result.tools.filter(({ name }) => name.startsWith("mcpx_"));
  const share = (value: number): string => `${(100 * value / FIFTEEN_SERVERS_BYTES).toFixed(2)} %`;
  print(
    `\nCode mode: ${own.length} tools in ${bytes(own)} bytes, ${
      share(bytes(own))
    } of fifteen servers' lists; ` +
      `with the recipes ${result.tools.length} tools in ${bytes(result.tools)} bytes, ${
        share(bytes(result.tools))
      }.`,
  );
}

async function starts(): Promise<void> {
  await using world = await World.open({ mcpServers: { everything: realServer(EVERYTHING) } });
  const options = { cwd: world.project, env: world.env };
  const first = async (): Promise<void> => {
    await using serve = new Lines([Deno.execPath(), "run", "-A", "--quiet", CLI, "serve"], options);
    await serve.open();
  };
  const empty = `${world.root}/empty.ts`;
  await Deno.writeTextFile(empty, "");
  await world.run(["ls"]);
  report(
    "mcpx serve, from its start to the answer to initialize",
    await sideBySide(9, {
      "empty `deno run`": () => command([Deno.execPath(), "run", empty], options),
      "mcpx serve, a daemon runs": first,
      "mcpx serve, it starts the daemon": async () => {
        await world.run(["stop"]);
        await first();
      },
    }),
  );
}
