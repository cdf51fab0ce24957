import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { eventually, fixtureServer, World } from "../support/world.ts";
import { clientScenarios, REVISIONS, runClientScenario, runServerSuite } from "./suite.ts";

/** What is known to fail and why: `<set>` -> `<scenario>:<check>`, or `<scenario>:*` -> reason. It may only shrink. */
const EXPECTED = JSON.parse(
  await Deno.readTextFile(new URL("expected_failures.json", import.meta.url)),
) as Record<string, Record<string, string>>;

const UPSTREAMS = [
  { era: "dual", transport: "stdio" },
  { era: "dual", transport: "http" },
  { era: "legacy", transport: "stdio" },
  { era: "legacy", transport: "http" },
] as const;

for (const { era, transport } of UPSTREAMS) {
  Deno.test(`the official server suites pass in front of a ${era} server over ${transport}`, async () => {
    await using fixture = await openFixture(era, transport);
    await using world = await World.open({ mcpServers: { fixture: fixture.entry } });
    const daemon = world.spawn([
      "daemon",
      "--http-listen",
      "127.0.0.1:0",
      "--http-auth",
      "none",
      "--serve-mode",
      "passthrough",
    ], { env: { MCPX_SERVE_MODE: "passthrough" } });
    try {
      const url = await eventually(
        async () => (await world.daemon().catch(() => undefined))?.url,
        "the daemon listens",
      );
      for (const revision of REVISIONS) {
        const { passed, failed } = await runServerSuite(`${url}/mcp`, revision);
        assert.ok(passed > 70, `only ${passed} checks passed`);
        compare(failed, { ...EXPECTED[`server ${revision}`], ...EXPECTED[`server ${revision} ${era}`] });
      }
    } finally {
      daemon.kill("SIGTERM");
      await daemon.output();
    }
  });
}

for (const revision of REVISIONS) {
  Deno.test(`the official client scenarios of ${revision} pass, but for signing in`, async () => {
    const client = fileURLToPath(new URL("client.ts", import.meta.url));
    const command = `${Deno.execPath()} run -A --quiet ${client}`;
    const scenarios = await clientScenarios(revision);
    assert.ok(scenarios.length >= 4, scenarios.join());
    const failed: string[] = [];
    for (const scenario of scenarios) {
      failed.push(...(await runClientScenario(command, scenario, revision)).failed);
    }
    compare(failed, EXPECTED[`client ${revision}`] ?? {});
  });
}

/** Whatever fails must be expected, and whatever is expected must fail. */
function compare(failed: readonly string[], expected: Readonly<Record<string, string>>): void {
  const covers = (pattern: string, check: string): boolean =>
    pattern === check || (pattern.endsWith(":*") && check.startsWith(pattern.slice(0, -1)));
  assert.deepEqual(failed.filter((check) => !Object.keys(expected).some((one) => covers(one, check))), []);
  assert.deepEqual(Object.keys(expected).filter((one) => !failed.some((check) => covers(one, check))), []);
  for (const reason of Object.values(expected)) assert.ok(reason.length > 20);
}

interface Fixture extends AsyncDisposable {
  entry: object;
}

async function openFixture(era: string, transport: "stdio" | "http"): Promise<Fixture> {
  const mcpx = { prefix: "none" };
  if (transport === "stdio") {
    return {
      entry: { ...fixtureServer("conformance.mjs", { ERA: era }), mcpx },
      [Symbol.asyncDispose]: () => Promise.resolve(),
    };
  }
  const child = new Deno.Command("node", {
    args: [fileURLToPath(new URL("../fixtures/servers/conformance.mjs", import.meta.url))],
    env: { ERA: era, TRANSPORT: "http" },
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const reader = child.stdout.getReader();
  const { value } = await reader.read();
  return {
    entry: { url: new TextDecoder().decode(value).trim(), mcpx },
    [Symbol.asyncDispose]: async () => {
      await reader.cancel();
      await child.stdin.close();
      await child.status;
    },
  };
}
