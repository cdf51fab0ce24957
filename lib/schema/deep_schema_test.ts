import assert from "node:assert/strict";
import {
  argumentsRequired,
  checkToolSchemas,
  coerceArguments,
  emitNamespace,
  flattenSchema,
  minimalValue,
  signature,
  validateValue,
} from "./mod.ts";

/** A schema of 20,000 levels, each made out of the one inside. */
function nested(wrap: (inner: Record<string, unknown>) => Record<string, unknown>): Record<string, unknown> {
  let schema: Record<string, unknown> = { type: "object", properties: { p: { type: "string" } } };
  for (let level = 0; level < 20_000; level++) schema = wrap(schema);
  return schema;
}

/** References that lead one on to the next, 20,000 times. */
function chained(): Record<string, unknown> {
  const $defs: Record<string, unknown> = { d0: { type: "object" } };
  for (let at = 1; at <= 20_000; at++) $defs[`d${at}`] = { $ref: `#/$defs/d${at - 1}` };
  return { $ref: "#/$defs/d20000", $defs };
}

const DEEP: Record<string, () => Record<string, unknown>> = {
  allOf: () => nested((inner) => ({ allOf: [inner] })),
  anyOf: () => nested((inner) => ({ anyOf: [inner, { type: "null" }] })),
  properties: () => nested((p) => ({ type: "object", properties: { p }, required: ["p"] })),
  items: () => nested((items) => ({ type: "array", items })),
  prefixItems: () => nested((item) => ({ type: "array", prefixItems: [item] })),
  references: chained,
};

for (const [keyword, build] of Object.entries(DEEP)) {
  Deno.test(`20,000 levels of ${keyword} cost no stack, whatever is done with them`, () => {
    const inputSchema = build();
    const tool = { name: "t", inputSchema, outputSchema: inputSchema };
    const entry = { namespace: "ns", fn: "t", server: "s", tool, findings: [] };
    assert.match(emitNamespace({ namespace: "ns", server: "s", tools: [entry] }), /^declare namespace ns/);
    assert.match(signature(entry), /^ns\.t\(/);
    checkToolSchemas(tool);
    flattenSchema(inputSchema);
    argumentsRequired(inputSchema);
    coerceArguments(inputSchema, [["p", "{}"], ["q.r", "x"]]);
    minimalValue(inputSchema);
    validateValue(inputSchema, { p: {} });
  });
}
