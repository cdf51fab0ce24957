import assert from "node:assert/strict";
import { operationFields } from "../../lib/operations/fields.ts";
import { OPERATIONS } from "../../lib/operations/table.ts";

const LIB = new URL("../../lib/", import.meta.url);

/** What an operation's `run` says, and whether it hands its input on whole. */
async function runOf(id: string): Promise<{ file: URL; body: string }> {
  for await (const { name } of Deno.readDir(new URL("operations/", LIB))) {
    if (!name.endsWith(".ts") || name.endsWith("_test.ts")) continue;
    const file = new URL(`operations/${name}`, LIB);
    const text = await Deno.readTextFile(file);
    if (!text.includes(`id: "${id}"`)) continue;
    const at = text.search(/^ {2,4}(?:async )?run[:(]/m);
    assert.ok(at >= 0, `${name} has a run`);
    return { file, body: text.slice(at) };
  }
  throw new Error(`no file declares ${id}`);
}

/** The text of every engine file that an operation reaches by imports. */
async function engineTexts(from: URL, seen = new Set<string>()): Promise<string[]> {
  const texts: string[] = [];
  for (const [, path = ""] of (await Deno.readTextFile(from)).matchAll(/from "(\.[^"]+\.ts)"/g)) {
    const file = new URL(path, from);
    const inside = /\/lib\/(engine|operations)\//.test(file.pathname) &&
      !/\/(table|define|engine)\.ts$/.test(file.pathname);
    if (!inside || seen.has(file.href)) continue;
    seen.add(file.href);
    texts.push(await Deno.readTextFile(file), ...await engineTexts(file, seen));
  }
  return texts;
}

/**
 * Whether code takes a member of that name out of its input: declaring it in a type or a schema does not count. What is taken by
 * destructuring is used, or the linter says so.
 */
function reads(text: string, name: string): boolean {
  const code = text.replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, "");
  const member = `\\b(?:input|request|given|filter|server)\\.${name}\\b`;
  const taken = `\\{[^{}()]*\\b${name}\\b[^{}()?]*\\}\\s*(?::|=[^>=]|, \\{ engine)`;
  return new RegExp(`${member}|${taken}`).test(code);
}

Deno.test("no input of an operation is declared, documented, decoded and discarded", async () => {
  const discarded: string[] = [];
  for (const operation of OPERATIONS) {
    const { file, body } = await runOf(operation.id);
    const handedOn = /\binput\b(?!\.)|\.\.\.input|\.\.\.\w*rest/.test(body);
    const texts = handedOn ? await engineTexts(file) : [];
    for (const { name, help } of operationFields(operation)) {
      if (help.startsWith("Not looked at: ")) continue; // taken so that a host that sends it is not refused, and said so
      const used = reads(body, name) || texts.some((text) => reads(text, name));
      if (!used) discarded.push(`${operation.id}.${name}`);
    }
  }
  assert.deepEqual(discarded, []);
});
