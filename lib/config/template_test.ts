import assert from "node:assert/strict";
import fc from "fast-check";
import { escapeTemplate, parseTemplate, usesCommands } from "./template.ts";

Deno.test("expressions are told apart, with braces nesting inside them", () => {
  assert.deepEqual(parseTemplate("a${B}${C:-{\"x\":{}}}$env:D.${cmd:awk '{print}'}${file:~/k}${input:i}"), [
    { kind: "text", text: "a" },
    { kind: "variable", name: "B" },
    { kind: "variable", name: "C", fallback: [{ kind: "text", text: '{"x":{}}' }] },
    { kind: "variable", name: "D" },
    { kind: "text", text: "." },
    { kind: "command", body: "awk '{print}'" },
    { kind: "file", body: "~/k" },
    { kind: "input", body: "i" },
  ]);
});

Deno.test("a dollar that opens nothing stays, and two are one", () => {
  assert.deepEqual(parseTemplate("$5 $HOME $$ $${A} $"), [{ kind: "text", text: "$5 $HOME $$ ${A} $" }]);
});

Deno.test("what is never closed or not known is told, not passed on", () => {
  assert.deepEqual(parseTemplate("a${B"), [{ kind: "text", text: "a" }, { kind: "unknown", text: "${B" }]);
  assert.deepEqual(parseTemplate("${1}"), [{ kind: "unknown", text: "${1}" }]);
  assert.deepEqual(parseTemplate("${}"), [{ kind: "unknown", text: "${}" }]);
});

Deno.test("any text survives escaping and parsing", () => {
  const text = fc.oneof(
    fc.string(),
    fc.array(fc.constantFrom("$", "{", "}", "env:A", "A", ":-")).map((a) => a.join("")),
  );
  fc.assert(fc.property(text, (original) => {
    const parts = parseTemplate(escapeTemplate(original));
    assert.deepEqual(parts, original === "" ? [] : [{ kind: "text", text: original }]);
  }));
});

Deno.test("a command inside a default counts as a command", () => {
  assert.equal(usesCommands("${A:-${cmd:id}}"), true);
  assert.equal(usesCommands("$${cmd:id} ${A}"), false);
});
