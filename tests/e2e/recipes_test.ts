import assert from "node:assert/strict";
import { join } from "node:path";
import { StdioHost } from "../support/stdio_host.ts";
import { eventually, fixtureServer, World } from "../support/world.ts";

const KEY = "sk-live-abcdef0123456789";
const GREET = `// Greet somebody by name.
// @param who:string           whom
// @param times:integer = 1    how often
return await asker.look({ who: @who, times: @times });
`;

/** A world with one server that writes down what it is sent, and one recipe. */
async function open(
  settings: Record<string, unknown> = {},
): Promise<{ world: World; scripts: string; calls(): Promise<unknown[]> }> {
  const world = await World.open({});
  const log = join(world.root, "asker.log");
  await world.configure({ mcpServers: { asker: fixtureServer("asker.mjs", { LOG: log }) }, ...settings });
  const scripts = join(world.project, ".mcpx", "scripts");
  await Deno.mkdir(scripts, { recursive: true });
  await Deno.writeTextFile(join(scripts, "greet.ts"), GREET);
  const calls = async (): Promise<unknown[]> =>
    (await Deno.readTextFile(log).catch(() => "")).split("\n").filter((line) => line.includes('"tools/call"'))
      .map((line) => JSON.parse(line).params.arguments);
  return { world, scripts, calls };
}

const caller = (world: World): Record<string, string> => ({
  "x-mcpx-caller": JSON.stringify({ cwd: world.project }),
});

Deno.test("a recipe's command, file, route and MCP tool render the same program and give the same document", async () => {
  const { world, scripts, calls } = await open();
  await using _ = world;
  const who = 'Ann "A" `${x}` </script>\u2028';
  const asked = JSON.stringify({ who, times: 2 });
  const byCommand = (await world.json(["recipes", "run", "greet", asked])).value;
  const byName = (await world.json(["run", "greet", asked])).value;
  const byFile = (await world.json(["run", join(scripts, "greet.ts"), `who=${who}`, "times=2"])).value;
  // A caller that does not say where it is finds the project's recipes too.
  const response = await world.http("/v1/recipes/greet/run", {
    method: "POST",
    body: JSON.stringify({ args: { who, times: 2 } }),
  });
  const byRoute = await response.json() as Record<string, unknown>;
  await using host = await StdioHost.open(world);
  const tools = (await host.request("tools/list")).tools as Record<string, unknown>[];
  const tool = tools.find(({ name }) => name === "recipe_greet");
  assert.equal(tool?.description, "Greet somebody by name.");
  assert.deepEqual(tool?.inputSchema, {
    type: "object",
    properties: {
      who: { type: "string", description: "whom" },
      times: { type: "integer", description: "how often", default: 1 },
    },
    required: ["who"],
    additionalProperties: false,
  });
  const result = await host.request("tools/call", { name: "recipe_greet", arguments: { who, times: 2 } });
  const byTool = result.structuredContent as Record<string, unknown>;
  for (const document of [byCommand, byName, byFile, byRoute, byTool]) {
    delete document.durationMs;
    // The server counts its calls.
    assert.equal(typeof (document.result as { calls: unknown }).calls, "number");
    delete document.result;
    assert.deepEqual(document, byCommand);
  }
  assert.equal(byCommand.ok, true);
  assert.deepEqual(await calls(), Array.from({ length: 5 }, () => ({ who, times: 2 })));
});

Deno.test("a value that does not fit, an undeclared name and a name that is a path are refused on every surface", async () => {
  const { world, calls } = await open();
  await using _ = world;
  const wrong: [words: string[], message: RegExp][] = [
    [["greet", "who=x", "times=two"], /times/],
    [["greet", "whom=x"], /no parameter whom/],
    [["greet", '{"who":5}'], /who does not fit: 5 is not a string/],
    [["../greet", "who=x"], /has no path in it/],
    [["nobody", "who=x"], /Cannot find a script called nobody/],
  ];
  for (const [words, message] of wrong) {
    const { code, stderr } = await world.run(["recipes", "run", ...words]);
    assert.notEqual(code, 0);
    assert.match(stderr, message);
  }
  await using host = await StdioHost.open(world);
  const result = await host.request("tools/call", { name: "recipe_greet", arguments: { whom: "x" } });
  assert.equal(result.isError, true);
  assert.match(JSON.stringify(result.content), /no parameter whom.*Did you mean who/);
  const response = await world.http("/v1/recipes/greet/run", {
    method: "POST",
    body: '{"args":{"whom":"x"}}',
    headers: caller(world),
  });
  assert.equal(response.status, 400);
  assert.deepEqual(await calls(), []);
});

