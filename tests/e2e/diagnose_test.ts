import assert from "node:assert/strict";
import { join } from "node:path";
import { changingServer, echoTool, upgrade } from "../support/changing_server.ts";
import { eventually, World } from "../support/world.ts";

interface Finding {
  kind: string;
  tool: string;
  field?: string;
  message: string;
  changed?: { when: string; kind: string; what: string };
  fix?: string;
  fatal: boolean;
}

/** A project with one server, `demo`, whose `echo` takes a message or not. */
async function openWorld(
  options: { env?: Record<string, string>; config?: object; refuse?: string | number } = {},
): Promise<World> {
  const world = await World.open({});
  await upgrade(world, [echoTool()], options.refuse === undefined ? {} : { refuse: options.refuse });
  await world.configure({
    mcpServers: { demo: changingServer(world, "demo", options.env) },
    ...options.config,
  });
  return world;
}

function onlyFinding(value: unknown): Finding {
  const { diagnostics = [] } = value as { diagnostics?: Finding[] };
  assert.equal(diagnostics.length, 1, JSON.stringify(value));
  return diagnostics[0]!;
}

/** A finding with its date put as `DATE`. */
function undated({ changed, ...finding }: Finding): unknown {
  return {
    ...finding,
    changed: changed && { ...changed, when: changed.when.replace(/^\d{4}-.*Z$/, "DATE") },
  };
}

const TODAY = "(schema changed DATE: `message` became required)";

function dated(text: string): string {
  return text.replaceAll(/schema changed \d{4}-\d{2}-\d{2}/g, "schema changed DATE");
}

const EXPECTED = {
  kind: "invalid-params",
  tool: "demo.echo",
  field: "message",
  message: "the call was rejected and message is required but was not sent",
  changed: { when: "DATE", kind: "argument-required", what: "`message` became required" },
  fix: 'await demo.echo({ message: "" })',
  fatal: true,
};

const RENDERED = [
  "demo.echo: the call was rejected and message is required but was not sent",
  `           ${TODAY}`,
  '  minimum:    await demo.echo({ message: "" })',
].join("\n");

