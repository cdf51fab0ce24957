import assert from "node:assert/strict";
import fc from "fast-check";
import { McpxError } from "../errors/mod.ts";
import { compileToolFilter, toolVisible } from "./filter.ts";

function visible(include: string[] | undefined, exclude: string[], name: string): boolean {
  return toolVisible({ ...(include ? { include: [include] } : {}), exclude }, name, name.replace(/\W/g, "_"));
}

Deno.test("without patterns every tool is visible, with an empty allowlist none", () => {
  assert.ok(visible(undefined, [], "any"));
  assert.ok(!visible([], [], "any"));
});

Deno.test("exact names, globs and regular expressions fit the wire name or the identifier", () => {
  const rows: [string, string, boolean][] = [
    ["get-user", "get-user", true],
    ["get_user", "get-user", true],
    ["get", "get-user", false],
    ["get_*", "get_user", true],
    ["get-*", "get-user", true],
    ["*user", "get-user", true],
    ["*", "anything", true],
    ["get?user", "get-user", true],
    ["get??user", "get-user", false],
    ["*a*b*", "xaxbx", true],
    ["*a*b", "xaxbx", false],
    ["/^get/", "get-user", true],
    ["/USER$/i", "get-user", true],
    ["/USER$/", "get-user", false],
    ["/user/g", "get-user", true],
    ["get.user", "get-user", false],
    ["[a-z]*", "get", false],
  ];
  for (const [pattern, name, fits] of rows) {
    assert.equal(visible([pattern], [], name), fits, `include ${pattern} ${name}`);
    assert.equal(visible(undefined, [pattern], name), !fits, `exclude ${pattern} ${name}`);
  }
});

Deno.test("exclusion wins, and a compiled filter answers the same every time", () => {
  const test = compileToolFilter({ include: [["*"]], exclude: ["/delete/g"] });
  for (let round = 0; round < 4; round++) {
    assert.equal(test("delete-all", "other"), false);
  }
  assert.equal(test("read", "read"), true);
});

Deno.test("a regular expression that is none is refused by name", () => {
  for (const pattern of ["/(/", "/a/xyz", "/unclosed", "/[/"]) {
    assert.throws(
      () => visible(undefined, [pattern], "a"),
      (error) =>
        error instanceof McpxError && error.code === "server-config" && error.message.includes(pattern),
    );
  }
});

Deno.test("a name too long for a regular expression stays hidden, whichever list names it", () => {
  const name = `${"a".repeat(600)}!`;
  assert.ok(!visible(undefined, ["/^(a+)+$/"], name));
  assert.ok(!visible(["/./"], [], name));
});

Deno.test("a glob of many stars takes no time on a long name", () => {
  assert.ok(!visible(["*a".repeat(200) + "b"], [], "a".repeat(20_000)));
});

Deno.test("globs fit what the regular expression written for them fits", () => {
  const text = fc.stringMatching(/^[ab.]{0,8}$/);
  fc.assert(
    fc.property(fc.stringMatching(/^[ab.*?]{1,6}$/), text, (glob, name) => {
      const source = glob.replaceAll(".", "\\.").replaceAll("*", ".*").replaceAll("?", ".");
      const expected = new RegExp(`^${source}$`, "s").test(name);
      assert.equal(toolVisible({ include: [[glob]], exclude: [] }, name, name), expected);
    }),
    { numRuns: 1000 },
  );
});
