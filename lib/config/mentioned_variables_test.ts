import assert from "node:assert/strict";
import fc from "fast-check";
import { mentionedVariables } from "./mentioned_variables.ts";
import { allParts, parseTemplate } from "./template.ts";

Deno.test("every spelling of a variable is mentioned, and passed-through names are", () => {
  const text = String.raw`{ // \${COMMENTED}
    "a": "\${A} \${B:-\${NESTED:-x}} \${env:C} \${env:D:-d} $env:E $\${NOT} \u0024{ESCAPED}",
    "b": "\${cmd:echo $HOME} \${file:x} \${input:y} $PLAIN",
    "envPassthrough" : ["P1",
      "P2",],
  }`.replaceAll("\\${", "${");
  assert.deepEqual(
    mentionedVariables(text),
    ["COMMENTED", "A", "B", "NESTED", "C", "D", "E", "ESCAPED", "P1", "P2"],
  );
});

Deno.test("what a template expands is always mentioned", () => {
  const piece = fc.constantFrom(
    "$",
    "$$",
    "${A}",
    "${env:B}",
    "$env:C",
    "${D:-${E}}",
    "${F:-",
    "}",
    "{",
    "x",
    ":-",
  );
  fc.assert(fc.property(fc.array(piece), (pieces) => {
    const text = pieces.join("");
    const names = [...allParts(parseTemplate(text))].flatMap((part) =>
      part.kind === "variable" ? [part.name] : []
    );
    const mentioned = mentionedVariables(JSON.stringify(text));
    for (const name of names) assert.ok(mentioned.includes(name), `${name} in ${text}`);
  }));
});
