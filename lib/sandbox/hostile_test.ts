import assert from "node:assert/strict";
import { ScriptRunner } from "./runner.ts";
import { RecordingPort, runSource, scriptRequest } from "./testing.ts";

async function withRunner(fn: (runner: ScriptRunner) => Promise<void>): Promise<void> {
  const stateFolder = await Deno.makeTempDir();
  try {
    await using runner = new ScriptRunner({ stateFolder, prewarmed: 2, maxConcurrent: () => 5 });
    await fn(runner);
  } finally {
    await Deno.remove(stateFolder, { recursive: true });
  }
}

Deno.test("nothing is asked of the network by any import, and the same address answers under net", async () => {
  const seen: string[] = [];
  await using server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, (request) => {
    seen.push(new URL(request.url).pathname);
    return new Response("export default 1", { headers: { "content-type": "text/javascript" } });
  });
  const host = `127.0.0.1:${server.addr.port}`;
  await withRunner(async (runner) => {
    for (
      const source of [
        `await import("http://${host}/a.js")`,
        `import x from "http://${host}/b.js"; return x`,
        `export * from "http://${host}/c.js"`,
        `await Promise.resolve("import('http://${host}/d.js')").then(eval)`,
        `/// <reference path="http://${host}/e.d.ts" />\nnew Function("x")`,
        `await fetch("http://${host}/f")`,
      ]
    ) {
      assert.equal((await runSource(runner, source)).outcome.ok, false, source);
    }
    assert.deepEqual(seen, []);
    const grants = { read: [], env: {}, run: [], net: [host] };
    const { outcome } = await runSource(runner, `return (await fetch("http://${host}/ok")).status`, {
      grants,
    });
    assert.equal(outcome.result, "200");
    const still = await runSource(runner, `await import("http://${host}/g.js")`, { grants });
    assert.equal(still.outcome.ok, false);
    assert.deepEqual(seen, ["/ok"]);
  });
});

/** A process that speaks as a broken-out sandbox might: `lines` after it was given a script. */
function liar(lines: string): [string, ...string[]] {
  return ["/bin/sh", "-c", `read init; echo '{"t":"ready"}'; read run; ${lines}; read more`];
}

Deno.test("a sandbox that does not keep to the protocol is ended", async (t) => {
  const say = (line: string): string => `echo '{"t":"parsed"}'; echo '${line}'`;
  const call = '{"t":"call","id":1,"op":"call","name":"demo.never","body":"{}"}';
  const cases: [name: string, lines: string, code: string][] = [
    ["the truth, as a control", say('{"t":"done","open":0,"result":"1"}'), "ok"],
    ["no JSON", say("hello"), "script-protocol"],
    ["an unknown kind", say('{"t":"exec","code":"1"}'), "script-protocol"],
    [
      "a request for more rights",
      say('{"t":"call","id":1,"op":"exec","name":"x","body":"{}"}'),
      "script-protocol",
    ],
    ["a result that is no JSON", say('{"t":"done","open":0,"result":"{"}'), "script-protocol"],
    [
      "arguments that are no object",
      say('{"t":"call","id":1,"op":"call","name":"x","body":"[]"}'),
      "script-protocol",
    ],
    [
      "an id that is no count",
      say('{"t":"call","id":-1,"op":"call","name":"x","body":"{}"}'),
      "script-protocol",
    ],
    ["an id used twice", say(`${call}'; echo '${call}`), "script-protocol"],
    ["a verdict before the script", `echo '{"t":"done","open":0}'`, "script-protocol"],
    ["ready twice", say('{"t":"ready"}'), "script-protocol"],
    ["an unknown error code", say('{"t":"fail","error":{"code":"root","message":"x"}}'), "script-protocol"],
    [
      "more calls open than allowed",
      `${say(call)}; ${say(call.replace('"id":1', '"id":2')).slice(23)}`,
      "script-protocol",
    ],
    ["a line without end", `echo '{"t":"parsed"}'; tr '\\0' x < /dev/zero`, "script-output"],
    ["an end without a word", `echo '{"t":"parsed"}'; exit 3`, "script-exited"],
  ];
  const stateFolder = await Deno.makeTempDir();
  try {
    for (const [name, lines, code] of cases) {
      await t.step(name, async () => {
        await using runner = new ScriptRunner({
          stateFolder,
          prewarmed: 0,
          isolation: "process",
          host: { kind: "self", command: liar(lines) },
        });
        const limits = {
          maxConcurrentCalls: 1,
          timeoutMs: 5000,
          maxResultBytes: 1000,
          maxOutputBytes: 100_000,
        };
        const { outcome } = await runSource(runner, "return 1", { limits });
        assert.equal(outcome.error?.code ?? "ok", code, outcome.error?.message);
      });
    }
  } finally {
    await Deno.remove(stateFolder, { recursive: true });
  }
});

Deno.test("a run cancelled again and again leaves no process behind", async () => {
  await withRunner(async (runner) => {
    for (let i = 0; i < 6; i++) {
      const controller = new AbortController();
      const running = runner.run(scriptRequest("for (;;);"), new RecordingPort(), controller.signal);
      controller.abort();
      await running.then(
        (outcome) => assert.equal(outcome.error?.code, "cancelled"),
        (error) => assert.equal(error.code, "cancelled"),
      );
    }
    assert.equal(runner.status.running, 0);
  });
  assert.deepEqual(await children(Deno.pid), []);
});

Deno.test({
  name: "a sandbox dies with the daemon, in a loop too",
  ignore: Deno.build.os !== "linux",
  fn: async () => {
    const stateFolder = await Deno.makeTempDir();
    const here = new URL(".", import.meta.url);
    const program =
      `import { ScriptRunner } from "${here}runner.ts"; import { RecordingPort, scriptRequest } from "${here}testing.ts";
      const runner = new ScriptRunner({ stateFolder: "${stateFolder}", prewarmed: 0 });
      const port = new RecordingPort(); port.log = () => console.log("looping");
      await runner.run(scriptRequest("console.log(1); for (;;);"), port, new AbortController().signal);`;
    try {
      const child = new Deno.Command(Deno.execPath(), {
        args: ["run", "-A", "--no-lock", "-"],
        stdin: "piped",
        stdout: "piped",
        stderr: "null",
      }).spawn();
      const writer = child.stdin.getWriter();
      await writer.write(new TextEncoder().encode(program));
      await writer.close();
      const reader = child.stdout.getReader();
      assert.match(new TextDecoder().decode((await reader.read()).value), /looping/);
      const sandboxes = await children(child.pid);
      assert.equal(sandboxes.length, 1);
      child.kill("SIGKILL");
      await child.status;
      await reader.cancel();
      const deadline = Date.now() + 5000;
      while (await alive(sandboxes[0] ?? 0)) {
        assert.ok(Date.now() < deadline, "the sandbox outlives its daemon");
      }
    } finally {
      await Deno.remove(stateFolder, { recursive: true });
    }
  },
});

async function children(pid: number): Promise<number[]> {
  const text = await Deno.readTextFile(`/proc/${pid}/task/${pid}/children`).catch(() => "");
  return text.split(" ").filter((part) => part !== "").map(Number);
}

async function alive(pid: number): Promise<boolean> {
  const stat = await Deno.readTextFile(`/proc/${pid}/stat`).catch(() => "");
  return stat !== "" && !/\) [ZX] /.test(stat);
}
