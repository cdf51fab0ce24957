import { fixtureServer } from "../../support/world.ts";
import { type Effects, type Json, pause, type Place } from "./place.ts";

async function stored(place: Place): Promise<number> {
  return ((await place.get("/v1/artifacts")).body.artifacts as unknown[]).length;
}

async function store(place: Place, name: string): Promise<void> {
  await place.exec(`await artifact("${name}.txt", "${name}".repeat(1000))`);
}

/** The kinds of the first events that a listener from the beginning is told. */
async function firstEvents(place: Place): Promise<string[]> {
  const { socket } = await place.world.daemon();
  using client = Deno.createHttpClient({ proxy: { transport: "unix", path: socket } });
  const response = await fetch("http://localhost/v1/events", {
    client,
    headers: { accept: "text/event-stream", "last-event-id": "0" },
  });
  let text = "";
  for await (const chunk of response.body ?? []) {
    text += new TextDecoder().decode(chunk);
    if (/^event: /m.test(text)) break;
  }
  return [...text.matchAll(/^event: (\S+)/gm)].map(([, kind = ""]) => kind);
}

async function adminTools(place: Place): Promise<boolean> {
  const { result } = await place.with({ "serve.mode": ["full"] }).mcp("tools/list");
  return ((result as Json).tools as { name: string }[]).some(({ name }) => name === "mcpx_setting_set");
}

/** Daemon-scoped settings that take effect while it runs. */
export const DAEMON_EFFECTS: Effects = {
  "artifact.quota": {
    alone: {},
    values: ["3KiB", "1GiB"],
    sees: [true, false],
    observe: async (place) => {
      for (const name of ["ab", "cd", "ef"]) await store(place, name);
      return await stored(place) < 3;
    },
  },
  "artifact.ttl": {
    alone: {},
    values: ["1ms", "7d"],
    sees: [true, false],
    observe: async (place) => {
      await store(place, "a");
      await pause(30);
      await store(place, "b");
      return await stored(place) < 2;
    },
  },
  "daemon.idleExit": {
    alone: {},
    values: ["400ms", "30m"],
    sees: [false, true],
    observe: async (place) => {
      await pause(1500);
      return await place.world.daemon().then(() => true, () => false);
    },
  },
  "diagnose.history": {
    alone: {},
    values: ["1", "50"],
    sees: [1, 3],
    observe: async (place) => {
      const { world } = place;
      const file = `${world.root}/tools.json`;
      const write = (required: string[]): Promise<void> =>
        Deno.writeTextFile(
          file,
          JSON.stringify([{
            name: "t",
            inputSchema: {
              type: "object",
              properties: Object.fromEntries(required.map((name) => [name, { type: "string" }])),
              required,
            },
          }]),
        );
      await write([]);
      const config = JSON.parse(await Deno.readTextFile(`${world.project}/.mcpx.json`));
      config.mcpServers.changing = fixtureServer("changing.mjs", { TOOLS: file });
      await world.configure(config);
      await place.post("/v1/reload");
      for (const required of [[], ["a"], ["a", "b"], ["a", "b", "c"]]) {
        await write(required);
        await place.post("/v1/refresh", { namespace: "changing" });
      }
      return ((await place.get("/v1/catalog/history?name=changing.t")).body.changes as unknown[]).length;
    },
  },
  "events.keep": {
    alone: {},
    values: ["1", "1000"],
    sees: [true, false],
    observe: async (place) => {
      for (let count = 0; count < 30; count++) await place.post("/v1/reload");
      return (await firstEvents(place))[0] === "gap";
    },
  },
  "exec.maxRuns": {
    values: ["1", "3"],
    sees: [false, true],
    observe: async (place) => {
      const run = (): Promise<Json> => place.exec("return (await probe.wait({ ms: 500 })).most");
      const documents = await Promise.all([run(), run(), run()]);
      return Math.max(...documents.map(({ result }) => Number(result))) > 1;
    },
  },
  "http.maxBody": {
    values: ["2KiB", "64MiB"],
    sees: [413, 200],
    observe: async (place) =>
      (await place.post("/v1/exec", { code: `return 1 // ${"x".repeat(5000)}` })).status,
  },
  "http.shutdownGrace": {
    alone: {},
    values: ["50ms", "8s"],
    sees: [false, true],
    observe: async (place) => {
      const call = place.call("probe.wait", { ms: 1500 }).then(({ status }) => status, () => 0);
      await pause(200);
      await place.post("/v1/stop");
      return await call === 200;
    },
  },
  "script.hosts": {
    values: ["127.0.0.2", "127.0.0.1"],
    sees: [undefined, "here"],
    observe: async (place) => {
      await using server = Deno.serve(
        { hostname: "127.0.0.1", port: 0, onListen: () => {} },
        () => new Response("here"),
      );
      const code = `return await (await fetch("http://127.0.0.1:${server.addr.port}/")).text()`;
      return (await place.exec(code, { profile: "net" })).result;
    },
  },
  "serve.admin": { values: ["false", "true"], sees: [false, true], observe: adminTools },
  "serve.sessionTimeout": {
    values: ["300ms", "1h"],
    sees: [404, 200],
    observe: async (place) => {
      const post = (body: Json, headers: Record<string, string> = {}): Promise<Response> =>
        place.world.http("/mcp", {
          method: "POST",
          headers: { accept: "application/json, text/event-stream", ...headers },
          body: JSON.stringify({ jsonrpc: "2.0", ...body }),
        });
      const opened = await post({
        id: 1,
        method: "initialize",
        params: {
          protocolVersion: "2025-06-18",
          capabilities: {},
          clientInfo: { name: "test", version: "1" },
        },
      });
      const session = opened.headers.get("mcp-session-id") ?? "";
      await pause(900);
      const headers = { "mcp-session-id": session, "mcp-protocol-version": "2025-06-18" };
      return (await post({ id: 2, method: "ping" }, headers)).status;
    },
  },
};