Deno.test("what is missing exits 75 without a terminal, with the command that answers and the one that collects", async () => {
  const { world, calls } = await open();
  await using _ = world;
  const { code, value } = await world.json(["recipes", "run", "greet", "times=3"]);
  assert.equal(code, 75);
  const { error } = value as { error: { code: string; data: Record<string, string> } };
  assert.equal(error.code, "waiting-input");
  const { answer = "", collect = "" } = error.data;
  assert.match(answer, /^mcpx elicit answer elc-\w+ who=/);
  assert.deepEqual(await calls(), []);
  const id = /elc-\w+/.exec(answer)?.[0] ?? "";
  const refused = await world.run(["elicit", "answer", id, "who=Ann", "times=9"]);
  assert.notEqual(refused.code, 0);
  assert.equal((await world.run(["elicit", "answer", id, "who=Ann"])).code, 0);
  assert.equal((await world.run(collect.split(" ").slice(1))).code, 0);
  assert.deepEqual(await calls(), [{ who: "Ann", times: 3 }]);
  const intent = await world.json(["prompt", "greet somebody", "--run"]);
  assert.equal(intent.code, 75);
});

Deno.test("what is missing is asked of the MCP host in one form, for the tool and for the intent", async () => {
  const { world, calls } = await open();
  await using _ = world;
  await using host = await StdioHost.open(world, {
    capabilities: { elicitation: {} },
    answer: () => ({ action: "accept", content: { who: "Bob" } }),
  });
  const result = await host.request("tools/call", { name: "recipe_greet", arguments: {} });
  assert.notEqual(result.isError, true, JSON.stringify(result));
  const words = { request: "greet somebody", autonomy: "run", args: { times: 2 } };
  const intent = await host.request("tools/call", { name: "mcpx_intent", arguments: words });
  assert.equal((intent.structuredContent as { outcome: string }).outcome, "ran");
  assert.deepEqual(await calls(), [{ who: "Bob", times: 1 }, { who: "Bob", times: 2 }]);
  const forms = host.asked.map(({ params }) =>
    (params as { requestedSchema: { properties: object } }).requestedSchema
  );
  assert.deepEqual(forms.map(({ properties }) => Object.keys(properties)), [["who"], ["who"]]);
});

Deno.test("recipes are saved once they are sound, shadow others, and are deleted", async () => {
  const { world, scripts } = await open();
  await using _ = world;
  const save = (name: string, source: string, ...flags: string[]): ReturnType<World["run"]> =>
    world.run(["recipes", "save", name, "-", ...flags], { stdin: source });
  const bad: [source: string, message: RegExp][] = [
    ["return 1;", /declares no parameters/],
    ["// Do.\n// @param x:text\nreturn @x;", /which is none/],
    ["// Do.\n// @param x:string\nf({ @x: 1 });", /as the key of an object/],
    ["// Do.\n// @param x:string\nreturn (@x;", /never closed/],
    ["// Do.\n// @param x:string\nawait asker.lok({ who: @x });", /asker\.lok/],
  ];
  for (const [source, message] of bad) {
    const { code, stderr } = await save("bad", source);
    assert.equal(code, 1, source);
    assert.match(stderr, message);
  }
  assert.equal((await save("../evil", GREET)).code, 2);
  assert.equal((await save("greet", GREET)).code, 1);
  const saved = await save("wave", GREET.replace("Greet", "Wave at"));
  assert.equal(saved.stdout, `${join(scripts, "wave.ts")}\n`, saved.stderr);
  await using host = await StdioHost.open(world);
  assert.equal((await save("take_note", GREET, "--to", "user")).code, 0);
  await eventually(
    () => Promise.resolve(host.told.includes("notifications/tools/list_changed")),
    "the host is told",
  );
  const listed = (await world.json(["recipes", "list"])).value.recipes as Record<string, unknown>[];
  const origin = (name: string): unknown => listed.find((recipe) => recipe.name === name)?.origin;
  assert.deepEqual(["wave", "take_note", "find_text"].map(origin), ["project", "user", "shipped"]);
  const shown = await world.json(["recipes", "show", "wave"]);
  assert.deepEqual(shown.value.tools, ["asker.look"]);
  assert.equal((await world.json(["recipes", "match", "wave at somebody"])).value.chosen, "wave");
  const deleted = await world.run(["recipes", "delete", "take_note"]);
  assert.match(deleted.stderr, /take_note now means mcpx:recipes\/take_note\.ts/);
  assert.match((await world.run(["recipes", "delete", "take_note"])).stderr, /comes with mcpx/);
  assert.equal((await world.run(["recipes", "delete", "wave"])).code, 0);
  assert.equal((await world.run(["recipes", "show", "wave"])).code, 1);
});

