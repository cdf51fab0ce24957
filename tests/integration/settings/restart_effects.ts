import { fixtureServer } from "../../support/world.ts";
import { codeOf, type Effects, type Json, pause, type Place } from "./place.ts";

const ALLOCATE =
  "const kept = []; for (let i = 0; i < 24; i++) kept.push(new Array(1_000_000).fill(i)); return kept.length";
const READS = "return typeof Deno === 'object' && typeof Deno.readTextFile === 'function'";

async function changingConfig(place: Place, required: string[]): Promise<void> {
  const { world } = place;
  const file = `${world.root}/tools.json`;
  await Deno.writeTextFile(
    file,
    JSON.stringify([{ name: "t", inputSchema: { type: "object", properties: {}, required } }]),
  );
  const config = JSON.parse(await Deno.readTextFile(`${world.project}/.mcpx.json`));
  config.mcpServers.changing = fixtureServer("changing.mjs", { TOOLS: file });
  await world.configure(config);
}

/** Sandboxes that are kept started: processes of this world that run the sandbox's host. */
async function sandboxes(place: Place): Promise<number> {
  const lines = await Promise.all(
    (await place.world.processes()).map((pid) => Deno.readTextFile(`/proc/${pid}/cmdline`).catch(() => "")),
  );
  return lines.length;
}

/** Daemon-scoped settings that only a start of the daemon takes. */
export const RESTART_EFFECTS: Effects = {
  "autonomy.max": {
    values: ["off", "run"],
    sees: [undefined, "hello"],
    observe: async (place) => (await place.post("/v1/recipes/greet_moon/run")).body.result,
  },
  "config.trust": {
    values: ["settings", "ask"],
    sees: [undefined, "untrusted-config"],
    observe: async (place) => codeOf(await place.call("probe.say")),
  },
  "diagnose.drift": {
    values: ["warn", "pin"],
    sees: [false, true],
    observe: async (place) => {
      await changingConfig(place, []);
      await place.post("/v1/reload");
      await place.post("/v1/refresh", { namespace: "changing" });
      await place.post("/v1/catalog/lock");
      await changingConfig(place, ["id"]);
      await place.post("/v1/refresh", { namespace: "changing" });
      return /lock/.test(JSON.stringify((await place.call("changing.t", { id: "1" })).body.error ?? ""));
    },
  },
  "elicit.sampling": {
    values: ["provider", "ask"],
    sees: [false, true],
    observe: async (place) => {
      const log = await Deno.readTextFile(`${place.world.root}/asker.log`);
      const first = log.split("\n").find((line) => line.includes('"initialize"')) ?? "{}";
      const { params } = JSON.parse(first) as { params?: { capabilities?: Json } };
      return params?.capabilities?.sampling !== undefined;
    },
  },
  "exec.heap": {
    values: ["64MiB", "512MiB"],
    sees: ["script-memory", undefined],
    observe: async (place) => codeOf(await place.exec(ALLOCATE)),
  },
  "exec.prewarm": {
    values: ["0", "3"],
    sees: [false, true],
    observe: async (place) => {
      const before = await sandboxes(place);
      await place.exec("return 1");
      await pause(600);
      return await sandboxes(place) - before >= 3;
    },
  },
  "http.auth": {
    startsDaemon: true,
    values: ["token", "none"],
    sees: [401, 200],
    observe: async (place) => {
      await place.run(["ls", "--cached"], { MCPX_HTTP_LISTEN: "127.0.0.1:0" });
      const { url } = await place.world.daemon();
      const response = await fetch(`${url}/v1/status`);
      await response.body?.cancel();
      return response.status;
    },
  },
  "http.listen": {
    startsDaemon: true,
    values: ["", "127.0.0.1:0"],
    sees: [false, true],
    observe: async (place) => {
      await place.run(["ls", "--cached"]);
      return (await place.world.daemon()).url !== undefined;
    },
  },
  "script.isolation": {
    values: ["process", "bwrap"],
    sees: [false, true],
    observe: async (place) => {
      const run = place.exec("return 1").then(codeOf);
      const found = await seen(place, "bwrap");
      return await run === "sandbox-unavailable" || found;
    },
  },
  "script.permissionsMax": {
    startsDaemon: true,
    values: ["none", "read"],
    sees: [false, true],
    observe: async (place) => {
      const { stdout } = await place.run(["exec", "--json", "--profile", "read", READS]);
      return JSON.parse(stdout).result === true;
    },
  },
  "script.permissionsMaxAgent": {
    values: ["none", "read"],
    sees: [false, true],
    observe: async (place) => {
      const answer = await place.mcp("tools/call", {
        name: "mcpx_exec",
        arguments: { code: READS, profile: "read" },
      });
      const structured = (answer.result as Json | undefined)?.structuredContent as Json | undefined;
      return structured?.result === true;
    },
  },
};

/** Whether a process of this world runs a program, looked for while something else runs. */
async function seen(place: Place, program: string): Promise<boolean> {
  for (let looks = 0; looks < 20; looks++) {
    for (const pid of await place.world.processes()) {
      const line = await Deno.readTextFile(`/proc/${pid}/cmdline`).catch(() => "");
      if (line.split("\0").some((word) => word.endsWith(`/${program}`))) return true;
    }
    await pause(20);
  }
  return false;
}
