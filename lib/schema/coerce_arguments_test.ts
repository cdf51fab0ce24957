import assert from "node:assert/strict";
import fc from "fast-check";
import { McpxError } from "../errors/mod.ts";
import { coerceArguments } from "./coerce_arguments.ts";

type Pairs = [string, string][];

function pairsOf(words: string[]): Pairs {
  return words.map((word) => {
    const at = word.indexOf("=");
    return [word.slice(0, at), word.slice(at + 1)];
  });
}

/** The arguments as JSON, where digits can be seen. */
function coerced(properties: Record<string, unknown>, ...words: string[]): string {
  return JSON.stringify(coerceArguments({ type: "object", properties }, pairsOf(words)));
}

function refused(schema: unknown, ...words: string[]): McpxError {
  try {
    coerceArguments(schema, pairsOf(words));
  } catch (error) {
    assert.ok(error instanceof McpxError);
    assert.equal(error.code, "invalid-input");
    return error;
  }
  throw new Error("nothing was thrown");
}

Deno.test("a string parameter keeps what was typed", () => {
  for (const text of ["000123", "null", "true", "1e3", "9007199254740993", '{"a":1}', "", " x ", "a=b"]) {
    assert.equal(coerced({ p: { type: "string" } }, `p=${text}`), JSON.stringify({ p: text }));
  }
  fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => {
    assert.deepEqual(coerceArguments({ properties: { p: { type: "string" } } }, [["p", text]]), { p: text });
  }));
});

Deno.test("numbers are read, and keep their digits beyond 2^53", () => {
  assert.equal(coerced({ p: { type: "integer" } }, "p=5"), '{"p":5}');
  assert.equal(coerced({ p: { type: "integer" } }, "p=9007199254740993"), '{"p":9007199254740993}');
  assert.equal(coerced({ p: { type: "integer" } }, "p=-007"), '{"p":-7}');
  assert.equal(coerced({ p: { type: "integer" } }, "p=1e3"), '{"p":1000}');
  assert.equal(coerced({ p: { type: "number" } }, "p=-2.50"), '{"p":-2.5}');
  assert.equal(
    coerced({ p: { type: "number" } }, "p=0.12345678901234567890123"),
    '{"p":0.12345678901234567890123}',
  );
});

Deno.test("booleans, null, lists and objects are read as JSON", () => {
  assert.equal(coerced({ p: { type: "boolean" } }, "p=false"), '{"p":false}');
  assert.equal(coerced({ p: { type: ["null", "string"] } }, "p=null"), '{"p":null}');
  assert.equal(coerced({ p: { type: "integer", nullable: true } }, "p=null"), '{"p":null}');
  assert.equal(coerced({ p: { type: "array", items: { type: "integer" } } }, "p=[1,2]"), '{"p":[1,2]}');
  assert.equal(
    coerced({ p: { type: "object" } }, 'p={"id":9007199254740993}'),
    '{"p":{"id":9007199254740993}}',
  );
});

Deno.test("a repeated key makes a list where the schema has one", () => {
  const list = { p: { type: "array", items: { type: "string" } } };
  assert.equal(coerced(list, "p=1", "p=2"), '{"p":["1","2"]}');
  assert.equal(coerced(list, "p=a"), '{"p":["a"]}');
  assert.equal(coerced({ p: { type: "array", items: { type: "integer" } } }, "p=1", "p=2"), '{"p":[1,2]}');
  assert.equal(coerced({}, "p=1", "p=x"), '{"p":[1,"x"]}');
  assert.match(
    refused({ properties: { p: { type: "string" } } }, "p=a", "p=b").message,
    /p=a p=b: .*2 times.*one value/,
  );
});

Deno.test("unions are tried in the order declared, and a list of one last", () => {
  assert.equal(coerced({ p: { anyOf: [{ type: "integer" }, { type: "string" }] } }, "p=5"), '{"p":5}');
  assert.equal(coerced({ p: { anyOf: [{ type: "integer" }, { type: "string" }] } }, "p=x5"), '{"p":"x5"}');
  assert.equal(coerced({ p: { type: ["string", "null"] } }, "p=null"), '{"p":"null"}');
  assert.equal(coerced({ p: { type: ["array", "string"] } }, "p=a"), '{"p":"a"}');
  assert.equal(coerced({ p: { type: ["array", "string"] } }, 'p=["a"]'), '{"p":["a"]}');
});

