import assert from "node:assert/strict";
import { join } from "node:path";
import { eventually, fixtureServer, World } from "../support/world.ts";

const STATUSES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
/** A setting of the command line's own keeps a command in its own process. */
const HERE = { MCPX_DAEMON_START_TIMEOUT: "21s" };
const SCRIPT = "return await odd.silent()";

Deno.test("an interrupted command says so, cancels upstream, and its status tells the signal", async () => {
  await using world = await World.open({});
  const log = join(world.root, "requests.log");
  await world.configure({ mcpServers: { odd: fixtureServer("odd.mjs", { LOG: log }) } });
  await world.run(["ls"]);
  const counted = async (line: string): Promise<number> =>
    (await Deno.readTextFile(log)).split(line).length - 1;
  for (const [signal, status] of Object.entries(STATUSES)) {
    for (const words of [["call", "odd.silent"], ["exec", SCRIPT]]) {
      for (const env of [{}, HERE]) {
        for (const json of [false, true]) {
          const about = `${signal} ${words[0]} ${json} ${JSON.stringify(env)}`;
          const calls = await counted("tools/call silent");
          const cancelled = await counted("notifications/cancelled requestId");
          const child = world.spawn(json ? [...words, "--json"] : words, { env });
          await eventually(
            async () => await counted("tools/call silent") > calls,
            `${about}: it has arrived`,
          );
          child.kill(signal as Deno.Signal);
          const { code, signal: killedBy, stdout, stderr } = await child.output();
          assert.deepEqual([code, killedBy], [status, null], about);
          const [out, err] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
          if (json) assert.equal(JSON.parse(out ?? "").error.code, "cancelled", about);
          else assert.match(err ?? "", /^error: .*\n/m, about);
          await eventually(
            async () => await counted("notifications/cancelled requestId") > cancelled,
            `${about}: the cancellation has arrived`,
          );
        }
      }
    }
  }
});

Deno.test("a command that was started to outlive its terminal does so", async () => {
  await using world = await World.open({});
  const log = join(world.root, "requests.log");
  await world.configure({ mcpServers: { odd: fixtureServer("odd.mjs", { LOG: log }) } });
  await world.run(["ls"]);
  const { program } = world;
  const child = new Deno.Command("nohup", {
    args: [...program, "call", "odd.silent", "--pool-call-timeout", "700ms"],
    cwd: world.project,
    clearEnv: true,
    env: world.env,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  await eventually(
    async () => (await Deno.readTextFile(log)).includes("tools/call silent"),
    "it has arrived",
  );
  child.kill("SIGHUP");
  assert.equal((await child.output()).code, 124);
});
