import type { SettingPath } from "../../../lib/settings/mod.ts";
import { type CliResult, World } from "../../support/world.ts";

/** A JSON object as the API answers it. */
export type Json = Record<string, unknown>;

/** One answer of the API. */
export interface Answered {
  status: number;
  body: Json;
}

/** Where a setting has been given a value, and what can be seen from outside. */
export class Place {
  readonly world: World;
  readonly #headers: Record<string, string>;
  readonly #flags: readonly string[];

  /** @param given call-scoped settings for every request, and flags for every command */
  constructor(world: World, given: { settings?: Json; flags?: readonly string[] } = {}) {
    this.world = world;
    this.#headers = given.settings ? { "x-mcpx-settings": JSON.stringify(given.settings) } : {};
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

  async get(path: string): Promise<Answered> {
    return await read(await this.world.http(path, { headers: this.#headers }));
  }

  async post(path: string, body: unknown = {}): Promise<Answered> {
    return await read(
      await this.world.http(path, { method: "POST", body: JSON.stringify(body), headers: this.#headers }),
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
  async mcp(method: string, params: Json = {}): Promise<Json> {
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
            "io.modelcontextprotocol/clientCapabilities": {},
          },
        },
      }),
    });
    const text = await response.text();
    const data = /^data: (.*)$/m.exec(text)?.[1];
    return JSON.parse(data ?? text);
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