Deno.test("an enum takes its values, and leaves others to the server", () => {
  assert.equal(coerced({ p: { enum: [1, "2", null] } }, "p=1"), '{"p":1}');
  assert.equal(coerced({ p: { enum: [1, "2", null] } }, "p=2"), '{"p":"2"}');
  assert.equal(coerced({ p: { enum: [1, "2", null] } }, "p=null"), '{"p":null}');
  assert.equal(coerced({ p: { type: "string", enum: ["a"] } }, "p=b"), '{"p":"b"}');
  assert.equal(coerced({ p: { const: "1" } }, "p=1"), '{"p":"1"}');
});

Deno.test("without a schema for the key, JSON is JSON and the rest is a string", () => {
  assert.equal(
    coerced({}, "a=1", "b=x", 'c={"d":[true]}', "e=000123", "f=null"),
    '{"a":1,"b":"x","c":{"d":[true]},"e":"000123","f":null}',
  );
  assert.equal(JSON.stringify(coerceArguments(undefined, [["a", "1"]])), '{"a":1}');
  const open = { additionalProperties: { type: "string" } };
  assert.equal(JSON.stringify(coerceArguments(open, [["a", "1"]])), '{"a":"1"}');
});

Deno.test("a dot leads inside, unless a property is called so", () => {
  const inner = { a: { type: "object", properties: { b: { type: "string" }, "c.d": { type: "string" } } } };
  assert.equal(coerced(inner, "a.b=1", "a.c.d=2", "a.e=3"), '{"a":{"b":"1","c.d":"2","e":3}}');
  assert.equal(coerced({ "a.b": { type: "string" } }, "a.b=1"), '{"a.b":"1"}');
  assert.equal(
    coerced({}, "a.b.c=1", ".x=1", "y.=2", "z..w=3"),
    '{"a":{"b":{"c":1}},".x":1,"y.":2,"z..w":3}',
  );
  assert.match(refused(true, "a=1", "a.b=2").message, /Cannot set a\.b: a was given/);
});

Deno.test("properties are found through references and alternatives", () => {
  const schema = {
    $ref: "#/$defs/Base",
    anyOf: [{ properties: { b: { $ref: "#/$defs/S" } } }],
    $defs: { Base: { allOf: [{ properties: { a: { $ref: "#/$defs/S" } } }] }, S: { type: "string" } },
  };
  assert.equal(JSON.stringify(coerceArguments(schema, [["a", "1"], ["b", "2"]])), '{"a":"1","b":"2"}');
});

Deno.test("text that fits no type is refused, naming the key and what it takes", () => {
  const error = refused({ properties: { count: { type: "integer" } } }, "count=many");
  assert.equal(error.message, "Cannot use count=many: it takes an integer.");
  assert.equal(error.hint, "Write it as count=0, for example.");
  assert.match(refused({ properties: { p: { type: "boolean" } } }, "p=yes").message, /true or false/);
  assert.match(refused({ properties: { p: { type: "object" } } }, "p=[1]").message, /a JSON object/);
  assert.match(
    refused({ properties: { p: { type: ["integer", "null"] } } }, "p=1.5").message,
    /an integer or null/,
  );
  assert.match(
    refused({ properties: { p: { type: "array", items: { type: "integer" } } } }, "p=x").message,
    /a JSON list/,
  );
});

Deno.test("a key called __proto__ is a key like any other", () => {
  assert.equal(
    coerced({}, "__proto__=1", "__proto__x.__proto__=2"),
    '{"__proto__":1,"__proto__x":{"__proto__":2}}',
  );
  assert.equal(coerced({}, "__proto__.polluted=1"), '{"__proto__":{"polluted":1}}');
  assert.equal(Object.hasOwn(Object.prototype, "polluted"), false);
});

Deno.test("whatever the schema, a text is read or refused by name", () => {
  fc.assert(fc.property(fc.jsonValue(), fc.string(), fc.string(), (schema, key, text) => {
    try {
      coerceArguments({ properties: { [key]: schema }, anyOf: schema }, [[key, text]]);
    } catch (error) {
      assert.ok(error instanceof McpxError && error.message.includes(key));
    }
  }));
});
