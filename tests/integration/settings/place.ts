import { fileURLToPath } from "node:url";
import type { SettingPath } from "../../../lib/settings/mod.ts";
import type { CliResult, World } from "../../support/world.ts";

/** A JSON object as the API answers it. */
export type Json = Record<string, unknown>;

/** One answer of the API. */
export interface Answered {
  status: number;
  body: Json;
}

/** No observation takes this long. */
const PATIENCE_MS = 20_000;

/** Where a setting has been given a value, and what can be seen from outside. */
export class Place {
  readonly world: World;
  readonly #headers: Record<string, string>;
  readonly #flags: readonly string[];

  /** @param given call-scoped settings for every request, and flags for every command */
  constructor(world: World, given: { settings?: Json; flags?: readonly string[]; session?: string } = {}) {
    this.world = world;
    const caller = { cwd: world.project, ...(given.session === undefined ? {} : { session: given.session }) };
    this.#headers = {
      "x-mcpx-caller": JSON.stringify(caller),
      ...(given.settings ? { "x-mcpx-settings": JSON.stringify(given.settings) } : {}),
    };
    this.#flags = given.flags ?? [];
  }

  /** The same place with further call-scoped settings. */
  with(settings: Json): Place {
    const before = this.#headers["x-mcpx-settings"];
    return new Place(this.world, {
      settings: { ...settings, ...(before === undefined ? {} : JSON.parse(before)) },
      flags: this.#flags,
    });
  }

  /** The same place for a caller of a session. */
  as(session: string): Place {
    const before = this.#headers["x-mcpx-settings"];
    return new Place(this.world, {
      flags: this.#flags,
      session,
      ...(before === undefined ? {} : { settings: JSON.parse(before) }),
    });
  }

  /** Holds other daemon-scoped settings while something is looked at. */
  async holding<T>(settings: Record<string, string>, look: () => Promise<T>): Promise<T> {
    for (const [path, value] of Object.entries(settings)) {
      const { status, body } = await this.post(`/v1/settings/${path}`, { value });
      if (status !== 200) throw new Error(JSON.stringify(body));
    }
    try {
      return await look();
    } finally {
      for (const path of Object.keys(settings)) await this.delete(`/v1/settings/${path}`);
    }
  }

  async get(path: string): Promise<Answered> {
    return await read(
      await this.world.http(path, { headers: this.#headers, signal: AbortSignal.timeout(PATIENCE_MS) }),
    );
  }

  async post(path: string, body: unknown = {}): Promise<Answered> {
    return await read(
      await this.world.http(path, {
        method: "POST",
        body: JSON.stringify(body),
        headers: this.#headers,
        signal: AbortSignal.timeout(PATIENCE_MS),
      }),
    );
  }

  async delete(path: string): Promise<Answered> {
    return await read(await this.world.http(path, { method: "DELETE", headers: this.#headers }));
  }

  /** Calls a tool; the error's code where it fails, else nothing. */
  async call(tool: string, args: Json = {}): Promise<Answered> {
    return await this.post("/v1/call", { tool, arguments: args });
  }

  /** Runs a script and gives its document. */
  async exec(code: string, more: Json = {}): Promise<Json> {
    return (await this.post("/v1/exec", { code, ...more })).body;
  }

  /** One JSON-RPC request to the MCP face, without a handshake. */
  async mcp(method: string, params: Json = {}, capabilities: Json = {}): Promise<Json> {
    const response = await this.world.http("/mcp", {
      method: "POST",
      headers: {
        ...this.#headers,
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": method,
        ...(typeof params.name === "string" ? { "mcp-name": params.name } : {}),
      },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method,
        params: {
          ...params,
          _meta: {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
            "io.modelcontextprotocol/clientCapabilities": capabilities,
          },
        },
      }),
    });
    const text = await response.text();
    const data = /^data: (.*)$/m.exec(text)?.[1];
    return JSON.parse(data ?? text);
  }

  /** Runs a command line with the setting's flag at a terminal of its own, where nobody types; whether it waits for somebody. */
  async waitsAtTerminal(words: readonly string[], ms: number): Promise<boolean> {
    const cli = fileURLToPath(new URL("../../../cli.ts", import.meta.url));
    const line = [Deno.execPath(), "run", "-A", "--quiet", cli, ...words, ...this.#flags].join(" ");
    const child = new Deno.Command("script", {
      args: ["-qec", line, "/dev/null"],
      cwd: this.world.project,
      clearEnv: true,
      env: { ...this.world.env, TERM: "xterm" },
      stdin: "piped",
      stdout: "null",
      stderr: "null",
    }).spawn();
    let ended = true;
    const late = setTimeout(() => {
      ended = false;
      child.kill("SIGTERM");
    }, ms);
    await child.status;
    clearTimeout(late);
    await child.stdin.close().catch(() => {}); // it is gone
    return !ended;
  }

  /** Runs a command line with the setting's flag. */
  run(words: readonly string[], env: Record<string, string> = {}): Promise<CliResult> {
    return this.world.run([...words, ...this.#flags], { env });
  }
}

/** The code of an answer's error, or of a run's. */
export function codeOf(answer: Answered | Json): unknown {
  const body = "status" in answer && "body" in answer ? answer.body as Json : answer;
  return (body.error as Json | undefined)?.code;
}

/** What makes a setting's effect visible. */
export interface Effect {
  /** Two values, as a user writes them. */
  values: readonly [string, string];
  /** What is seen with each. */
  sees: readonly [unknown, unknown];
  /** Looks from outside. */
  observe(place: Place): Promise<unknown>;
  /** A world of its own for each value, with this configuration: for what only a start can change, or what ends the daemon. */
  alone?: Json;
  /** Whether the observation starts the daemon itself. */
  startsDaemon?: true;
}

/** Effects by setting. */
export type Effects = Partial<Record<SettingPath, Effect>>;

async function read(response: Response): Promise<Answered> {
  const text = await response.text();
  return { status: response.status, body: text === "" ? {} : JSON.parse(text) };
}

/** Waits for time to pass, where time is what is observed. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
