import assert from "node:assert/strict";
import fc from "fast-check";
import { stem } from "./stem.ts";
import { tokenise } from "./tokenise.ts";

Deno.test("words are split at case changes, digits and every separator, with the joined word behind", () => {
  const rows: [string, string][] = [
    ["getUserName", "get user name getusername"],
    ["get_user-name.v2", "get user name v 2 v2"],
    ["HTTPServer", "http server httpserver"],
    ["parseJSON5Text", "parse json 5 text parsejson5text"],
    ["base64", "base 64 base64"],
    ["don't", "dont"],
    ["folder’s", "folders"],
    ["", ""],
    ["-- __ ..", ""],
  ];
  for (const [text, words] of rows) assert.equal(tokenise(text).join(" "), words, text);
});

Deno.test("accents fold, other alphabets stay words, and scripts without spaces become pairs", () => {
  assert.deepEqual(tokenise("Café ﬁle"), ["cafe", "file"]);
  assert.deepEqual(tokenise("Погода сегодня"), ["погода", "сегодня"]);
  assert.deepEqual(tokenise("हिन्दी"), ["हिन्दी"]);
  assert.deepEqual(tokenise("天气"), ["天气"]);
  assert.deepEqual(tokenise("水"), ["水"]);
  assert.deepEqual(tokenise("查询API天气预报"), ["查询", "api", "天气", "气预", "预报"]);
  assert.deepEqual(tokenise("날씨 예보"), ["날씨", "예보"]);
});

Deno.test("any text tokenises, into lower-case words without separators", () => {
  fc.assert(fc.property(fc.string({ unit: "binary", maxLength: 200 }), (text) => {
    for (const word of tokenise(text)) {
      assert.ok(word.length > 0);
      assert.ok(!/[\s_\-.]/.test(word));
      assert.equal(typeof stem(word), "string");
    }
  }));
});

Deno.test("a name written in any style gives the same parts", () => {
  const word = fc.stringMatching(/^[a-z]{2,8}$/);
  fc.assert(fc.property(fc.array(word, { minLength: 2, maxLength: 4 }), (words) => {
    const camel = words.map((part, at) => at === 0 ? part : (part[0] ?? "").toUpperCase() + part.slice(1))
      .join("");
    for (const style of [words.join("_"), words.join("-"), words.join(" "), camel]) {
      assert.deepEqual(tokenise(style).slice(0, words.length), words);
    }
  }));
});

Deno.test("forms of a word share a stem", () => {
  const families = [
    "create creates created creating creation",
    "delete deletes deleted deleting deletion",
    "directory directories",
    "copy copies copied copying",
    "search searches searched searching searcher",
    "get gets getting",
    "file files",
    "box boxes",
    "process processes processing processed",
    "relation relations relationship relationships",
    "translate translates translation translator",
    "modify modified modifies modification",
    "quick quickly",
    "split splits splitting",
  ];
  for (const family of families) {
    const stems = new Set(family.split(" ").map(stem));
    assert.equal(stems.size, 1, `${family}: ${[...stems].join(" ")}`);
  }
  assert.equal(new Set(["status", "state", "number", "order", "user", "feed", "string"].map(stem)).size, 7);
  assert.equal(stem("css"), "css");
  assert.equal(stem("status"), "status");
});
