import assert from "node:assert/strict";
import { join } from "node:path";
import { McpxError } from "../errors/mod.ts";
import { openSocket } from "./open_socket.ts";

/** A server that takes no connection before it reads a byte. */
const BUSY = `
  const net = require("node:net");
  net.createServer((socket) => socket.resume()).listen({ path: process.argv[1], backlog: 1 }, () => {
    process.stdout.write("up");
    require("node:fs").readSync(0, Buffer.alloc(1));
  });`;

async function onBusy(run: (socket: string, release: () => Promise<void>) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "mcpx-busy-" });
  const socket = join(folder, "s.sock");
  const child = new Deno.Command("node", {
    args: ["-e", BUSY, socket],
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const reader = child.stdout.getReader();
  await reader.read();
  const writer = child.stdin.getWriter();
  const waiting: Deno.Conn[] = [];
  try {
    for (let full = false; !full;) {
      try {
        waiting.push(await Deno.connect({ transport: "unix", path: socket }));
      } catch (error) {
        assert.ok(error instanceof Deno.errors.WouldBlock);
        full = true;
      }
    }
    await run(socket, () => writer.write(new Uint8Array(1)));
  } finally {
    for (const connection of waiting) connection.close();
    await writer.close().catch(() => undefined);
    child.kill("SIGKILL");
    await child.status;
    await reader.cancel();
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("a daemon that takes no connection for a moment is waited for", () =>
  onBusy(async (socket, release) => {
    const opening = openSocket(socket, { timeoutMs: 10_000, signal: new AbortController().signal });
    await release();
    (await opening).close();
  }));

Deno.test("one that stays busy is said to be, in one sentence, and waiting for it can be interrupted", () =>
  onBusy(async (socket) => {
    const { signal } = new AbortController();
    const isBusy = (error: unknown): boolean =>
      error instanceof McpxError && error.code === "daemon-unreachable" && /it is busy/.test(error.message);
    await assert.rejects(openSocket(socket, { timeoutMs: 300, signal }), isBusy);
    const abort = new AbortController();
    const opening = openSocket(socket, { timeoutMs: 60_000, signal: abort.signal });
    abort.abort();
    await assert.rejects(opening, { code: "cancelled" });
  }));
