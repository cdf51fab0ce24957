import { fileURLToPath } from "node:url";
import { fixtureServer, World } from "../tests/support/world.ts";
import { command, report, sideBySide } from "./measure.ts";

const CLI = fileURLToPath(new URL("../cli.ts", import.meta.url));

/** Listing and searching 10,000 cached tools. */
export async function run(): Promise<void> {
  await using world = await World.open({
    mcpServers: { big: fixtureServer("many_tools.mjs", { TOOLS: "10000" }) },
  });
  const options = { cwd: world.project, env: world.env };
  const mcpx = (...words: string[]) => () => command([Deno.execPath(), "run", "-A", CLI, ...words], options);
  const empty = `${world.root}/empty.ts`;
  await Deno.writeTextFile(empty, "");
  await mcpx("ls")();
  const { socket } = await world.daemon();
  using http = Deno.createHttpClient({ proxy: { transport: "unix", path: socket } });
  const get = (path: string) => async () => {
    await (await fetch(`http://localhost${path}`, { client: http })).text();
  };
  await get("/v1/search?query=send+message")();
  report(
    "10,000 cached tools, whole process",
    await sideBySide(9, {
      "empty `deno run`": () => command([Deno.execPath(), "run", empty], options),
      "mcpx ls": mcpx("ls"),
      "mcpx search": mcpx("search", "send", "a", "message"),
    }),
  );
  report(
    "10,000 cached tools, on the daemon's socket",
    await sideBySide(50, {
      "GET /v1/health": get("/v1/health"),
      "GET /v1/servers": get("/v1/servers"),
      "GET /v1/search": get("/v1/search?query=send+a+message"),
    }),
  );
}
