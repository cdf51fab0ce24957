import assert from "node:assert/strict";
import fc from "fast-check";
import { LineSplitter } from "./lines.ts";
import { answerLine, parseSandboxLine, ProtocolFault } from "./protocol.ts";

Deno.test("lines come out as they went in, however the bytes are cut", () => {
  const line = fc.string({ unit: "grapheme" }).map((text) => text.replaceAll("\n", ""));
  fc.assert(
    fc.property(fc.array(line), fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }), (lines, cuts) => {
      const bytes = new TextEncoder().encode(lines.map((text) => `${text}\n`).join(""));
      const splitter = new LineSplitter();
      const seen: string[] = [];
      for (let at = 0, i = 0; at < bytes.length; i++) {
        const size = cuts[i % cuts.length] ?? 1;
        seen.push(...splitter.push(bytes.subarray(at, at + size)));
        at += size;
      }
      assert.deepEqual(seen, lines);
      assert.equal(splitter.heldBytes, 0);
    }),
  );
});

Deno.test("any text is a message or a fault, nothing else", () => {
  const kinds = fc.constantFrom("ready", "parsed", "call", "emit", "log", "done", "fail", "ret", "__proto__");
  const message = fc.record({
    t: kinds,
    id: fc.anything(),
    op: fc.anything(),
    name: fc.string(),
    body: fc.string(),
  });
  fc.assert(fc.property(fc.oneof(fc.string(), fc.json(), message.map((value) => safe(value))), (line) => {
    try {
      assert.equal(typeof parseSandboxLine(line).t, "string");
    } catch (error) {
      assert.ok(error instanceof ProtocolFault, String(error));
    }
  }));
});

Deno.test("an answer is one line, whatever white space its JSON has", () => {
  fc.assert(fc.property(fc.jsonValue(), (value) => {
    const line = answerLine(7, JSON.stringify(value, null, 2));
    assert.ok(!line.includes("\n"));
    assert.deepEqual(JSON.parse(line), JSON.parse(JSON.stringify({ t: "ret", id: 7, body: value })));
  }));
});

function safe(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "null";
  } catch {
    return "{}";
  }
}