Deno.test("the catalog ends with the recipes, the cap, and each one that is no tool with the reason", async () => {
  const { world, scripts } = await open({ recipes: { toolBudget: 2 } });
  await using _ = world;
  await Deno.writeTextFile(
    join(scripts, "gr-eet.ts"),
    GREET.replace("// @param who", "// @tool false\n// @param who"),
  );
  const { stdout } = await world.run(["catalog"]);
  const lines = stdout.trimEnd().split("\n");
  const at = lines.findIndex((line) => /recipes, 2 of them MCP tools \(cap 2\)/.test(line));
  assert.ok(at > 0, stdout);
  assert.equal(lines[at + 1], "  gr-eet is no tool: its header says @tool false");
  assert.match(lines.at(-1) ?? "", /is no tool: recipes\.toolBudget \(2\) is reached/);
  await using host = await StdioHost.open(world);
  const tools = (await host.request("tools/list")).tools as { name: string }[];
  assert.equal(tools.filter(({ name }) => name.startsWith("recipe_")).length, 2);
});

Deno.test("a request takes its words without quotes, and shells complete recipes and their parameters", async () => {
  const { world } = await open();
  await using _ = world;
  const { value } = await world.json(["prompt", "greet", "somebody", "now", "who=A B", "times=2"]);
  assert.match(String(value.script), /look\(\{ who: "A B", times: 2 \}\)/);
  const complete = async (...words: string[]): Promise<string[]> =>
    (await world.run(["__complete", "zsh", ...words])).stdout.split("\n").map((line) =>
      line.split("\t")[0] ?? ""
    );
  assert.ok((await complete("recipes", "run", "gr")).includes("greet"));
  assert.deepEqual(await complete("recipes", "run", "greet", "wh"), ["who=", ""]);
});

Deno.test("a recipe that cannot be run is listed with the reason, diagnosed with it, and refused", async () => {
  const { world, scripts } = await open();
  await using _ = world;
  await Deno.writeTextFile(
    join(scripts, "broken.ts"),
    "// Break.\n// @param who:text\nreturn f({ @who: 1 });\n",
  );
  const listed = await world.run(["recipes", "list"]);
  assert.equal(listed.code, 0);
  assert.match(
    listed.stderr,
    /broken cannot be run \(.*broken\.ts:2\): The parameter who has the type "text"/,
  );
  const diagnosed = await world.run(["diagnose", "broken"]);
  assert.equal(diagnosed.code, 1);
  assert.match(diagnosed.stdout, /line 2: The parameter who has the type "text"/);
  assert.equal((await world.run(["diagnose", "greet"])).code, 0);
  const run = await world.json(["recipes", "run", "broken", "who=x"]);
  assert.equal(run.code, 1);
  assert.equal((run.value.error as { code: string }).code, "invalid-recipe");
});

Deno.test("an intent that nothing matches exits 1 on the command line and is 200 over HTTP, with the candidates", async () => {
  const { world } = await open();
  await using _ = world;
  const { code, value } = await world.json(["prompt", "order a pizza"]);
  assert.equal(code, 1);
  assert.equal(value.outcome, "unmatched");
  const response = await world.http("/v1/intent", { method: "POST", body: '{"request":"note"}' });
  assert.equal(response.status, 200);
  const answer = await response.json() as { outcome: string; candidates: { name: string }[] };
  assert.equal(answer.outcome, "unmatched");
  assert.ok(answer.candidates.length > 1);
  const shown = await world.run(["prompt", "note"]);
  assert.match(shown.stdout, /NAME\s+SCORE\s+SUMMARY/);
  assert.match(shown.stderr, /is not clearly ahead of/);
});

