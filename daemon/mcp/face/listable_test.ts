import assert from "node:assert/strict";
import fc from "fast-check";
import type { JsonObject } from "../../../lib/schema/mod.ts";
import { listablePrompt, listableResource, listableTool } from "./listable.ts";

Deno.test("what fits stays the same object, unknown members and all", () => {
  const tool = {
    name: "t",
    title: "T",
    inputSchema: { type: "object", properties: { a: { type: "string", x: 1 } }, required: ["a"], x: 1 },
    outputSchema: { type: "array", items: {} },
    annotations: { readOnlyHint: true, own: "yes" },
    icons: [{ src: "x" }],
    x: { deep: [1] },
  };
  assert.equal(listableTool(tool), tool);
  const prompt = { name: "p", arguments: [{ name: "a", required: true, x: 1 }], x: 1 };
  assert.equal(listablePrompt(prompt), prompt);
  const resource = { uri: "a://b", name: "b", size: 3, x: 1 };
  assert.equal(listableResource(resource, "uri"), resource);
});

Deno.test("whatever a server sends as an entry, hosts are given one that their schemas take", () => {
  const members = fc.dictionary(
    fc.constantFrom(
      "title",
      "description",
      "inputSchema",
      "outputSchema",
      "annotations",
      "icons",
      "_meta",
      "execution",
      "arguments",
      "mimeType",
      "x",
    ),
    fc.oneof(
      fc.jsonValue({ maxDepth: 2 }),
      fc.record({
        type: fc.constantFrom("object", "string", 7),
        properties: fc.jsonValue({ maxDepth: 2 }),
        required: fc.jsonValue({ maxDepth: 1 }),
        readOnlyHint: fc.jsonValue({ maxDepth: 0 }),
      }, { requiredKeys: [] }),
    ),
  );
  fc.assert(fc.property(members, (given) => {
    const tool = listableTool({ ...given, name: "t" });
    const schema = tool.inputSchema as JsonObject;
    assert.equal(schema.type, "object");
    for (const one of [schema, tool.outputSchema as JsonObject | undefined ?? {}]) {
      const { properties = {}, required = [] } = one as { properties?: JsonObject; required?: unknown[] };
      assert.ok(Object.values(properties).every((value) => typeof value === "object" && value !== null));
      assert.ok(required.every((value) => typeof value === "string"));
    }
    for (const member of ["title", "description"]) {
      assert.ok(["undefined", "string"].includes(typeof tool[member]), member);
    }
    const hint = (tool.annotations as JsonObject | undefined)?.readOnlyHint;
    assert.ok(hint === undefined || typeof hint === "boolean");
    assert.deepEqual(tool.x, given.x);
    const { arguments: taken = [] } = listablePrompt({ ...given, name: "p" }) as { arguments?: JsonObject[] };
    assert.ok(taken.every(({ name }) => typeof name === "string"));
    assert.equal(typeof listableResource({ ...given, uri: "a://b" }, "uri").name, "string");
  }));
});
