import assert from "node:assert/strict";
import { isSettingPath, settingFlag, settingRow, SETTINGS } from "../../lib/settings/mod.ts";
import { fixtureServer, World } from "../support/world.ts";
import { CALL_EFFECTS } from "./settings/call_effects.ts";
import { type Effect, type Effects, type Json, Place } from "./settings/place.ts";

/** How every setting is seen from outside: a knob in name only has no place here. */
const EFFECTS: Effects = { ...CALL_EFFECTS };

let shared: World | undefined;

Deno.test.afterAll(async () => {
  await shared?.[Symbol.asyncDispose]();
});

Deno.test("every setting has an effect that can be seen", () => {
  assert.deepEqual(Object.keys(SETTINGS).filter((path) => !Object.hasOwn(EFFECTS, path)), []);
});

for (const [path, effect] of Object.entries(EFFECTS)) {
  Deno.test(`setting ${path}: ${effect.values.map((value) => value || '""').join(" and ")} differ`, async () => {
    assert.ok(isSettingPath(path), `${path} is a setting`);
    const seen = [];
    for (const value of effect.values) seen.push(await observe(path, effect, value));
    assert.deepEqual(seen, [...effect.sees]);
  });
}

async function observe(path: keyof typeof SETTINGS, effect: Effect, value: string): Promise<unknown> {
  const { scope, hot, kind } = settingRow(path);
  const flags = kind === "bool"
    ? [value === "true" ? `--${settingFlag(path)}` : `--no-${settingFlag(path)}`]
    : [`--${settingFlag(path)}=${value}`];
  if (scope === "client" || !hot || effect.startsDaemon) {
    await using world = await openWorld(effect.alone);
    const place = new Place(world, { flags });
    if (!effect.startsDaemon) await started(place);
    return await effect.observe(place);
  }
  const world = effect.alone ? await openWorld(effect.alone) : await sharedWorld();
  await using _own = effect.alone ? world : undefined;
  if (effect.alone) await started(new Place(world));
  if (scope === "call") return await effect.observe(new Place(world, { settings: { [path]: value } }));
  const place = new Place(world);
  const set = await place.post(`/v1/settings/${path}`, { value });
  assert.equal(set.status, 200, JSON.stringify(set.body));
  assert.equal(set.body.restartRequired, false);
  try {
    return await effect.observe(place);
  } finally {
    if (!effect.alone) await place.delete(`/v1/settings/${path}`);
  }
}

async function sharedWorld(): Promise<World> {
  if (shared) return shared;
  shared = await openWorld();
  await started(new Place(shared));
  return shared;
}

async function openWorld(more: Json = {}): Promise<World> {
  const world = await World.open({});
  const log = `${world.root}/probe.log`;
  await world.configure({
    mcpServers: {
      probe: fixtureServer("probe.mjs", { LOG: log }),
      single: { ...fixtureServer("probe.mjs", {}), mcpx: { sharing: "exclusive", scope: "global" } },
      asker: fixtureServer("asker.mjs", { LOG: `${world.root}/asker.log` }),
      many: fixtureServer("many_tools.mjs", { TOOLS: "60" }),
      owl: {
        ...fixtureServer("many_tools.mjs", { TOOLS: "1" }),
        mcpx: { groups: ["night"], default: false },
      },
      ...(more.mcpServers as Json | undefined),
    },
    ...Object.fromEntries(Object.entries(more).filter(([name]) => name !== "mcpServers")),
  });
  return world;
}

/** Starts the daemon, and has it read every server once. */
async function started(place: Place): Promise<void> {
  const { code, stderr } = await place.run(["ls"]);
  assert.equal(code, 0, stderr);
}
