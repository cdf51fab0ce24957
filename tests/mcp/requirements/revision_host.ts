import assert from "node:assert/strict";
import { DaemonHost } from "../../support/daemon_host.ts";
import { MODERN, modernRequest, type RawAnswer } from "../../support/mcp_host.ts";
import { eventually, fixtureServer } from "../../support/world.ts";
import { isMessage } from "./requirement.ts";

type Json = Record<string, unknown>;

/** How long an answer may take before the row fails, ms. */
const PATIENCE_MS = 20_000;

/** A request as it is sent: its method, raw params, and what is not as usual. */
export interface Sending {
  id?: string;
  headers?: Record<string, string>;
  capabilities?: string;
  meta?: string;
  signal?: AbortSignal;
}

/** A host of one revision in front of a real daemon, behind which are a server of the same revision and others. */
export class RevisionHost implements AsyncDisposable {
  readonly version: string;
  readonly daemon: DaemonHost;
  /** The headers of the session. */
  headers: Record<string, string> = {};
  /** What the daemon answered to `initialize`. */
  initialized: Json = {};
  #nextId = 100;

  private constructor(version: string, daemon: DaemonHost) {
    this.version = version;
    this.daemon = daemon;
  }

  /**
   * Opens a daemon and a session of the revision.
   *
   * The server `raw` stands alone and speaks the revision, `newer` speaks the newest one with a handshake, `bare` declares nothing,
   * `paged` gives its tools in pages; each writes down what it gets.
   */
  static async open(version: string): Promise<RevisionHost> {
    const server = (name: string, env: Record<string, string>, mcpx: object): object => ({
      ...fixtureServer("scripted.mjs", { LOG: `$ROOT/${name}.log`, ...env }),
      mcpx,
    });
    const protocol = version === MODERN ? "modern" : "legacy";
    const tool = (name: string): string => `{"name":"${name}","inputSchema":{"type":"object"}}`;
    const daemon = await DaemonHost.open({
      mcpServers: {
        raw: server("raw", {
          VERSION: version,
          BEFORE: JSON.stringify(['{"jsonrpc":"2.0","id":"early","method":"ping","x":1}']),
        }, { prefix: "none", protocol }),
        newer: server("newer", {
          VERSION: version === MODERN ? "2025-11-25" : MODERN,
          LISTS: JSON.stringify({
            "prompts/get":
              '{"messages":[{"role":"user","content":{"type":"audio","data":"AQ==","mimeType":"audio/wav"}},{"role":"user","content":{"type":"resource_link","uri":"note://one","name":"one"}}]}',
          }),
        }, {}),
        bare: server("bare", { VERSION: version, CAPABILITIES: "{}" }, { protocol }),
        paged: server("paged", {
          VERSION: version,
          LISTS: JSON.stringify({
            "tools/list": `{"tools":[${tool("a")}],"nextCursor":"ü ,1"}`,
            "tools/list ü ,1": `{"tools":[],"nextCursor":""}`,
            "tools/list ": `{"tools":[${tool("b")}]}`,
          }),
        }, { protocol }),
        stranger: server("stranger", { VERSION: "1999-01-01" }, { protocol: "legacy" }),
      },
      serve: { mode: ["code", "passthrough"], pageSize: 7 },
    });
    const host = new RevisionHost(version, daemon);
    if (version === MODERN) return host;
    const { headers, answer } = await daemon.initialize(
      version,
      '{"roots":{"listChanged":true},"sampling":{},"elicitation":{},"x-unknown":{}}',
    );
    host.headers = headers;
    host.initialized = answer.last.result as Json;
    return host;
  }

