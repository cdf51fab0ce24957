import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { eventually, fixtureServer, World } from "../support/world.ts";

const CLI = fileURLToPath(new URL("../../cli.ts", import.meta.url));

/** A setting of the command line's own keeps a command in its own process. */
const HERE = { MCPX_DAEMON_START_TIMEOUT: "21s" };

const COMMANDS: string[][] = [
  ["--version"],
  ["--help"],
  ["call", "--help"],
  ["ls"],
  ["ls", "--json"],
  ["tools", "odd"],
  ["search", "structured", "--limit", "2"],
  ["call", "odd.arguments", "pin=000123", "count=5"],
  ["call", "odd.arguments", '{"pin":"日本語 🧳"}', "--json"],
  ["call", "odd.bignumber"],
  ["call", "odd.failing"],
  ["call", "odd.nothing", "--json"],
  ["call", "odd.arguments", "count=many"],
  ["exec", 'console.log("to stderr"); emit(1); return [await odd.words()]'],
  ["exec", 'throw new Error("no")', "--json"],
  ["tolls"],
  ["call"],
  ["call", "odd.words", "--no-such-flag"],
  ["settings", "get", "pool.callTimeout", "--pool-call-timeout", "5s"],
  ["ls", "--pool-max", "3"],
];

Deno.test("a command that the daemon runs for its process prints and exits as one that runs in its own", async () => {
  await using world = await World.open({ mcpServers: { odd: fixtureServer("odd.mjs") } });
  await world.run(["ls"]);
  // Times and ids differ from run to run.
  const settled = (text: string): string =>
    text.replace(/"durationMs": ?\d+/g, "").replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "").replace(/pid \d+/g, "");
  for (const words of COMMANDS) {
    const quick = await world.run(words);
    const here = await world.run(words, { env: HERE });
    assert.deepEqual({ ...quick, stdout: settled(quick.stdout), stderr: settled(quick.stderr) }, {
      ...here,
      stdout: settled(here.stdout),
      stderr: settled(here.stderr),
    }, words.join(" "));
  }
});

Deno.test("what needs the process itself is done there: standard input, files, local commands, another daemon", async () => {
  await using world = await World.open({ mcpServers: { odd: fixtureServer("odd.mjs") } });
  await world.run(["ls"]);
  await Deno.writeTextFile(join(world.project, "pin.txt"), "from a file");
  assert.match(
    (await world.run(["call", "odd.arguments", "-"], { stdin: '{"pin":"typed"}' })).stdout,
    /typed/,
  );
  assert.match((await world.run(["call", "odd.arguments", "pin=@pin.txt"])).stdout, /from a file/);
  assert.match((await world.run(["paths"])).stdout, new RegExp(world.root));
  await Deno.writeTextFile(join(world.project, "script.ts"), "return args.word");
  const inner = join(world.project, "inner");
  await Deno.mkdir(inner);
  assert.equal((await world.run(["run", "../script.ts", "word=here"], { cwd: inner })).stdout, "here\n");
  assert.equal((await world.run(["call", "odd.words", "--daemon-inline"])).stdout, "error\n");
});

Deno.test("a command whose process is killed while the daemon runs it is cancelled", async () => {
  await using world = await World.open({});
  const log = join(world.root, "requests.log");
  await world.configure({ mcpServers: { odd: fixtureServer("odd.mjs", { LOG: log }) } });
  await world.run(["ls"]);
  const child = world.spawn(["call", "odd.silent"]);
  const logged = (line: string) => async (): Promise<boolean> =>
    (await Deno.readTextFile(log)).includes(line);
  await eventually(logged("tools/call silent"), "the call has arrived");
  child.kill("SIGKILL");
  await child.output();
  await eventually(logged("notifications/cancelled requestId"), "the cancellation has arrived");
});

Deno.test("a daemon that is killed in the middle of a command leaves a clear error, in JSON where that was asked for", async () => {
  await using world = await World.open({});
  const log = join(world.root, "requests.log");
  await world.configure({ mcpServers: { odd: fixtureServer("odd.mjs", { LOG: log }) } });
  for (const flags of [[], ["--json"]]) {
    await world.run(["ls"]);
    await Deno.writeTextFile(log, "");
    const child = world.spawn(["call", "odd.silent", ...flags]);
    await eventually(
      async () => (await Deno.readTextFile(log)).includes("tools/call silent"),
      "the call has arrived",
    );
    Deno.kill((await world.daemon()).pid, "SIGKILL");
    const { code, stdout, stderr } = await child.output();
    const [out, err] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
    assert.equal(code, 1);
    if (flags.length === 0) {
      assert.match(err ?? "", /^error: .*outcome is unknown.*\nhint: .*\n$/);
    } else {
      const { error } = JSON.parse(out ?? "");
      assert.equal(error.code, "daemon-unreachable");
      assert.match(error.message, /outcome is unknown/);
    }
  }
});

Deno.test("an answer that cannot be written is an error of one line, not a stack", async () => {
  await using world = await World.open({ mcpServers: { odd: fixtureServer("odd.mjs") } });
  await world.run(["ls"]);
  const { code, stderr } = await new Deno.Command("sh", {
    args: ["-c", '"$0" run -A --quiet "$1" call odd.words </dev/null >/dev/full', Deno.execPath(), CLI],
    cwd: world.project,
    clearEnv: true,
    env: world.env,
  }).output();
  assert.equal(code, 1);
  assert.match(new TextDecoder().decode(stderr), /^error: Cannot write the answer: .*\nhint: .*\n$/);
});

Deno.test("the list of daemons comes from this process, also where the daemon is stuck", async () => {
  await using world = await World.open({ mcpServers: {} });
  await world.run(["ls"]);
  const { pid } = await world.daemon();
  Deno.kill(pid, "SIGSTOP");
  try {
    const { value } = await world.json(["daemons"]);
    assert.deepEqual((value.daemons as { pid: number }[]).map((one) => one.pid), [pid]);
  } finally {
    Deno.kill(pid, "SIGCONT");
  }
});