Deno.test("a configured model writes what no recipe does; what it wrote is shown, and run only where that is asked", async () => {
  const said: Record<string, unknown>[] = [];
  let answer = "```ts\nreturn await asker.look({ who: 'generated' });\n```";
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => undefined },
    async (request) => {
      assert.equal(request.headers.get("authorization"), `Bearer ${KEY}`);
      said.push(await request.json());
      return Response.json({ choices: [{ message: { content: answer } }] });
    },
  );
  const { world, calls } = await open();
  await using _ = world;
  const config = JSON.stringify({
    model: {
      provider: "openai",
      baseUrl: `http://127.0.0.1:${server.addr.port}/v1`,
      name: "tiny",
      apiKey: "${env:TINY_KEY}",
    },
    prompt: { sample: "unmatched" },
  });
  await Deno.mkdir(join(world.env.HOME ?? "", ".config", "mcpx"), { recursive: true });
  await Deno.writeTextFile(join(world.env.HOME ?? "", ".config", "mcpx", "config.json"), config);
  const env = { TINY_KEY: KEY };
  await world.run(["tools", "asker"], { env });
  const proposed = await world.json(["prompt", "look at the pizza"], { env });
  assert.equal(proposed.value.outcome, "proposed", JSON.stringify(proposed.value));
  assert.equal(proposed.value.generated, true);
  assert.match(String(proposed.value.script), /who: 'generated'/);
  const [first] = said as { stream: boolean; messages: { content: string }[] }[];
  assert.equal(first?.stream, false);
  assert.match(first?.messages[1]?.content ?? "", /asker\.look\(/);
  assert.deepEqual(await calls(), []);
  assert.equal((await world.json(["prompt", "look at the pizza", "--run"], { env })).value.outcome, "ran");
  assert.deepEqual(await calls(), [{ who: "generated" }]);
  // A recipe that fits asks no model.
  const asked = said.length;
  assert.equal((await world.json(["prompt", "greet somebody", "who=Ann"], { env })).value.recipe, "greet");
  assert.equal(said.length, asked);
  answer = "return await asker.nothing({});";
  const failing = await world.json(["prompt", "look at the pizza", "--run"], { env });
  assert.equal(failing.value.outcome, "proposed");
  assert.equal(failing.code, 1);
  answer = "I would rather not.";
  const nonsense = await world.json(["prompt", "look at the pizza"], { env });
  assert.equal(nonsense.value.outcome, "unmatched");
  assert.match(JSON.stringify(nonsense.value.notes), /its answer calls no tool/);
  // What a server asks of a model is answered by it too.
  answer = "a completion";
  const completed = await world.run(["call", "asker.complete", "prompt=finish this"], { env });
  assert.match(completed.stdout, /a completion/, completed.stderr);
  const settings = await world.run(["settings", "list", "--json"], { env });
  assert.ok(!settings.stdout.includes(KEY));
});

Deno.test("with a model that is down or silent the deterministic answer comes on time, with a note and without the key", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { world } = await open();
  await using _ = world;
  const env = {
    MCPX_MODEL_PROVIDER: "anthropic",
    MCPX_MODEL_BASE_URL: `http://127.0.0.1:${listener.addr.port}`,
    MCPX_MODEL_NAME: "tiny",
    MCPX_MODEL_API_KEY: KEY,
    MCPX_MODEL_TIMEOUT: "300ms",
    MCPX_PROMPT_SAMPLE: "unmatched",
  };
  await world.run(["tools", "asker"], { env });
  const started = performance.now();
  const silent = await world.run(["prompt", "order a pizza", "--json"], { env });
  assert.ok(performance.now() - started < 5000);
  assert.equal(silent.code, 1);
  assert.match(silent.stdout, /did not answer within 300 ms.*"outcome":"unmatched"/);
  listener.close();
  const down = await world.run(["prompt", "order a pizza"], { env });
  assert.equal(down.code, 1);
  assert.match(down.stderr, /No model was of help: .*cannot be reached/);
  assert.ok(!`${silent.stdout}${down.stderr}`.includes(KEY));
});

Deno.test("a project's own file names no model until it is trusted", async () => {
  const { world } = await open({ model: { provider: "openai", baseUrl: "http://127.0.0.1:1/", name: "x" } });
  await using _ = world;
  const { value } = await world.json(["settings", "get", "model.provider"]);
  assert.equal(value.value, "none");
  const { stderr } = await world.run(["prompt", "order a pizza", "--prompt-sample", "unmatched"]);
  assert.match(stderr, /model\.provider is none/);
});

Deno.test("the caller's own model is asked where it offers sampling, and never waited for where it does not", async () => {
  const { world, calls } = await open();
  await using _ = world;
  const env = { MCPX_MODEL_PROVIDER: "sampling", MCPX_PROMPT_SAMPLE: "unmatched" };
  await world.run(["tools", "asker"], { env });
  const words = { request: "look at the pizza", autonomy: "run" };
  const flags = ["--prompt-sample", "unmatched"];
  await using host = await StdioHost.open(world, {
    capabilities: { sampling: {} },
    flags,
    answer: () => ({
      role: "assistant",
      model: "host",
      content: { type: "text", text: "return await asker.look({ who: 'sampled' });" },
    }),
  });
  const sampled = await host.request("tools/call", { name: "mcpx_intent", arguments: words });
  assert.equal((sampled.structuredContent as { outcome: string }).outcome, "ran", JSON.stringify(sampled));
  assert.deepEqual(await calls(), [{ who: "sampled" }]);
  assert.equal(host.asked[0]?.method, "sampling/createMessage");
  await using mute = await StdioHost.open(world, { flags });
  const alone = await mute.request("tools/call", { name: "mcpx_intent", arguments: words });
  const document = alone.structuredContent as { outcome: string; notes: string[] };
  assert.equal(document.outcome, "unmatched");
  assert.match(document.notes.join(), /offers no sampling/);
});
