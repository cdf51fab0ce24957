import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { eventually, fixtureServer, World } from "../support/world.ts";
import { clientScenarios, REVISIONS, runClientScenario, runServerSuite } from "./suite.ts";

/** What is known to fail and why: `<set>` -> `<scenario>:<check>`, or `<scenario>:*` -> reason. It may only shrink. */
const EXPECTED = JSON.parse(
  await Deno.readTextFile(new URL("expected_failures.json", import.meta.url)),
) as Record<string, Record<string, string>>;

/** Checks that the suite passes over where an answer comes at once, and for which no failure is reported. */
const POLLING = ["server-sse-disconnect-resume", "server-sse-priming-event", "server-sse-retry-field"].map((
  check,
) => `server-sse-polling:${check}`);

const UPSTREAMS = [
  { era: "dual", transport: "stdio" },
  { era: "dual", transport: "http" },
  { era: "legacy", transport: "stdio" },
  { era: "legacy", transport: "http" },
] as const;

// All at once: the scenarios mostly wait.
Deno.test("the official server suites pass in front of every kind of server", async () => {
  await Promise.all(UPSTREAMS.map(({ era, transport }) => checkServers(era, transport)));
});

for (const revision of REVISIONS) {
  Deno.test(`the official client scenarios of ${revision} pass, but for signing in`, async () => {
    const client = fileURLToPath(new URL("client.ts", import.meta.url));
    const command = `${Deno.execPath()} run -A --quiet ${client}`;
    const scenarios = await clientScenarios(revision);
    assert.ok(scenarios.length >= 4, scenarios.join());
    const runs = await Promise.all(
      scenarios.map((scenario) => runClientScenario(command, scenario, revision)),
    );
    compare(runs.flatMap(({ failed }) => failed), EXPECTED[`client ${revision}`] ?? {}, `client ${revision}`);
  });
}

/** Runs both server sets against mcpx in pass-through, in front of one kind of server. */
async function checkServers(era: string, transport: "stdio" | "http"): Promise<void> {
  await using fixture = await openFixture(era, transport);
  await using world = await World.open({ mcpServers: { fixture: fixture.entry } });
  const listen = ["daemon", "--http-listen", "127.0.0.1:0", "--http-auth", "none"];
  // Hosts of 2025-11-25 come back for what takes long.
  const env = { MCPX_SERVE_MODE: "passthrough", MCPX_SERVE_POLL_AFTER: "200ms" };
  const daemon = world.spawn(listen, { env });
  try {
    const url = await eventually(
      async () => (await world.daemon().catch(() => undefined))?.url,
      "the daemon listens",
    );
    for (const revision of REVISIONS) {
      const { passed, succeeded, failed } = await runServerSuite(`${url}/mcp`, revision);
      const leg = `${revision} in front of a ${era} server over ${transport}`;
      assert.ok(passed > 70, `${leg}: only ${passed} checks passed`);
      if (revision === "2025-11-25") {
        assert.deepEqual(succeeded.filter((one) => one.startsWith("server-sse-polling:")), POLLING, leg);
      }
      compare(failed, { ...EXPECTED[`server ${revision}`], ...EXPECTED[`server ${revision} ${era}`] }, leg);
    }
  } finally {
    daemon.kill("SIGTERM");
    await daemon.output();
  }
}

/** Whatever fails must be expected, and whatever is expected must fail. */
function compare(failed: readonly string[], expected: Readonly<Record<string, string>>, leg: string): void {
  const covers = (pattern: string, check: string): boolean =>
    pattern === check || (pattern.endsWith(":*") && check.startsWith(pattern.slice(0, -1)));
  assert.deepEqual(
    failed.filter((check) => !Object.keys(expected).some((one) => covers(one, check))),
    [],
    leg,
  );
  const stale = Object.keys(expected).filter((one) => !failed.some((check) => covers(one, check)));
  assert.deepEqual(stale, [], `${leg}: these pass now`);
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
