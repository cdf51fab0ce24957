import { fileURLToPath } from "node:url";
import { realServer, World } from "../tests/support/world.ts";
import { upstreamEntry } from "../tools/upstreams.ts";
import { command, report, sideBySide } from "./measure.ts";
import { peers } from "./peers.ts";

const CLI = fileURLToPath(new URL("../cli.ts", import.meta.url));
const SDK_CALL = fileURLToPath(new URL("sdk_call.ts", import.meta.url));

/** The command line as a whole process: against an empty program, a fresh process with the SDK, and mcporter. */
export async function run(): Promise<void> {
  await using world = await World.open({
    mcpServers: { everything: realServer("@modelcontextprotocol/server-everything") },
  });
  const empty = `${world.root}/empty.ts`;
  await Deno.writeTextFile(empty, "");
  const options = { cwd: world.project, env: world.env };
  const mcpx = (...words: string[]) => () => command([Deno.execPath(), "run", "-A", CLI, ...words], options);
  await mcpx("ls")();
  report(
    "Command line, whole process, daemon warm",
    await sideBySide(15, {
      "empty `deno run`": () => command([Deno.execPath(), "run", empty], options),
      "mcpx --version": mcpx("--version"),
      "mcpx --help": mcpx("--help"),
      "mcpx ls": mcpx("ls"),
      "mcpx call": mcpx("call", "everything.echo", "message=hello"),
      "the same call by a fresh process with the SDK": () =>
        command([
          Deno.execPath(),
          "run",
          "-A",
          SDK_CALL,
          upstreamEntry("@modelcontextprotocol/server-everything"),
        ], options),
    }),
  );
  const mcporter = await peers();
  if (!mcporter) return;
  const config = `${world.root}/mcporter.json`;
  await Deno.writeTextFile(
    config,
    JSON.stringify({
      mcpServers: {
        everything: { ...realServer("@modelcontextprotocol/server-everything"), lifecycle: "keep-alive" },
      },
    }),
  );
  const other = (...words: string[]) => () => command([...mcporter, "--config", config, ...words], options);
  await other("call", "everything.echo", "message=hello")();
  report(
    "Warm call beside mcporter",
    await sideBySide(9, {
      "mcpx call": mcpx("call", "everything.echo", "message=hello"),
      "mcporter call, its daemon warm": other("call", "everything.echo", "message=hello"),
    }),
  );
  report(
    "Cold call beside mcporter",
    await sideBySide(3, {
      "mcpx call, no daemon": async () => {
        await mcpx("stop")();
        await mcpx("call", "everything.echo", "message=hello")();
      },
      "mcporter call, no daemon": async () => {
        await other("daemon", "stop")();
        await other("call", "everything.echo", "message=hello")();
      },
    }),
  );
  await other("daemon", "stop")();
}
