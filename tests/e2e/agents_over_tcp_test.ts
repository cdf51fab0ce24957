import assert from "node:assert/strict";
import { eventually, fixtureServer, World } from "../support/world.ts";

/** A daemon that listens, and a way to ask it over TCP. */
async function listening(
  world: World,
  flags: string[],
): Promise<
  { ask(method: string, path: string, body?: object): Promise<[number, string]> } & AsyncDisposable
> {
  const daemon = world.spawn(["daemon", "--http-listen", "127.0.0.1:0", ...flags]);
  const { url = "", token = "" } = await eventually(async () => {
    const record = await world.daemon().catch(() => undefined);
    return record?.url === undefined ? undefined : record;
  }, "the daemon listens");
  return {
    ask: async (method, path, body) => {
      const response = await fetch(`${url}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body ? { "content-type": "application/json" } : {}),
        },
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
      return [response.status, await response.text()];
    },
    [Symbol.asyncDispose]: async () => {
      daemon.kill("SIGTERM");
      await daemon.output();
    },
  };
}

const CHANGES: [method: string, path: string, body?: object][] = [
  ["POST", "/v1/config/servers", { name: "own", command: ["sh", "-c", "touch $HOME/ran"] }],
  ["DELETE", "/v1/config/servers/asker"],
  ["POST", "/v1/settings/serve.admin", { value: "true" }],
  ["POST", "/v1/settings/pool.callTimeout", { value: "1s" }],
  ["DELETE", "/v1/settings/pool.callTimeout"],
  ["POST", "/v1/catalog/lock", {}],
  ["POST", "/v1/stop", {}],
];

Deno.test("over TCP nobody changes the daemon or its servers without serve.admin, token or not", async () => {
  await using world = await World.open({ mcpServers: { asker: fixtureServer("asker.mjs") } });
  for (const flags of [[], ["--http-auth", "none"]]) {
    await using daemon = await listening(world, flags);
    for (const [method, path, body] of CHANGES) {
      const [status, text] = await daemon.ask(method, path, body);
      assert.equal(status, 403, `${method} ${path}: ${text}`);
      assert.match(text, /"forbidden".*over TCP: .*serve\.admin/s, path);
    }
    assert.equal((await daemon.ask("GET", "/v1/settings"))[0], 200);
  }
});

Deno.test("with serve.admin it is done over TCP too", async () => {
  await using world = await World.open({ mcpServers: {} });
  await using daemon = await listening(world, ["--serve-admin"]);
  assert.equal((await daemon.ask("POST", "/v1/settings/pool.callTimeout", { value: "1s" }))[0], 200);
});

Deno.test("what is for a human is not answered by whoever reaches a port without a token", async () => {
  await using world = await World.open({ mcpServers: { asker: fixtureServer("asker.mjs") } });
  const confirm = { type: "object", properties: { confirm: { type: "boolean" } }, required: ["confirm"] };
  for (const [flags, status] of [[["--http-auth", "none"], 403], [[], 200]] as const) {
    await using daemon = await listening(world, [...flags]);
    const { code, value } = await world.json([
      "call",
      "asker.ask",
      JSON.stringify({ message: "Sure?", schema: confirm }),
    ]);
    assert.equal(code, 75, JSON.stringify(value));
    const [question] = (await world.json(["elicit", "list"])).value.questions as {
      id: string;
      audience: string;
    }[];
    assert.ok(question);
    const answer = { content: { confirm: true } };
    const [got, text] = await daemon.ask("POST", `/v1/elicit/${question.id}/answer`, answer);
    assert.equal(got, status, text);
  }
});