/** One request of a host that speaks through `mcpx serve` and answers every question; gives the result. */
async function hostCall(
  world: World,
  name: string,
  args: object,
  { words = ["serve"], capabilities = {} }: { words?: string[]; capabilities?: object } = {},
): Promise<Record<string, unknown>> {
  const clientInfo = { name: "host", version: "1" };
  const child = world.spawn(words, { stdin: "" });
  const writer = child.stdin.getWriter();
  const send = (message: object): Promise<void> =>
    writer.write(new TextEncoder().encode(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n"));
  await send({
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-11-25", capabilities, clientInfo },
  });
  await send({ method: "notifications/initialized" });
  await send({ id: 2, method: "tools/call", params: { name, arguments: args } });
  let text = "";
  for await (const piece of child.stdout.pipeThrough(new TextDecoderStream())) {
    text += piece;
    const lines = text.split("\n");
    text = lines.pop() ?? "";
    for (const message of lines.map((line) => JSON.parse(line))) {
      if (message.method === "elicitation/create") {
        await send({ id: message.id, result: { action: "accept", content: { word: "x" } } });
      }
      if (message.id !== 2 || message.method !== undefined) continue;
      await writer.close();
      await child.stderr.cancel();
      await child.status;
      return message.result ?? message.error;
    }
  }
  throw new Error("mcpx serve ended without an answer");
}

Deno.test("a server's upgrade explains the failure on every surface that a call can fail on", async (t) => {
  await using world = await openWorld({ refuse: "plain" });
  assert.equal((await world.json(["call", "demo.echo"])).value.result, "echo {}");
  await upgrade(world, [echoTool(["message"])], { refuse: "plain" });
  await world.run(["refresh", "demo"]);

  await t.step("mcpx call", async () => {
    const { code, stdout, stderr } = await world.run(["call", "demo.echo"]);
    assert.equal(code, 1);
    assert.equal(stdout, "");
    assert.match(dated(stderr), new RegExp(`^error: Invalid params\n${escape(RENDERED)}\n`, "m"));
    assert.equal(stderr.split("minimum:").length, 2);
  });

  await t.step("mcpx --json call", async () => {
    const { code, value } = await world.json(["call", "demo.echo"]);
    assert.equal(code, 1);
    assert.deepEqual(undated(onlyFinding(value)), EXPECTED);
    const { code: name, message } = value.error as { code: string; message: string };
    assert.equal(name, "upstream-error");
    assert.equal(dated(message), `Invalid params\n${RENDERED}`);
  });

  await t.step("POST /v1/call, with the tool in the body or in the path", async () => {
    for (
      const [path, body] of [["/v1/call", { tool: "demo.echo", arguments: {} }], ["/v1/call/demo/echo", {}]]
    ) {
      const response = await world.http(String(path), { method: "POST", body: JSON.stringify(body) });
      assert.equal(response.status, 502);
      const answer = await response.json();
      assert.deepEqual(undated(onlyFinding(answer)), EXPECTED);
      assert.match(answer.error.message, /^Invalid params\ndemo\.echo: /);
    }
  });

  await t.step("a script sees it on the error, and a script that fails of it carries it", async () => {
    const caught = await world.json([
      "exec",
      "--no-diagnose-preflight",
      "try { await demo.echo() } catch (e) { return { name: e.name, diagnostics: e.diagnostics, message: e.message } }",
    ]);
    assert.equal(caught.code, 0);
    const result = caught.value.result as { name: string; message: string };
    assert.equal(result.name, "ToolError");
    assert.deepEqual(undated(onlyFinding(result)), EXPECTED);
    assert.match(result.message, /^Invalid params\ndemo\.echo: /);
    const uncaught = await world.json(["exec", "--no-diagnose-preflight", "await demo.echo()"]);
    assert.equal(uncaught.code, 1);
    assert.deepEqual(undated(onlyFinding(uncaught.value)), EXPECTED);
    const shown = await world.run(["exec", "--no-diagnose-preflight", "await demo.echo()"]);
    assert.ok(dated(shown.stderr).includes(RENDERED), shown.stderr);
    assert.equal(shown.stderr.split("minimum:").length, 2, "it is said once");
  });

  await t.step("a task's result", async () => {
    const started = await world.http("/v1/call", {
      method: "POST",
      body: JSON.stringify({ tool: "demo.echo", arguments: {}, task: true }),
    });
    const { task } = await started.json();
    const ended = await eventually(async () => {
      const response = await world.http(`/v1/tasks/${task.id}`);
      const { task: now } = await response.json();
      return now.state === "failed" && now;
    }, "the task fails");
    assert.deepEqual(undated(onlyFinding(ended)), EXPECTED);
    const result = await (await world.http(`/v1/tasks/${task.id}/result`)).json();
    assert.deepEqual(undated(onlyFinding(result)), EXPECTED);
    const { code, value } = await world.json(["task", "result", task.id]);
    assert.equal(code, 1);
    assert.deepEqual(undated(onlyFinding(value)), EXPECTED);
  });

  await t.step("a call that had to wait for an answer, and its task", async () => {
    await upgrade(world, [echoTool(["message"])], { refuse: "plain", ask: true });
    const waiting = await world.json(["call", "demo.echo"]);
    assert.equal(waiting.code, 75, JSON.stringify(waiting.value));
    const { data } = waiting.value.error as { data: { task: string } };
    const { value } = await world.json(["elicit", "list"]);
    const [{ id }] = value.questions as [{ id: string }];
    assert.equal((await world.run(["elicit", "answer", id, "word=x"])).code, 0);
    const result = await world.json(["task", "result", data.task]);
    assert.equal(result.code, 1);
    assert.deepEqual(undated(onlyFinding(result.value)), EXPECTED);
  });

  await t.step("a host that answers the question itself", async () => {
    const asked = await hostCall(world, "mcpx_call", { tool: "demo.echo", arguments: {} }, {
      capabilities: { elicitation: {} },
    });
    assert.equal(asked.isError, true);
    assert.deepEqual(
      undated((asked._meta as Record<string, Finding[]>)["dev.mcpx/diagnostics"]![0]!),
      EXPECTED,
    );
    await upgrade(world, [echoTool(["message"])], { refuse: "plain" });
  });

  await t.step("the MCP tools", async () => {
    const called = await hostCall(world, "mcpx_call", { tool: "demo.echo", arguments: {} });
    assert.equal(called.isError, true);
    const [{ text }] = called.content as [{ text: string }];
    assert.ok(dated(text).startsWith(`Invalid params\n${RENDERED}`), text);
    const meta = called._meta as Record<string, Finding[]>;
    assert.deepEqual(undated(meta["dev.mcpx/diagnostics"]![0]!), EXPECTED);
    const ran = await hostCall(world, "mcpx_exec", { code: "await demo.echo()" });
    assert.equal(ran.isError, true);
    const finding = onlyFinding(ran.structuredContent);
    assert.equal(finding.kind, "missing-argument");
    assert.equal(finding.changed?.what, "`message` became required");
  });

  await t.step("a server's own tool, offered to a host", async () => {
    const words = ["serve", "--serve-mode", "passthrough"];
    const refused = await hostCall(world, "demo_echo", {}, { words });
    const { code, message, data } = refused as {
      code: number;
      message: string;
      data: Record<string, Finding[]>;
    };
    assert.equal(code, -32602);
    assert.equal(dated(message), `Invalid params\n${RENDERED}`);
    assert.deepEqual(undated(data["dev.mcpx/diagnostics"]![0]!), EXPECTED);
    await upgrade(world, [echoTool(["message"])], { refuse: "result" });
    const failed = await hostCall(world, "demo_echo", {}, { words });
    assert.equal(failed.isError, true);
    const [own, added] = failed.content as { text: string }[];
    assert.equal(own?.text, "Input validation error: message is required");
    assert.equal(dated(added?.text ?? ""), RENDERED);
    await upgrade(world, [echoTool(["message"])], { refuse: "plain" });
  });

  await t.step("repair.autonomy off attaches nothing", async () => {
    const { value } = await world.json(["call", "demo.echo", "--repair-autonomy", "off"]);
    assert.deepEqual(value.diagnostics, undefined);
    assert.equal((value.error as { message: string }).message, "Invalid params");
    const response = await world.http("/v1/call/demo/echo", {
      method: "POST",
      body: "{}",
      headers: { "x-mcpx-settings": '{"repair.autonomy":"off"}' },
    });
    assert.equal((await response.json()).diagnostics, undefined);
  });
});

function escape(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

Deno.test("a script that would fail is refused with what changed, when, what was written and the smallest fix", async (t) => {
  await using world = await openWorld();
  const script = join(world.project, "s.ts");
  await Deno.writeTextFile(script, "// Says hello.\nreturn await demo.echo();\n");
  assert.equal((await world.json(["run", "./s.ts"])).value.result, "echo {}");
  await upgrade(world, [echoTool(["message"])]);
  await world.run(["refresh", "demo"]);
  const example = [
    "demo.echo: the argument object is no longer optional: message is required",
    `           ${TODAY}`,
    "  you wrote:  await demo.echo()   (line 2)",
    '  minimum:    await demo.echo({ message: "" })',
    "",
  ].join("\n");

  await t.step("mcpx run and exec print it once, and run nothing", async () => {
    for (const words of [["run", "./s.ts"], ["exec", "\nreturn await demo.echo();"]]) {
      const { code, stdout, stderr } = await world.run(words);
      assert.equal(code, 1);
      assert.equal(stdout, "");
      assert.ok(dated(stderr).includes(`\n${example}`), stderr);
      assert.equal(stderr.split("you wrote:").length, 2);
    }
    const { code, value } = await world.json(["run", "./s.ts"]);
    assert.equal(code, 1);
    assert.equal((value.error as { code: string }).code, "script-preflight");
    assert.equal(value.calls, 0);
    assert.equal(onlyFinding(value).kind, "missing-argument");
  });

  await t.step("mcpx diagnose prints it and nothing else, for a file, standard input and code", async () => {
    const file = await world.run(["diagnose", "./s.ts"]);
    assert.deepEqual([file.code, dated(file.stdout)], [1, example]);
    const stdin = await world.run(["diagnose", "-"], { stdin: "\nawait demo.echo()" });
    assert.deepEqual([stdin.code, dated(stdin.stdout)], [1, example]);
    const response = await world.http("/v1/diagnose", {
      method: "POST",
      body: JSON.stringify({ code: "\nawait demo.echo()" }),
    });
    const { text, exitCode } = await response.json();
    assert.deepEqual([exitCode, dated(text) + "\n"], [1, example]);
  });

  await t.step("the fix, put in its place, makes the finding go away and runs", async () => {
    const { value } = await world.json(["diagnose", "./s.ts"]);
    const [{ findings }] = value.scripts as [
      { findings: { fix: string; span: { start: number; end: number } }[] },
    ];
    const [{ fix, span }] = findings as [{ fix: string; span: { start: number; end: number } }];
    const source = await Deno.readTextFile(script);
    await Deno.writeTextFile(script, source.slice(0, span.start) + fix + source.slice(span.end));
    assert.equal((await world.run(["diagnose", "./s.ts"])).code, 0);
    assert.equal((await world.json(["run", "./s.ts"])).value.result, 'echo {"message":""}');
  });

  await t.step("what is not fatal is a note, and the script runs", async () => {
    const { code, stdout, stderr } = await world.run([
      "exec",
      'return await demo.echo({ message: "x", tims: 2 })',
    ]);
    assert.deepEqual([code, stdout], [0, 'echo {"message":"x","tims":2}\n']);
    assert.match(stderr, /^note: demo\.echo: there is no argument tims: did you mean times\?$/m);
    assert.match(stderr, /minimum: {4}await demo\.echo\(\{ message: "x", times: 2 \}\)/);
    const { value } = await world.json(["exec", 'return await demo.echo({ message: "x", tims: 2 })']);
    assert.deepEqual([onlyFinding(value).kind, onlyFinding(value).fatal], ["unknown-argument", false]);
  });

  await t.step("names that do not exist are errors or findings, never nothing", async () => {
    const missing = await world.json(["diagnose", "no-such-script"]);
    assert.deepEqual([missing.code, (missing.value.error as { code: string }).code], [1, "unknown-script"]);
    const kinds: [string, string][] = [
      ["await demo.ehco({})", "unknown-tool"],
      ['await tools.demo.echo({ message: "a", times: "2" })', "argument-type"],
      ['await tools.demmo.echo({ message: "a" })', "unknown-namespace"],
    ];
    for (const [code, kind] of kinds) {
      const { code: exit, value } = await world.json(["diagnose", "-"], { stdin: code });
      const [{ findings }] = value.scripts as [{ findings: Finding[] }];
      assert.deepEqual([exit, findings.map((finding) => finding.kind)], [1, [kind]], code);
    }
    for (const code of ["demmo.echo({})", "const demo = {}; demo.ehco()", "console.log(1)", "demo[name]()"]) {
      assert.equal((await world.run(["diagnose", "-"], { stdin: code })).code, 0, code);
    }
  });

  await t.step("recipes and requests in words are checked before they run, on every surface", async () => {
    await Deno.mkdir(join(world.project, ".mcpx/scripts"), { recursive: true });
    await Deno.writeTextFile(
      join(world.project, ".mcpx/scripts/murmur.ts"),
      "// Murmur a word many times over.\n// @param often:number = 2  how often\nreturn await demo.echo({ times: @often });\n",
    );
    const wanted = 'await demo.echo({ times: 2, message: "" })';
    const ran = await world.json(["recipes", "run", "murmur"]);
    assert.equal(ran.code, 1);
    assert.equal((ran.value.error as { code: string }).code, "script-preflight");
    assert.equal(onlyFinding(ran.value).fix, wanted);
    const asked = await world.json(["prompt", "murmur a word many times", "--run"]);
    assert.equal(asked.code, 1);
    assert.equal(onlyFinding(asked.value).fix, wanted);
    const host = await hostCall(world, "recipe_murmur", {});
    assert.equal(host.isError, true);
    assert.match(JSON.stringify(host), /`message` became required/);
    await Deno.remove(join(world.project, ".mcpx/scripts/murmur.ts"));
  });

  await t.step("--all names the script and the line that a change broke", async () => {
    await Deno.mkdir(join(world.project, ".mcpx/scripts"), { recursive: true });
    await Deno.writeTextFile(join(world.project, ".mcpx/scripts/old.ts"), "\n\nawait demo.echo();\n");
    await Deno.writeTextFile(
      join(world.project, ".mcpx/scripts/recipe.ts"),
      "// Repeats.\n// @param word:string  what to say\nreturn await demo.echo({ message: @word, tims: 1 });\n",
    );
    const { code, stdout } = await world.run(["diagnose", "--all"]);
    assert.equal(code, 1);
    assert.match(dated(stdout), /old\.ts:\ndemo\.echo: .*\n +\(schema changed DATE: .*\n.*\(line 3\)/);
    assert.match(stdout, /recipe\.ts:\ndemo\.echo: there is no argument tims/);
    const both = await world.run(["diagnose", "--all", "old"]);
    assert.equal(both.code, 2);
  });
});

Deno.test("the first call after an upgrade is explained, though only the old schema was known", async () => {
  await using world = await openWorld({ refuse: "plain" });
  await world.run(["call", "demo.echo"]);
  await world.run(["stop"]);
  await upgrade(world, [echoTool(["message"])], { refuse: "plain" });
  // Many at once: all of them are explained, whichever has the server read again.
  await world.run(["ls"]);
  const answers = await Promise.all(Array.from({ length: 8 }, async () => {
    const response = await world.http("/v1/call/demo/echo", { method: "POST", body: "{}" });
    return await response.json();
  }));
  for (const answer of answers) assert.deepEqual(undated(onlyFinding(answer)), EXPECTED);
});

Deno.test("only answers about arguments are explained", async (t) => {
  await using world = await openWorld({ refuse: -32000 });
  await world.json(["call", "demo.echo"]);
  const failed = async (): Promise<Record<string, unknown>> =>
    (await world.json(["call", "demo.echo"])).value;

  await t.step("codes from -32000 to -32099 are not, whatever they say", async () => {
    for (const refuse of [-32000, -32042, -32099]) {
      await upgrade(world, [echoTool(["message"])], { refuse });
      await world.run(["refresh", "demo"]);
      const value = await failed();
      assert.equal(value.diagnostics, undefined, String(refuse));
      assert.equal((value.error as { message: string }).message, "Invalid params: message");
    }
  });

  await t.step("a result with isError that complains about arguments is", async () => {
    await upgrade(world, [echoTool(["message"])], { refuse: "result" });
    const value = await failed();
    assert.equal((value.error as { code: string }).code, "tool-error");
    assert.equal(onlyFinding(value).field, "message");
    assert.equal(onlyFinding(value).changed?.kind, "argument-required");
  });

  await t.step("a crash and a timeout are not", async () => {
    const died = (await world.json(["call", "demo.die"])).value;
    assert.equal(died.diagnostics, undefined);
    assert.equal((died.error as { code: string }).code, "unknown-tool");
    await upgrade(world, [echoTool(["message"]), {
      name: "die",
      inputSchema: { type: "object", required: ["x"] },
    }]);
    await world.run(["refresh", "demo"]);
    const crashed = (await world.json(["call", "demo.die"])).value;
    assert.match((crashed.error as { code: string }).code, /outcome-unknown|upstream-exited/);
    assert.equal(crashed.diagnostics, undefined);
  });
});

Deno.test("a server that cannot be read leaves its calls unchecked, and that is said", async () => {
  await using world = await openWorld({
    config: { mcpServers: { demo: { command: "no-such-program-here" } } },
  });
  const { code, stdout, stderr } = await world.run(["diagnose", "-"], { stdin: "await demo.echo()" });
  assert.equal(code, 0, stdout);
  assert.match(stderr, /demo: .*no-such-program-here/);
});
