import assert from "node:assert/strict";
import fc from "fast-check";
import { fitsPattern, patternBudget } from "./safe_pattern.ts";

/** Patterns put together from parts, and the texts that they are made for. */
const patterns = fc.letrec<{ node: string }>((tie) => ({
  node: fc.oneof(
    { depthSize: "small", maxDepth: 4 },
    fc.constantFrom(
      "a",
      "b",
      ".",
      "[ab]",
      "[^a]",
      "\\d",
      "\\w",
      "\\b",
      "\\B",
      "^",
      "$",
      "é",
      "\\u{1F600}",
      "-",
      "\\p{L}",
      "[\\]a]",
    ),
    fc.tuple(tie("node"), tie("node")).map(([one, other]) => one + other),
    fc.tuple(tie("node"), tie("node")).map(([one, other]) => `(?:${one}|${other})`),
    fc.tuple(tie("node"), fc.constantFrom("*", "+", "?", "{2}", "{1,3}", "{0,2}", "{2,}", "*?", "+?"))
      .map(([one, times]) => `(${one})${times}`),
  ),
})).node;

Deno.test("a pattern takes what the language's own engine takes", () => {
  const texts = fc.string({ unit: fc.constantFrom("a", "b", "1", "é", "😀", "-", " ", "\n"), maxLength: 8 });
  fc.assert(
    fc.property(patterns, texts, (pattern, text) => {
      // V8 also looks between the two halves of a character, where the language has no place.
      fc.pre(!pattern.includes("\\B") || !text.includes("😀"));
      assert.equal(fitsPattern(pattern, text), new RegExp(pattern, "u").test(text), `${pattern} on ${text}`);
    }),
    { numRuns: 2000 },
  );
});

Deno.test("patterns as servers write them are enforced", () => {
  for (
    const [pattern, fits, fitsNot] of [
      ["^(?:ab)+$", "abab", "123"],
      ["^([0-9]{1,3}\\.){3}[0-9]{1,3}$", "127.0.0.1", "abc"],
      ["^[a-z]+@[a-z]+\\.[a-z]+$", "me@example.org", "me@example"],
      ["^\\d{4}-\\d{2}$", "2026-11", "2026-1"],
      ["^(?<year>\\d{4})(?:-(?<month>0[1-9]|1[0-2]))?$", "2026-12", "2026-13"],
      ["^[\\w-]+(\\.[\\w-]+)*$", "a-b.c", "a..b"],
      ["^\\#[0-9a-f]{6}$", "#00ff00", "00ff00"], // an escape that only the older grammar takes
      ["a{,3}", "a{,3}", "aaa"],
      ["^[^]$", "\n", "ab"],
      ["^.{2}$", "😀é", "é"],
      ["^\\x41\\u0042\\cJ\\0$", "AB\n\0", "AB"],
      ["\\bword\\b", "a word here", "swords"],
      ["", "anything", undefined],
      ["x|^$", "", "y"],
    ] as const
  ) {
    assert.equal(fitsPattern(pattern, fits), true, pattern);
    if (fitsNot !== undefined) assert.equal(fitsPattern(pattern, fitsNot), false, pattern);
  }
});

Deno.test("what is not regular is not decided, and neither is what is no pattern", () => {
  for (
    const pattern of [
      "(a)\\1",
      "(?<x>a)\\k<x>",
      "(?=a)",
      "(?!a)",
      "(?<=a)",
      "(?<!a)",
      "(?i:a)",
      "[",
      "(",
      "a**",
      "\\",
    ]
  ) {
    assert.equal(fitsPattern(pattern, "aa"), undefined, pattern);
  }
});

Deno.test("no pattern and no text takes long", () => {
  const bombs = [
    "^(a+)+$",
    "^((a)+)+$",
    "(a|a)*$",
    "^(a|aa){2,}$",
    "a*a*a*a*a*a*a*a*$",
    "(.*a){25}$",
    "^(([a-z])+.)+[A-Z]([a-z])+$",
    "(x+x+)+y",
    "^(\\s*\\S+\\s*)*!$",
    "((a{0,100}){0,100}){0,100}",
    "(((){1000}){1000}){1000}",
    "(a?){5000}a{5000}",
    "(a{1,1000}){1,1000}",
    "a{4294967296}",
    "^[a-z]{1,9999}$",
    `${"(".repeat(5000)}${")".repeat(5000)}`,
    `${"(a|".repeat(90)}b${")*".repeat(90)}$`,
    "a".repeat(9999),
    "a".repeat(100_000),
  ];
  for (const pattern of bombs) {
    for (const text of [`${"a".repeat(60)}!`, "a".repeat(100_000), "ab".repeat(1_000_000)]) {
      const started = performance.now();
      fitsPattern(pattern, text);
      const took = performance.now() - started;
      assert.ok(took < 2000, `${pattern.slice(0, 40)} took ${took} ms`);
    }
  }
});

Deno.test("many texts share one budget", () => {
  const budget = patternBudget();
  const decided = Array.from({ length: 1000 }, () => fitsPattern("^(a?){50}$", "a".repeat(49), budget));
  assert.equal(decided[0], true);
  assert.equal(decided.at(-1), undefined);
});
