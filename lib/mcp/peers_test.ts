import assert from "node:assert/strict";
import { connectOptions, fixturePath } from "../../tests/fixtures/servers/raw_server.ts";
import type { JsonObject } from "../schema/types.ts";
import { connectUpstream } from "./mod.ts";
import type { ConnectOptions, UpstreamConnection, UpstreamTarget } from "./mod.ts";

function denoTarget(file: string): UpstreamTarget {
  const { PATH = "", HOME = "", DENO_DIR } = Deno.env.toObject();
  return {
    kind: "stdio",
    command: Deno.execPath(),
    args: ["run", "-A", "--cached-only", fixturePath(file), "stdio"],
    env: { PATH, HOME, ...(DENO_DIR ? { DENO_DIR } : {}) },
  };
}

async function using(
  target: UpstreamTarget,
  changes: Partial<ConnectOptions>,
  use: (server: UpstreamConnection) => Promise<void>,
): Promise<void> {
  const server = await connectUpstream(target, connectOptions({ probeTimeoutMs: 15_000, ...changes }));
  try {
    await use(server);
  } finally {
    await server.close();
  }
}

async function checkServer(server: UpstreamConnection, name: string): Promise<void> {
  assert.equal(server.serverInfo.name, name);
  const listing = await server.readListing();
  assert.deepEqual(listing.warnings, []);
  const add = listing.tools.find((tool) => tool.name === "add");
  assert.ok(add?.inputSchema && add.outputSchema);
  assert.deepEqual(listing.prompts.map((prompt) => prompt.name), ["greet"]);
  const result = await server.request("tools/call", { name: "add", arguments: { a: 1, b: 2 } });
  assert.deepEqual(result.structuredContent, { sum: 3 });
  const prompt = await server.request("prompts/get", { name: "greet" });
  assert.equal((prompt.messages as JsonObject[]).length, 1);
}

async function checkProgress(server: UpstreamConnection): Promise<void> {
  const seen: number[] = [];
  await server.request("tools/call", { name: "slow" }, { onProgress: ({ progress }) => seen.push(progress) });
  assert.deepEqual(seen, [1, 2, 3]);
}

Deno.test("a server on the SDK's first generation works, questions included", async () => {
  await using(denoTarget("sdk_v1.ts"), {
    handlers: {
      "elicitation/create": () => Promise.resolve({ action: "accept", content: { which: "this" } }),
    },
  }, async (server) => {
    assert.equal(server.era, "legacy");
    await checkServer(server, "v1");
    const [block] = (await server.request("tools/call", { name: "ask" })).content as { text: string }[];
    assert.deepEqual(JSON.parse(block?.text ?? ""), { action: "accept", content: { which: "this" } });
  });
});

for (const protocol of ["auto", "legacy", "modern"] as const) {
  const era = protocol === "legacy" ? "legacy" : "modern";

  Deno.test(`a server on the SDK's second generation works over stdio when asked for ${protocol}`, async () => {
    await using(denoTarget("sdk_v2.ts"), { protocol }, async (server) => {
      assert.equal(server.era, era);
      await checkServer(server, "v2");
      await checkProgress(server);
    });
  });

  Deno.test(`a server on the SDK's second generation works over HTTP when asked for ${protocol}`, async () => {
    const process = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--cached-only", fixturePath("sdk_v2.ts"), "http"],
      stdout: "piped",
    }).spawn();
    const reader = process.stdout.getReader();
    const url = new TextDecoder().decode((await reader.read()).value).trim();
    try {
      await using({ kind: "http", url, headers: {}, transport: "auto" }, { protocol }, async (server) => {
        assert.equal(server.era, era);
        await checkServer(server, "v2");
        await checkProgress(server);
      });
    } finally {
      process.kill();
      await reader.cancel();
      await process.status;
    }
  });
}