  /** Sends a text as it is, in the session. */
  async post(text: string, headers?: Record<string, string>, signal?: AbortSignal): Promise<RawAnswer> {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(new Error(`no answer to ${text.slice(0, 200)}`)), PATIENCE_MS);
    const ended = signal ? AbortSignal.any([signal, late.signal]) : late.signal;
    try {
      const answer = await this.daemon.post(text, { ...this.headers, ...headers }, ended);
      for (const message of answer.messages) if (message !== "") isMessage(message);
      return answer;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Sends a request of the revision; without an id of its own it gets a fresh one. */
  async ask(method: string, params = "{}", sending: Sending = {}): Promise<RawAnswer> {
    const { id = this.freshId(), headers = {}, capabilities = "{}", meta = "", signal } = sending;
    if (this.version !== MODERN) {
      return await this.post(
        `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${params},"x-unknown":1}`,
        headers,
      );
    }
    const [body, own] = modernRequest(method, params, { id, capabilities, meta });
    return await this.post(body, { ...own, ...headers }, signal);
  }

  /** Sends a request and gives its result. */
  async result(method: string, params?: string, sending?: Sending): Promise<Json> {
    const { last, text } = await this.ask(method, params, sending);
    assert.ok(last.result !== undefined, text);
    return last.result as Json;
  }

  /** Sends a request and gives the error's code. */
  async code(method: string, params?: string, sending?: Sending): Promise<number> {
    const { last, text } = await this.ask(method, params, sending);
    assert.ok(last.error !== undefined, text);
    return (last.error as { code: number }).code;
  }

  /** Calls a tool. */
  async call(name: string, args?: object, sending?: Sending): Promise<Json> {
    return await this.result("tools/call", JSON.stringify({ name, arguments: args ?? {} }), sending);
  }

  /** Sends a notification, which must be accepted with nothing else. */
  async tell(method: string, params = "{}"): Promise<void> {
    const { status, text } = await this.post(
      `{"jsonrpc":"2.0","method":"${method}","params":${params},"x-unknown":1}`,
      this.version === MODERN ? { "mcp-protocol-version": MODERN, "mcp-method": method } : {},
    );
    assert.deepEqual([status, text], [202, ""]);
  }

  /** Has the server write lines to mcpx, and gives what mcpx answered to them. */
  async serverSays(lines: readonly string[], answers: number): Promise<Json[]> {
    const { content } = await this.call("say", { lines, answers });
    const [block] = content as { text: string }[];
    return (JSON.parse(block?.text ?? "[]") as string[]).map((line) => JSON.parse(line) as Json);
  }

  /** Sends a call in whose course the server asks something, and answers the question; gives the stream and the call's answer. */
  async asked(call: string, reply: (question: Json) => string): Promise<{ text: string; answer: Json }> {
    const response = await this.daemon.http({
      method: "POST",
      body: `{"jsonrpc":"2.0","id":${this.freshId()},"method":"tools/call","params":${call}}`,
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...this.headers,
      },
    });
    await using told = new Told(response);
    await told.until('"method":');
    await told.until("\n\n");
    const { status } = await this.post(reply(JSON.parse(told.messages.at(-1) ?? "{}") as Json));
    assert.equal(status, 202);
    await told.until('"result":');
    await told.until("}\n\n");
    for (const message of told.messages) isMessage(message);
    return { text: told.text, answer: JSON.parse(told.messages.at(-1) ?? "{}") as Json };
  }

  /** Every page of a list. */
  async all(method: string, member: string): Promise<Json[]> {
    const entries: Json[] = [];
    for (let params = "{}"; params !== "";) {
      const result = await this.result(method, params);
      entries.push(...result[member] as Json[]);
      params = result.nextCursor === undefined ? "" : JSON.stringify({ cursor: result.nextCursor });
    }
    return entries;
  }

  /** What a server got, line by line. */
  async log(server = "raw"): Promise<Json[]> {
    const text = await this.daemon.file(`${server}.log`);
    return text.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line) as Json);
  }

  /** Waits until a server has got a message like this. */
  async logged(fits: (message: Json) => boolean, server = "raw"): Promise<Json> {
    return await eventually(async () => (await this.log(server)).find(fits), `${server} gets a message`);
  }

  /** A stream that the daemon speaks on by itself, read until `wanted` has come. */
  async listen(): Promise<Told> {
    return new Told(await this.daemon.http({ headers: { ...this.headers, accept: "text/event-stream" } }));
  }

  /** An id that was not used yet. */
  freshId(): string {
    return String(this.#nextId++);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.daemon[Symbol.asyncDispose]();
  }
}

/** A stream of events, read as it comes. */
export class Told implements AsyncDisposable {
  text = "";
  readonly #reader: ReadableStreamDefaultReader<string> | undefined;
  readonly #reading: Promise<void>;
  #ended = false;
  #more = Promise.withResolvers<void>();

  constructor(response: Response) {
    this.#reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    this.#reading = this.#read();
  }

  /** The messages so far. */
  get messages(): string[] {
    return this.text.split("\n").filter((line) => line.startsWith("data: {")).map((line) => line.slice(6));
  }

  /** Waits until a text has come. */
  async until(wanted: string): Promise<void> {
    while (!this.text.includes(wanted)) {
      if (this.#ended) throw new Error(`the stream ended before ${wanted}: ${this.text}`);
      await this.#more.promise;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#reader?.cancel();
    await this.#reading;
  }

  async #read(): Promise<void> {
    for (let read = await this.#reader?.read(); read && !read.done; read = await this.#reader?.read()) {
      this.text += read.value;
      this.#more.resolve();
      this.#more = Promise.withResolvers();
    }
    this.#ended = true;
    this.#more.resolve();
  }
}
