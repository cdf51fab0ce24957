import assert from "node:assert/strict";
import fc from "fast-check";
import { McpxError } from "../errors/mod.ts";
import { parse } from "./parse.ts";
import { SAMPLE } from "./sample_manifest_test.ts";

function refused(argv: readonly string[]): McpxError {
  try {
    parse(argv, SAMPLE);
  } catch (error) {
    assert.ok(error instanceof McpxError, String(error));
    assert.equal(error.code, "usage");
    return error;
  }
  throw new Error(`${argv.join(" ")} was accepted`);
}

const words = (argv: readonly string[]): string | undefined => parse(argv, SAMPLE).command?.words.join(" ");

Deno.test("global flags mean the same before, inside and behind the command", () => {
  for (
    const argv of [
      ["--json", "--session", "s", "recipes", "run", "x"],
      ["recipes", "--json", "run", "x", "--session=s"],
      ["recipes", "--session", "s", "run", "--json", "x"],
      ["recipes", "run", "x", "--session", "s", "--json"],
    ]
  ) {
    const { command, globals, values } = parse(argv, SAMPLE);
    assert.equal(command?.words.join(" "), "recipes run", argv.join(" "));
    assert.deepEqual([globals.get("json"), globals.get("session"), values.get("name")], [true, "s", "x"]);
  }
});

Deno.test("a command's own flags are understood before the command too", () => {
  const { command, values } = parse(["-l", "3", "search", "read", "a file"], SAMPLE);
  assert.equal(command?.words[0], "search");
  assert.deepEqual([values.get("limit"), values.get("query")], ["3", "read a file"]);
});

Deno.test("short letters join, and one that takes a value takes the rest", () => {
  const { globals, values } = parse(["search", "-ql5", "x"], SAMPLE);
  assert.deepEqual([globals.get("quiet"), values.get("limit")], [true, "5"]);
});

Deno.test("words behind -- are never flags", () => {
  const { values, globals } = parse(["exec", "--json", "--", "--help"], SAMPLE);
  assert.deepEqual([values.get("code"), globals.get("help"), globals.get("json")], [
    "--help",
    undefined,
    true,
  ]);
});

Deno.test("a lone dash and negative numbers are words", () => {
  assert.equal(parse(["exec", "-"], SAMPLE).values.get("code"), "-");
  assert.equal(parse(["exec", "-1.5"], SAMPLE).values.get("code"), "-1.5");
});

Deno.test("every setting has its flag, with --no- for switches and for enums that can be off", () => {
  const { settings } = parse(
    ["exec", "1", "--exec-timeout", "5s", "--no-diagnose-preflight", "--no-repair-autonomy"],
    SAMPLE,
  );
  assert.deepEqual([...settings], [
    ["exec.timeout", "5s"],
    ["diagnose.preflight", false],
    ["repair.autonomy", "off"],
  ]);
});

Deno.test("several words of a fixed set are said with commas or one by one", () => {
  for (const words of ["--serve-mode=code,passthrough", "--serve-mode code --serve-mode passthrough"]) {
    const { settings } = parse(["ls", ...words.split(" ")], SAMPLE);
    assert.deepEqual(settings.get("serve.mode"), ["code", "passthrough"]);
  }
  assert.throws(() => parse(["ls", "--serve-mode=code,pass"], SAMPLE), {
    message: /"pass" is none of code, full/,
  });
});

Deno.test("flags that contradict one another are refused, whichever comes last", () => {
  for (
    const argv of [
      ["exec", "1", "--dry-run", "--approve"],
      ["exec", "1", "--approve", "-n"],
      ["exec", "1", "--dry-run", "--no-dry-run"],
      ["exec", "1", "--exec-timeout", "5s", "--exec-timeout=6s"],
      ["exec", "1", "--profile", "read", "--profile", "net"],
      ["ls", "--quiet", "--verbose"],
      ["--json", "ls", "--plain"],
      ["--color", "ls", "--no-color"],
      ["--config", "a", "ls", "--config", "b"],
      ["tools", "a", "--namespace", "b"],
    ]
  ) refused(argv);
});

Deno.test("the same switch said twice is no contradiction", () => {
  assert.equal(parse(["ls", "--json", "--json"], SAMPLE).globals.get("json"), true);
});

Deno.test("a misspelt command or flag is answered with the nearest", () => {
  assert.match(refused(["serach", "x"]).message, /nearest is mcpx search/);
  assert.match(refused(["recipes", "rnu", "x"]).message, /nearest is mcpx recipes run/);
  assert.match(refused(["ls", "--jsno"]).message, /nearest is --json/);
  assert.match(refused(["exec", "1", "--exec-timeuot", "5s"]).message, /nearest is --exec-timeout/);
  assert.equal(refused(["exec", "1", "--profile", "reed"]).hint, "--profile read");
});

Deno.test("a value that is missing, not allowed or one too many is refused", () => {
  assert.match(refused(["call"]).message, /<tool> is missing/);
  assert.match(refused(["search", "x", "--limit"]).message, /needs a value/);
  assert.match(refused(["search", "x", "--limit", "--json"]).message, /needs a value/);
  assert.match(refused(["status", "extra"]).message, /takes no "extra"/);
  assert.match(refused(["ls", "--json=maybe"]).message, /true or false/);
  assert.match(refused(["ls", "-z"]).message, /no such flag/);
});

Deno.test("aliases and groups are found, and ls with a word is tools", () => {
  assert.equal(words(["recipe", "run", "x"]), "recipes run");
  const group = parse(["recipes"], SAMPLE);
  assert.deepEqual([group.command, group.words], [undefined, ["recipes"]]);
  assert.equal(words(["ls"]), "ls");
  assert.equal(words(["ls", "demo", "--cached"]), "tools");
});

Deno.test("help is found even where the line is not complete", () => {
  assert.equal(parse(["call", "--help"], SAMPLE).command?.words[0], "call");
  assert.equal(parse(["-h"], SAMPLE).command, undefined);
});

Deno.test("a value given with = is taken as it is, whatever it looks like", () => {
  fc.assert(fc.property(fc.string(), (text) => {
    assert.equal(parse([`--session=${text}`, "ls"], SAMPLE).globals.get("session"), text);
  }));
});

Deno.test("any words behind -- arrive as they are and in order", () => {
  fc.assert(fc.property(fc.array(fc.string(), { minLength: 1 }), (list) => {
    const { values } = parse(["recipes", "run", "--tag=t", "--", "name", ...list], SAMPLE);
    assert.deepEqual(values.get("arguments"), list);
  }));
});

Deno.test("no line makes the parser throw anything but a usage error", () => {
  const token = fc.oneof(
    fc.constantFrom(
      "--",
      "-",
      "--json",
      "call",
      "recipes",
      "run",
      "--no-json",
      "-n",
      "--limit",
      "--=",
      "--no-",
      "-",
    ),
    fc.string(),
  );
  fc.assert(fc.property(fc.array(token), (argv) => {
    try {
      parse(argv, SAMPLE);
    } catch (error) {
      assert.ok(error instanceof McpxError && error.code === "usage", String(error));
    }
  }));
});
