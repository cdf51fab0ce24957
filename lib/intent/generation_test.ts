import assert from "node:assert/strict";
import { generationRequest, readGeneration } from "./generation.ts";

const DEMO = new Set(["demo"]);

Deno.test("a model is told the best tools that fit the budget, and the request", () => {
  const tools = Array.from({ length: 50 }, (_, at) => ({
    signature: `demo.tool_${at}(args: {\n text: string }): Promise<string>`,
    description: `Does thing ${at}. And more that nobody needs.`,
  }));
  const { prompt, system } = generationRequest("do thing 3", tools, 100);
  const [catalog = "", request] = prompt.split("\n\n");
  assert.ok(new TextEncoder().encode(catalog).length <= 400);
  assert.ok(catalog.startsWith("demo.tool_0(args: { text: string }): Promise<string> // Does thing 0\n"));
  assert.equal(request, "Request: do thing 3");
  assert.match(system, /script/);
  assert.equal(generationRequest("x", tools, 0).prompt, "\n\nRequest: x");
});

Deno.test("a script is read out of what a model says, and nonsense is none", () => {
  const script = "return await demo.echo({ message: 'x' });\n";
  assert.deepEqual(readGeneration(`Sure!\n\`\`\`ts\n${script}\`\`\`\nEnjoy.`, DEMO), { script });
  assert.deepEqual(readGeneration(script, DEMO), { script });
  assert.deepEqual(readGeneration(`\`\`\`\nhi\n\`\`\`\n\`\`\`typescript\r\n${script}\`\`\``, DEMO), {
    script,
  });
  for (
    const [text, problem] of [
      ["", "it answered nothing"],
      ["I cannot help with that.", "its answer calls no tool"],
      ["IMPOSSIBLE", "it says that no tool can do this"],
      ["```ts\nconsole.log('demo.echo()')\n```", "its answer calls no tool"],
      ["```ts\nother.run({})\n```", "its answer calls no tool"],
      ["```ts\nconst demo = {}; demo.echo();\n```", "its answer calls no tool"],
    ] as const
  ) assert.deepEqual(readGeneration(text, DEMO), { problem }, text);
});
