import { setFlagsFromString } from "node:v8";
import { McpxError } from "../errors/mod.ts";
import GRANTED from "./inside/granted.js" with { type: "text" };
import PRELUDE from "./inside/prelude.js" with { type: "text" };
import WEB from "./inside/web.js" with { type: "text" };
import WORKER from "./inside/worker.mjs" with { type: "text" };
import { LineSplitter } from "./lines.ts";
import type { InitMessage, RunMessage } from "./protocol.ts";
import type { StackMap } from "./stack_map.ts";
import { prepareScript, syntaxError } from "./strip.ts";

/*
 * The main thread of a sandbox process. It owns standard input and output, strips the script, starts the worker that runs it, and passes lines
 * through; it stays responsive while the worker loops.
 */

type Permission = "read" | "write" | "net" | "env" | "run" | "ffi" | "sys" | "import";
const PERMISSIONS: Permission[] = ["read", "write", "net", "env", "run", "ffi", "sys", "import"];
const EXIT_PROTOCOL = 70;

/**
 * Runs one sandbox process until its standard input ends: the entry that `mcpx __sandbox` and the host file share.
 *
 * @returns never under normal conditions; the daemon ends the process
 */
export async function sandboxMain(): Promise<void> {
  const host = new SandboxHost();
  const lines = new LineSplitter();
  for await (const chunk of Deno.stdin.readable) {
    for (const line of lines.push(chunk)) host.fromDaemon(line);
  }
  Deno.exit(0);
}

class SandboxHost {
  #worker?: Worker;
  #map?: StackMap;
  #filename = "script.ts";
  #open = 0;
  #requests = 0;
  #maxOpen = 1;
  #maxRequests = 0;
  readonly #waiting: string[] = [];
  readonly #encoder = new TextEncoder();

  /** One line of the daemon; what it says is trusted. */
  fromDaemon(line: string): void {
    if (line.startsWith('{"t":"ret"')) {
      this.#open--;
      const next = this.#waiting.shift();
      if (next !== undefined) this.#forward(next);
      this.#worker?.postMessage(line);
      return;
    }
    const message: InitMessage | RunMessage = JSON.parse(line);
    if (message.t === "init") this.#start(message);
    else this.#run(message);
  }

  #start({ grants, without = [] }: InitMessage): void {
    if (!without.includes("realm")) setFlagsFromString("--disallow-code-generation-from-strings");
    const text = `const WITHOUT=${JSON.stringify(without)},PRELUDE=${JSON.stringify(PRELUDE)},WEB=${
      JSON.stringify(WEB)
    },GRANTED=${JSON.stringify(GRANTED)};\n${WORKER}`;
    const readable = grants.write === undefined ? grants.read : [...grants.read, grants.write];
    const worker = new Worker(URL.createObjectURL(new Blob([text], { type: "text/javascript" })), {
      type: "module",
      deno: {
        permissions: without.includes("worker") ? "inherit" : {
          read: readable.length > 0 ? readable : false,
          write: grants.write === undefined ? false : [grants.write],
          net: grants.net.length > 0 ? grants.net : false,
          run: grants.run.length > 0 ? grants.run : false,
          env: false,
          ffi: false,
          sys: false,
          import: false,
        },
      },
    });
    this.#worker = worker;
    worker.onmessage = (event: MessageEvent<unknown>): void => this.#fromWorker(event.data);
    worker.onerror = (event: ErrorEvent): void => {
      event.preventDefault();
      this.#fail("script-exited", "The script's worker ended before the script did.");
    };
    if (!without.includes("process")) {
      for (const name of PERMISSIONS) Deno.permissions.revokeSync({ name });
    }
    worker.postMessage(JSON.stringify({ t: "init", grants }));
  }

  #run(message: RunMessage): void {
    const { source, filename, exportName, maxCalls, maxConcurrentCalls, hooks, ...rest } = message;
    this.#filename = filename;
    this.#maxOpen = maxConcurrentCalls;
    this.#maxRequests = maxCalls;
    try {
      const { code, columnOffset, map } = prepareScript(source, { filename, exportName });
      if (map !== undefined) this.#map = map;
      this.#write('{"t":"parsed"}');
      const prepare = { filename, maxCalls, ...rest };
      const around = Object.entries(hooks).map(([kind, hook]) => ({
        kind,
        filename: hook.filename,
        ...prepareScript(hook.source, { filename: hook.filename }),
      }));
      this.#worker?.postMessage(JSON.stringify({ t: "run", code, columnOffset, prepare, hooks: around }));
    } catch (error) {
      this.#write(JSON.stringify({ t: "fail", error: McpxError.from(error).toBody() }));
    }
  }

  /** One message of the worker: text on one line, which the daemon checks. */
  #fromWorker(line: unknown): void {
    if (typeof line !== "string" || line.includes("\n")) Deno.exit(EXIT_PROTOCOL);
    if (line.startsWith('{"t":"call"')) {
      if (++this.#requests > this.#maxRequests) {
        this.#fail(
          "script-calls",
          `The script made more than ${this.#maxRequests} calls and look-ups (exec.maxCalls).`,
        );
      } else if (this.#open < this.#maxOpen) this.#forward(line);
      else this.#waiting.push(line);
    } else if (line.startsWith('{"t":"uncompiled"')) {
      const { message, ...place } = JSON.parse(line);
      const position = this.#map?.position(place) ?? place;
      this.#write(
        JSON.stringify({ t: "fail", error: syntaxError(this.#filename, message, position).toBody() }),
      );
    } else this.#write(this.#map === undefined ? line : this.#mapped(line, this.#map));
  }

  /** A failure or log record with the user's positions in the place of the printed ones. */
  #mapped(line: string, map: StackMap): string {
    if (!line.startsWith('{"t":"fail"') && !line.startsWith('{"t":"log"')) return line;
    const message = JSON.parse(line);
    const turn = (text: unknown): unknown =>
      typeof text === "string" ? map.rewrite(text, this.#filename) : text;
    if (message.t === "fail") message.error.stack = turn(message.error.stack);
    else message.text = turn(message.text);
    return JSON.stringify(message);
  }

  #forward(line: string): void {
    this.#open++;
    this.#write(line);
  }

  #fail(code: string, message: string): void {
    this.#write(JSON.stringify({ t: "fail", error: { code, message } }));
  }

  #write(line: string): void {
    let rest = this.#encoder.encode(`${line}\n`);
    while (rest.length > 0) rest = rest.subarray(Deno.stdout.writeSync(rest));
  }
}
