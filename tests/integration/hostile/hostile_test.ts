import assert from "node:assert/strict";
import { type Attack, ATTACKS, type Profile, PROFILES } from "./attacks.ts";
import { eachOf, Range } from "./range.ts";

/** Everything by both ways of starting; else the second way repeats only what a profile could change: what can be reached. */
const WHOLE = Deno.env.get("MCPX_TEST_HOSTILE") === "all";

async function attackAll(
  options: { self: boolean; profile: Profile; attacks: readonly Attack[] },
): Promise<void> {
  const { self, profile, attacks } = options;
  await using range = await Range.open({ self });
  range.startInnocents();
  const failed: string[] = [];
  await eachOf(attacks, 5, async (attack) => {
    try {
      await range.attack(attack, profile);
    } catch (error) {
      failed.push(`${attack.name}: ${error instanceof Error ? error.message : error}`);
    }
  });
  await range.unharmed();
  assert.ok(range.innocents.length >= 2);
  assert.equal(failed.length, 0, failed.join("\n\n"));
}

for (const profile of PROFILES) {
  const attacks = ATTACKS.filter(({ profiles }) => profiles?.includes(profile) ?? true);
  Deno.test(`${profile}: each of ${attacks.length} attacks ends alone, from source`, async () => {
    await attackAll({ self: false, profile, attacks });
  });
  const changes = profile === "none" ? /^(reach|import|escape):/ : /^reach:/;
  const again = WHOLE ? attacks : attacks.filter(({ name }) => changes.test(name));
  Deno.test(`${profile}: each of ${again.length} attacks ends alone, by the self-start path`, async () => {
    await attackAll({ self: true, profile, attacks: again });
  });
}

Deno.test("the daemon reads every attack's text before it runs, and none of them stops it", async () => {
  await using range = await Range.open();
  range.startInnocents();
  const huge = [
    "((((".repeat(50_000),
    "`${".repeat(20_000),
    "/".repeat(100_000),
    "demo.echo(".repeat(20_000),
    "\\u{".repeat(9999),
  ];
  await eachOf([...ATTACKS.map(({ source }) => source), ...huge], 4, async (source) => {
    assert.equal(await range.diagnose(source), 200);
  });
  await range.unharmed();
});

Deno.test("there are at least sixty attacks, each of its own name", () => {
  assert.ok(ATTACKS.length >= 60);
  assert.equal(new Set(ATTACKS.map(({ name }) => name)).size, ATTACKS.length);
});
