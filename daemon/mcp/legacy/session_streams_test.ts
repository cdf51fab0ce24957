import assert from "node:assert/strict";
import type { JsonObject } from "../../../lib/schema/mod.ts";
import { SessionStreams } from "./session_streams.ts";

const notice = (name: string, params?: JsonObject): JsonObject => ({
  jsonrpc: "2.0",
  method: `notifications/${name}`,
  ...(params ? { params } : {}),
});

const SAID: readonly JsonObject[] = [
  notice("message", { level: "error", data: "x" }),
  notice("progress", { progressToken: 1, progress: 1 }),
  notice("vendor/chatter", { a: 1 }),
  notice("tools/list_changed"),
  notice("resources/updated", { uri: "a:1" }),
  notice("resources/updated", { uri: "a:2" }),
  notice("elicitation/complete", { elicitationId: "e" }),
  notice("tasks/status", { taskId: "t" }),
  { jsonrpc: "2.0", id: "q", method: "roots/list" },
];

async function methodsOf(body: ReadableStream<Uint8Array>): Promise<string[]> {
  const text = await new Response(body).text();
  return [...text.matchAll(/"method":"(?:notifications\/)?([^"]*)"/g)].map(([, method = ""]) => method);
}

Deno.test("for a session to whose stream nobody ever listened, chatter is not kept, and each change once", async () => {
  const streams = new SessionStreams();
  for (let n = 0; n < 100; n++) for (const message of SAID.slice(0, 6)) streams.push(message);
  for (const message of SAID.slice(6)) streams.push(message);
  streams.finish();
  assert.deepEqual(await methodsOf(streams.standing.connect()), [
    "tools/list_changed",
    "resources/updated",
    "resources/updated",
    "elicitation/complete",
    "tasks/status",
    "roots/list",
  ]);
});

Deno.test("for a host that listened once everything is kept until it comes back", async () => {
  const streams = new SessionStreams();
  await streams.standing.connect().cancel();
  for (const message of SAID) streams.push(message);
  streams.finish();
  assert.equal((await methodsOf(streams.standing.connect())).length, SAID.length);
});
