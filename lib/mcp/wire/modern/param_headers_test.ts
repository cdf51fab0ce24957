import assert from "node:assert/strict";
import { parseJson } from "../../../json/mod.ts";
import { readParamHeaders, writeParamHeaders } from "./param_headers.ts";

const marked = (header: unknown, type = "string"): Record<string, unknown> => ({
  type,
  "x-mcp-header": header,
});
const object = (properties: Record<string, unknown>, rest = {}): Record<string, unknown> => ({
  properties,
  ...rest,
});

Deno.test("marks are found at any depth of plain properties, and each argument becomes a header", () => {
  const read = readParamHeaders(object({
    region: marked("Region"),
    deep: object({ count: marked("Count", "integer"), dry: marked("Dry", "boolean") }),
    absent: marked("Absent"),
    nothing: marked("Nothing"),
    "x-mcp-header": { type: "string" },
  }));
  assert.ok("headers" in read);
  const args = parseJson('{"region":"eu","deep":{"count":9007199254740993,"dry":false},"nothing":null}');
  assert.deepEqual(writeParamHeaders(read.headers, args), {
    "mcp-param-Region": "eu",
    "mcp-param-Count": "9007199254740993",
    "mcp-param-Dry": "false",
  });
});

const FAULTS: [string, Record<string, unknown>, RegExp][] = [
  ["on a number", object({ x: marked("X", "number") }), /wants a string/],
  ["with a name that is no token", object({ x: marked("a b") }), /no header name/],
  ["with an empty name", object({ x: marked("") }), /no header name/],
  ["used twice", object({ x: marked("A"), y: marked("a") }), /used twice/],
  ["inside items", object({ x: { items: marked("X") } }), /not on a plain property/],
  ["inside properties below anyOf", { anyOf: [object({ x: marked("X") })] }, /not on a plain property/],
  ["inside $defs", { $defs: { d: marked("X") } }, /not on a plain property/],
  ["on the schema itself", marked("X"), /not on a plain property/],
];
for (const [where, schema, fault] of FAULTS) {
  Deno.test(`a mark ${where} is a fault`, () => {
    const read = readParamHeaders(schema);
    assert.ok("fault" in read);
    assert.match(read.fault, fault);
  });
}

Deno.test("a mark inside data is no mark", () => {
  assert.deepEqual(readParamHeaders(object({ x: { default: marked("X"), enum: [marked("Y")] } })), {
    headers: [],
  });
});
