import type { Effects, Place } from "./place.ts";

async function hasDaemon(place: Place): Promise<boolean> {
  return await place.world.daemon().then(() => true, () => false);
}

/** Settings that the command line acts on. */
export const CLIENT_EFFECTS: Effects = {
  "daemon.endpoint": {
    startsDaemon: true,
    values: ["", "unix:/nowhere/mcpx.sock"],
    sees: [0, 1],
    observe: async (place) => (await place.run(["ls", "--cached"])).code,
  },
  "daemon.inline": {
    startsDaemon: true,
    values: ["false", "true"],
    sees: [true, false],
    observe: async (place) => {
      await place.run(["ls", "--cached"]);
      return await hasDaemon(place);
    },
  },
  "daemon.startTimeout": {
    startsDaemon: true,
    values: ["1ms", "20s"],
    sees: [1, 0],
    observe: async (place) => (await place.run(["ls", "--cached"])).code,
  },
  "daemon.token": {
    startsDaemon: true,
    values: ["one", "two"],
    sees: ["Bearer one", "Bearer two"],
    observe: async (place) => {
      let said: string | null = null;
      await using server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
        said = request.headers.get("authorization");
        return new Response("{}", { status: 401 });
      });
      await place.run(["status", `--daemon-endpoint=http://127.0.0.1:${server.addr.port}`]);
      return said;
    },
  },
  "elicit.prompt": {
    startsDaemon: true,
    values: ["auto", "never"],
    sees: [true, false],
    observe: async (place) => {
      await place.run(["ls", "--cached"]);
      return await place.waitsAtTerminal(["call", "asker.ask"], 3000);
    },
  },
};
