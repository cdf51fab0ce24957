import { fileURLToPath } from "node:url";
import { fixtureServer, World } from "../tests/support/world.ts";
import { command, print, report, sideBySide } from "./measure.ts";
import { peers } from "./peers.ts";

const CLI = fileURLToPath(new URL("../cli.ts", import.meta.url));

/** Reading 70 servers with 527 tools for the first time, beside mcporter. */
export async function run(): Promise<void> {
  const corpus = JSON.parse(
    await Deno.readTextFile(new URL("../tests/fixtures/livemcptool.tools.json", import.meta.url)),
  ) as { tools: { server: string }[] };
  const names = [...new Set(corpus.tools.map(({ server }) => server))];
  const servers = Object.fromEntries(
    names.map((name) => [name, fixtureServer("many_tools.mjs", { CORPUS: name })]),
  );
  await using world = await World.open({ mcpServers: servers });
  const options = { cwd: world.project, env: world.env };
  const mcpx = (...words: string[]): Promise<string> =>
    command([Deno.execPath(), "run", "-A", CLI, ...words], options);
  const mcporter = await peers();
  const config = `${world.root}/mcporter.json`;
  await Deno.writeTextFile(config, JSON.stringify({ mcpServers: servers }));
  const samples = await sideBySide(2, {
    "mcpx ls, nothing cached": async () => {
      await mcpx("stop");
      await Deno.remove(`${world.env.HOME}/.cache/mcpx`, { recursive: true }).catch(() => undefined);
      await mcpx("ls");
    },
    "mcpx ls, cached, a new daemon": async () => {
      await mcpx("stop");
      await mcpx("ls");
    },
    ...(mcporter
      ? { "mcporter list": () => command([...mcporter, "--config", config, "list"], options) }
      : {}),
  });
  report(`${names.length} servers, ${corpus.tools.length} tools`, samples);
  const { tools } = JSON.parse(await mcpx("tools", "--json")) as { tools: unknown[] };
  print(`\n${tools.length} of ${corpus.tools.length} tools were listed.`);
}
