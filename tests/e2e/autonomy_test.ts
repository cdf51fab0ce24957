import assert from "node:assert/strict";
import { join } from "node:path";
import { StdioHost } from "../support/stdio_host.ts";
import { fixtureServer, realServer, World } from "../support/world.ts";

const RECIPE = `// Leave a mark for somebody.
// @param who:string  whom it is for
return await marks.look({ who: @who });
`;

/** What holds under each ceiling where \`run\` is asked for. */
const CEILINGS: Readonly<Record<string, { autonomy: string; outcome: string }>> = {
  off: { autonomy: "off", outcome: "advised" },
  advise: { autonomy: "advise", outcome: "advised" },
  ask: { autonomy: "ask", outcome: "advised" },
  propose: { autonomy: "propose", outcome: "proposed" },
  apply: { autonomy: "propose", outcome: "proposed" },
  run: { autonomy: "run", outcome: "ran" },
};

interface Answer {
  exitCode: number;
  outcome?: string;
  autonomy?: string;
  requested?: string;
  clampedBy?: { setting: string; value: string; layer: string; source: string };
  script?: string;
  result?: unknown;
  candidates?: unknown[];
}

type Way = (world: World, who: string) => Promise<Answer>;

const WORDS = "leave a mark for somebody";

async function post(
  world: World,
  path: string,
  body: object,
  settings?: Record<string, unknown>,
): Promise<Answer> {
  const response = await world.http(path, {
    method: "POST",
    body: JSON.stringify(body),
    headers: {
      "x-mcpx-caller": JSON.stringify({ cwd: world.project }),
      ...(settings ? { "x-mcpx-settings": JSON.stringify(settings) } : {}),
    },
  });
  assert.equal(response.status, 200);
  return await response.json() as Answer;
}

async function command(world: World, words: string[], env: Record<string, string> = {}): Promise<Answer> {
  const { code, value } = await world.json(words, { env });
  const answer = value as unknown as Answer;
  assert.equal(code, answer.exitCode);
  return answer;
}

async function overMcp(world: World, tool: string, args: Record<string, unknown>): Promise<Answer> {
  await using host = await StdioHost.open(world);
  const result = await host.request("tools/call", { name: tool, arguments: args });
  const answer = result.structuredContent as Answer;
  assert.equal(result.isError === true, answer.exitCode !== 0);
  return answer;
}

/** The ways to ask that an intent be run. */
const INTENT_WAYS: Readonly<Record<string, Way>> = {
  body: (world, who) => post(world, "/v1/intent", { request: WORDS, args: { who }, autonomy: "run" }),
  header: (world, who) =>
    post(world, "/v1/intent", { request: WORDS, args: { who } }, { "prompt.autonomy": "run" }),
  flag: (world, who) => command(world, ["prompt", WORDS, `who=${who}`, "--run"]),
  "setting's flag": (world, who) =>
    command(world, ["prompt", WORDS, `who=${who}`, "--prompt-autonomy", "run"]),
  variable: (world, who) => command(world, ["prompt", WORDS, `who=${who}`], { MCPX_PROMPT_AUTONOMY: "run" }),
  MCP: (world, who) => overMcp(world, "mcpx_intent", { request: WORDS, args: { who }, autonomy: "run" }),
};

/** The ways to run a recipe by its name, which is to ask for `run`. */
const NAMED_WAYS: Readonly<Record<string, Way>> = {
  "recipe's command": (world, who) => command(world, ["recipes", "run", "leave-mark", `who=${who}`]),
  "script's command": (world, who) => command(world, ["run", "leave-mark", `who=${who}`]),
  "recipe's route": (world, who) => post(world, "/v1/recipes/leave-mark/run", { args: { who } }),
  "recipe's MCP tool": (world, who) => overMcp(world, "recipe_leave-mark", { who }),
};

/** For whom the server was asked to leave a mark, by its own log. */
async function marks(log: string): Promise<string[]> {
  const text = await Deno.readTextFile(log).catch(() => "");
  return text.split("\n").filter((line) => line.includes('"tools/call"'))
    .map((line) => JSON.parse(line).params.arguments.who);
}

function check(answer: Answer, max: string, way: string): void {
  const wanted = CEILINGS[max]!;
  assert.equal(answer.autonomy, wanted.autonomy, way);
  assert.equal(answer.requested, "run", way);
  if (answer.outcome !== undefined) assert.equal(answer.outcome, wanted.outcome, way);
  assert.equal(answer.exitCode, max === "run" ? 0 : 1, way);
  assert.equal(answer.script?.includes("marks.look") ?? false, wanted.outcome === "proposed", way);
  assert.equal(answer.result !== undefined, wanted.outcome === "ran", way);
  if (wanted.outcome === "advised") assert.ok((answer.candidates?.length ?? 0) > 0, way);
  if (max === "run") assert.equal(answer.clampedBy, undefined, way);
  else {
    assert.equal(answer.clampedBy?.setting, "autonomy.max", way);
    assert.equal(answer.clampedBy?.value, max, way);
    assert.equal(answer.clampedBy?.layer, "file", way);
    assert.match(answer.clampedBy?.source ?? "", /project\/\.mcpx\.json$/, way);
  }
}

