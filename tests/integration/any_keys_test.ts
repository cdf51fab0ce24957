import assert from "node:assert/strict";
import { join } from "node:path";
import fc from "fast-check";
import { parseJson } from "../../lib/json/mod.ts";
import { openMcpx } from "../../mod.ts";
import { modernRequest, readAnswer } from "../support/mcp_host.ts";
import { fixtureServer, World } from "../support/world.ts";

/** What goes in as the text of a JSON object, and comes back as the text of what the server got. */
type Door = (world: World, json: string) => Promise<string>;

const KEYS = [
  "__proto__",
  "constructor",
  "prototype",
  "toString",
  "hasOwnProperty",
  "__defineGetter__",
  "then",
  "toJSON",
  "valueOf",
  "length",
  "",
  "0",
  "a.b",
  "é\u2028",
];

const objects = fc.letrec<{ value: fc.JsonValue; object: Record<string, fc.JsonValue> }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", maxDepth: 4 },
    fc.constantFrom<fc.JsonValue>(null, true, "5", 1, 1.5, "__proto__"),
    fc.array(tie("value"), { maxLength: 3 }),
    tie("object"),
  ),
  object: fc.uniqueArray(
    fc.tuple(fc.oneof(fc.constantFrom(...KEYS), fc.string({ maxLength: 4 })), tie("value")),
    { maxLength: 4, selector: ([key]) => key },
  ).map((entries) => Object.fromEntries(entries)),
})).object;

let shared: World | undefined;

Deno.test.afterAll(async () => {
  await shared?.[Symbol.asyncDispose]();
});

async function world(): Promise<World> {
  if (shared) return shared;
  shared = await World.open({
    mcpServers: { plain: fixtureServer("plain_tools.mjs"), verbatim: fixtureServer("verbatim.mjs") },
  });
  assert.equal((await shared.run(["ls"])).code, 0);
  return shared;
}

async function posted(on: World, path: string, body: string): Promise<Record<string, unknown>> {
  const text = await (await on.http(path, { method: "POST", body })).text();
  return parseJson(text) as Record<string, unknown>;
}

const resultOf = (document: Record<string, unknown>): string => {
  assert.ok("result" in document, JSON.stringify(document));
  return JSON.stringify(document.result);
};

const QUICK: Record<string, Door> = {
  "/v1/call": async (on, json) =>
    resultOf(await posted(on, "/v1/call", `{"tool":"plain.echo","arguments":${json}}`)),
  "/v1/call/{namespace}/{fn}": async (on, json) => resultOf(await posted(on, "/v1/call/plain/echo", json)),
  "the args of /v1/exec": async (on, json) =>
    resultOf(await posted(on, "/v1/exec", `{"code":"return await plain.echo(args)","args":${json}}`)),
  "mcpx_call over MCP": async (on, json) => {
    const [body, headers] = modernRequest(
      "tools/call",
      `{"name":"mcpx_call","arguments":{"tool":"plain.echo","arguments":${json}}}`,
    );
    const answer = await readAnswer(
      await on.http("/mcp", {
        method: "POST",
        body,
        headers: { accept: "application/json, text/event-stream", ...headers },
      }),
    );
    const { result } = answer.last as { result: { structuredContent: Record<string, unknown> } };
    return resultOf(result.structuredContent);
  },
};

const SLOW: Record<string, Door> = {
  "a JSON word of a command": async (on, json) => (await on.run(["call", "plain.echo", json])).stdout,
  "standard input": async (on, json) => (await on.run(["call", "plain.echo", "-"], { stdin: json })).stdout,
  "--args with a file": async (on, json) => {
    await Deno.writeTextFile(join(on.project, "args.json"), json);
    return (await on.run(["call", "plain.echo", "--args", "args.json"])).stdout;
  },
  "the arguments of a script": async (on, json) =>
    (await on.run(["exec", "return await plain.echo(args)", json])).stdout,
  "a recipe's value": async (on, json) => {
    const recipe = "// Gives a value back.\n// @param it:object  what\nreturn await plain.echo(@it);\n";
    await Deno.mkdir(join(on.project, ".mcpx", "scripts"), { recursive: true });
    await Deno.writeTextFile(join(on.project, ".mcpx", "scripts", "back.ts"), recipe);
    return (await on.run(["recipes", "run", "back", `{"it":${json}}`])).stdout;
  },
  "the library": async (on, json) => {
    await using mcpx = await openMcpx({ cwd: on.project, env: on.env });
    return JSON.stringify(await mcpx.call("plain.echo", parseJson(json) as Record<string, unknown>));
  },
};

