import { fixtureServer } from "../../support/world.ts";
import { codeOf, type Effects, type Json, pause, type Place } from "./place.ts";

async function instancesOf(place: Place, server: string): Promise<number> {
  const { instances } = (await place.get("/v1/status")).body;
  return (instances as { server: string }[]).filter((instance) => instance.server === server).length;
}

/** The codes of as many calls at once on the exclusive server. */
async function atOnce(place: Place, count: number, ms: number): Promise<unknown[]> {
  const calls = Array.from({ length: count }, () => place.call("single.wait", { ms }));
  return (await Promise.all(calls)).map(codeOf);
}

const LATE: Json = { mcpServers: { late: fixtureServer("probe.mjs", { START_MS: "700" }) } };
const STUBBORN: Json = { mcpServers: { stubborn: fixtureServer("probe.mjs", { STUBBORN: "1" }) } };

/** Settings of the pool and of connections. */
export const POOL_EFFECTS: Effects = {
  "pool.idleTimeout": {
    values: ["150ms", "10m"],
    sees: [0, 1],
    observe: async (place) => {
      await place.call("single.say");
      await pause(600);
      return await instancesOf(place, "single");
    },
  },
  "pool.max": {
    values: ["1", "3"],
    sees: [1, 3],
    observe: async (place) => {
      await place.post("/v1/restart", { namespace: "pair" });
      const calls = ["a", "b", "c"].map((name) => place.as(name).call("pair.wait", { ms: 500 }));
      await pause(400);
      const seen = await instancesOf(place, "pair");
      await Promise.all(calls);
      await place.post("/v1/restart", { namespace: "pair" });
      return seen;
    },
  },
  "pool.min": {
    values: ["0", "1"],
    sees: [0, 1],
    observe: async (place) => {
      if (await instancesOf(place, "owl") > 0) await place.post("/v1/restart", { namespace: "owl" });
      await pause(400);
      return await instancesOf(place, "owl");
    },
  },
  "pool.queueMax": {
    values: ["1", "1000"],
    sees: [true, false],
    observe: async (place) => (await atOnce(place, 4, 150)).includes("queue-full"),
  },
  "pool.queueTimeout": {
    values: ["150ms", "60s"],
    sees: [true, false],
    observe: async (place) => (await atOnce(place, 2, 600)).includes("queue-timeout"),
  },
  "pool.startTimeout": {
    alone: LATE,
    values: ["250ms", "60s"],
    sees: ["upstream-start-timeout", undefined],
    observe: async (place) => {
      await place.post("/v1/restart", { namespace: "late" });
      return codeOf(await place.call("late.say"));
    },
  },
  "pool.stderrTail": {
    values: ["64B", "8KiB"],
    sees: [64, 2000],
    observe: async (place) => {
      await place.post("/v1/restart", { namespace: "probe" });
      const { body } = await place.call("probe.fall", { bytes: 2000 });
      const data = (body.error as Json).data as { stderrTail?: string };
      return data.stderrTail?.length;
    },
  },
  "pool.stopGrace": {
    alone: STUBBORN,
    values: ["50ms", "900ms"],
    sees: [false, true],
    observe: async (place) => {
      await place.call("stubborn.say");
      const started = performance.now();
      await place.post("/v1/restart", { namespace: "stubborn" });
      return performance.now() - started > 850;
    },
  },
  "upstream.maxMessage": {
    values: ["16KiB", "1MiB"],
    sees: [true, false],
    observe: async (place) => {
      await place.post("/v1/restart", { namespace: "probe" });
      const failed = codeOf(await place.call("probe.big", { bytes: 60_000 })) !== undefined;
      await place.post("/v1/restart", { namespace: "probe" });
      return failed;
    },
  },
  "upstream.probeTimeout": {
    alone: {},
    values: ["100ms", "1200ms"],
    sees: [false, true],
    observe: async (place) => {
      const { world } = place;
      const log = `${world.root}/deaf.log`;
      const config = JSON.parse(await Deno.readTextFile(`${world.project}/.mcpx.json`));
      config.mcpServers.deaf = fixtureServer("probe.mjs", { DEAF: "1", LOG: log });
      await world.configure(config);
      await place.post("/v1/reload");
      await place.call("deaf.say");
      const lines = (await Deno.readTextFile(log)).trim().split("\n").map((line) => JSON.parse(line));
      const at = (method: string): number => lines.find((line) => line.method === method)?.at ?? 0;
      return at("initialize") - at("server/discover") > 900;
    },
  },
};