for (const max of Object.keys(CEILINGS)) {
  Deno.test(`under the ceiling ${max} a request to run ${max === "run" ? "runs" : "leaves no mark"}, whichever way it comes`, async () => {
    await using world = await World.open({});
    const log = join(world.root, "marks.log");
    const config = {
      mcpServers: { marks: fixtureServer("asker.mjs", { LOG: log }) },
      autonomy: { max },
    };
    await world.configure(config);
    await world.configureUser({});
    await Deno.mkdir(join(world.project, ".mcpx", "scripts"), { recursive: true });
    await Deno.writeTextFile(join(world.project, ".mcpx", "scripts", "leave-mark.ts"), RECIPE);
    assert.equal((await world.run(["tools", "marks"])).code, 0);
    const asked: string[] = [];
    const ask = async (name: string, way: Way): Promise<void> => {
      asked.push(name);
      check(await way(world, name), max, `${name} under ${max}`);
    };
    for (const [name, way] of Object.entries({ ...INTENT_WAYS, ...NAMED_WAYS })) await ask(name, way);
    // The user's file asks for all that does not ask by itself.
    await world.configureUser({ prompt: { autonomy: "run" } });
    assert.equal((await world.run(["reload"])).code, 0);
    await ask("file", (there, who) => command(there, ["prompt", WORDS, `who=${who}`]));
    // The edit of a project's file raises nothing while the daemon runs.
    await world.configure({ ...config, autonomy: { max: "run" } });
    assert.equal((await world.run(["reload"])).code, 0);
    asked.push("raised");
    const raised = await command(world, ["prompt", WORDS, "who=raised"]);
    assert.equal(raised.autonomy, CEILINGS[max]?.autonomy);
    assert.deepEqual(await marks(log), max === "run" ? asked : []);
  });
}

Deno.test("a person is told on stderr what lowered the request, and an unknown level is refused", async () => {
  await using world = await World.open({});
  await world.configure({ autonomy: { max: "propose" } });
  await Deno.mkdir(join(world.project, ".mcpx", "scripts"), { recursive: true });
  const source = "// Say a word.\n// @param word:string\nreturn @word;\n";
  await Deno.writeTextFile(join(world.project, ".mcpx", "scripts", "say-word.ts"), source);
  const { code, stdout, stderr } = await world.run(["prompt", "say a word", "word=x", "--run"]);
  assert.equal(code, 1);
  assert.equal(stdout, source.replace("@word;", '"x";'));
  assert.match(stderr, /requested run, clamped to propose by autonomy\.max \(file: .*\.mcpx\.json\)/);
  const shown = await world.run(["settings", "get", "prompt.autonomy", "--prompt-autonomy", "run"]);
  assert.match(shown.stdout, /autonomy\.max = propose/);
  assert.equal(shown.stderr, "");
  const bad = await world.http("/v1/intent", {
    method: "POST",
    body: JSON.stringify({ request: "say a word", autonomy: "sudo" }),
  });
  assert.equal(bad.status, 400);
  const header = await world.http("/v1/intent", {
    method: "POST",
    body: JSON.stringify({ request: "say a word" }),
    headers: { "x-mcpx-settings": '{"prompt.autonomy":"sudo"}' },
  });
  assert.equal(header.status, 400);
  assert.equal((await world.run(["prompt", "say a word", "--autonomy", "sudo"])).code, 2);
  assert.equal((await world.run(["prompt", "say a word", "--autonomy", "propose", "--run"])).code, 2);
  const contradicting = await world.http("/v1/intent", {
    method: "POST",
    body: JSON.stringify({ request: "say a word", autonomy: "propose", run: true }),
  });
  assert.equal(contradicting.status, 400);
});

/** A world whose user's own file holds these settings. */
async function withUserSettings(max: string, settings: object): Promise<{ world: World; log: string }> {
  const world = await World.open({});
  const log = join(world.root, "marks.log");
  await world.configure({
    mcpServers: { marks: fixtureServer("asker.mjs", { LOG: log }) },
    autonomy: { max },
  });
  const folder = join(world.env.HOME ?? "", ".config", "mcpx");
  await Deno.mkdir(folder, { recursive: true });
  await Deno.writeTextFile(join(folder, "config.json"), JSON.stringify(settings));
  return { world, log };
}

for (const [max, marked] of [["apply", []], ["run", ["hook"]]] as const) {
  Deno.test(`under the ceiling ${max} hooks ${max === "run" ? "run" : "leave no mark"}, while code that a caller sends runs`, async () => {
    const before = 'await marks.look({ who: "hook" });';
    const { world, log } = await withUserSettings(max, { script: { before } });
    await using _ = world;
    const { code, value } = await world.json(["exec", "return 1"]);
    assert.equal(code, 0, JSON.stringify(value));
    assert.equal(value.result, 1);
    assert.deepEqual(await marks(log), marked);
  });
}

Deno.test("under the ceiling off a failed call carries no findings, under advise it does", async () => {
  for (const [max, explained] of [["off", false], ["advise", true]] as const) {
    const world = await World.open({});
    await using _ = world;
    await world.configure({
      mcpServers: { everything: realServer("@modelcontextprotocol/server-everything") },
      autonomy: { max },
    });
    const { code, value } = await world.json(["call", "everything.echo"]);
    assert.equal(code, 1);
    assert.equal("diagnostics" in value, explained, max);
  }
});

Deno.test("no level skips a consent: a destructive call in a recipe waits for a yes under the ceiling run", async () => {
  const { world, log } = await withUserSettings("run", { elicit: { confirmDestructive: true } });
  await using _ = world;
  await Deno.mkdir(join(world.project, ".mcpx", "scripts"), { recursive: true });
  const source = "// Wipe all.\n// @param who:string\nreturn await marks.wipe({ who: @who });\n";
  await Deno.writeTextFile(join(world.project, ".mcpx", "scripts", "wipe-all.ts"), source);
  for (const words of [["recipes", "run", "wipe-all"], ["prompt", "--run", "wipe all"]]) {
    assert.equal((await world.run([...words, "who=x"])).code, 75);
  }
  assert.deepEqual(await marks(log), []);
});