for (const [name, door] of Object.entries(QUICK)) {
  Deno.test(`the members of an object reach a server whatever they are called: ${name}`, async () => {
    const on = await world();
    await fc.assert(
      fc.asyncProperty(objects, async (object) => {
        const json = JSON.stringify(object);
        assert.deepEqual(entriesOf(JSON.parse(await door(on, json))), entriesOf(JSON.parse(json)));
      }),
      {
        numRuns: 25,
        examples: [[JSON.parse('{"__proto__":"5","a":{"__proto__":{"b":1}},"constructor":1}')]],
      },
    );
  });
}

for (const [name, door] of Object.entries(SLOW)) {
  Deno.test(`the members of an object reach a server whatever they are called: ${name}`, async () => {
    const json = `{${KEYS.map((key, at) => `${JSON.stringify(key)}:{${JSON.stringify(key)}:${at}}`).join()}}`;
    const given = await door(await world(), json);
    assert.deepEqual(entriesOf(JSON.parse(given)), entriesOf(JSON.parse(json)));
  });
}

Deno.test("a question's field may have any name, and one that was not asked for is refused by it", async () => {
  const on = await world();
  const params = JSON.stringify({
    message: "?",
    requestedSchema: JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"string"},"a":{"type":"string"}}}',
    ),
  });
  const ask = async (): Promise<string> => {
    const body = JSON.stringify({
      tool: "verbatim.ask",
      arguments: { method: "elicitation/create", params },
    });
    const { error } = await posted(on, "/v1/call", body) as {
      error: { data: { question: { id: string }; task: string } };
    };
    return `${error.data.question.id} ${error.data.task}`;
  };
  const [id, task] = (await ask()).split(" ");
  const refused = await posted(on, `/v1/elicit/${id}/answer`, '{"content":{"constructor":"x","a":"1"}}');
  assert.match(JSON.stringify(refused), /`constructor` was not asked for/);
  await posted(on, `/v1/elicit/${id}/answer`, '{"content":{"__proto__":"mine","a":"1"}}');
  const { result } = await (await on.http(`/v1/tasks/${task}/result`)).json();
  assert.match(JSON.stringify(result), /"content":\{"__proto__":"mine","a":"1"\}/);
});

Deno.test("what declares its names refuses one that it does not have, by name", async () => {
  const on = await world();
  const recipe = await on.run(["recipes", "run", "back", '{"it":{},"__proto__":1}']);
  assert.match(recipe.stderr, /no parameter __proto__/);
  const form = JSON.stringify({
    tool: "verbatim.ask",
    arguments: {
      method: "elicitation/create",
      params: '{"message":"?","requestedSchema":{"properties":{}}}',
    },
  });
  const { error } = await posted(on, "/v1/call", form) as { error: { data: { question: { id: string } } } };
  const { id } = error.data.question;
  const answer = await posted(on, `/v1/elicit/${id}/answer`, '{"content":{"__proto__":1}}');
  assert.match(JSON.stringify(answer), /`__proto__` was not asked for/);
  await posted(on, `/v1/elicit/${id}/cancel`, "{}");
  const input = await posted(on, "/v1/call", '{"tool":"plain.echo","__proto__":{"arguments":{}}}');
  assert.match(JSON.stringify(input), /it takes no `__proto__`/);
});

/** An object as lists of names and values, so that a comparison misses no name and no order. */
function entriesOf(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(entriesOf);
  return { entries: Object.entries(value).map(([key, member]) => [key, entriesOf(member)]) };
}
