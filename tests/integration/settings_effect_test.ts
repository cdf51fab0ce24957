import assert from "node:assert/strict";
import { isSettingPath, settingFlag, settingRow, SETTINGS } from "../../lib/settings/mod.ts";
import type { World } from "../support/world.ts";
import { CALL_EFFECTS } from "./settings/call_effects.ts";
import { CLIENT_EFFECTS } from "./settings/client_effects.ts";
import { DAEMON_EFFECTS } from "./settings/daemon_effects.ts";
import { MODEL_EFFECTS } from "./settings/model_effects.ts";
import { openWorld, started } from "./settings/open_world.ts";
import { POOL_EFFECTS } from "./settings/pool_effects.ts";
import { QUESTION_EFFECTS } from "./settings/question_effects.ts";
import { RESTART_EFFECTS } from "./settings/restart_effects.ts";
import { STREAM_EFFECTS } from "./settings/stream_effects.ts";
import { type Effect, type Effects, Place } from "./settings/place.ts";

/** How every setting is seen from outside: a knob in name only has no place here. */
const EFFECTS: Effects = {
  ...CALL_EFFECTS,
  ...CLIENT_EFFECTS,
  ...DAEMON_EFFECTS,
  ...MODEL_EFFECTS,
  ...POOL_EFFECTS,
  ...QUESTION_EFFECTS,
  ...RESTART_EFFECTS,
  ...STREAM_EFFECTS,
};

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
