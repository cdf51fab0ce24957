import assert from "node:assert/strict";
import { renderAnswer, type RenderOptions } from "./render_answer.ts";
import { inert, painter } from "./style.ts";
import { displayWidth, renderTable } from "./table.ts";

const PLAIN: RenderOptions = { paint: (_tone, text) => text, plain: false, terminal: false };
const show = (hint: string, text: string, options: Partial<RenderOptions> = {}): string =>
  renderAnswer(hint, text, { ...PLAIN, ...options }).stdout;

Deno.test("a text result is printed as text, anything else as JSON with its digits", () => {
  assert.equal(show("result", '{"result":"a\\nb","raw":{}}'), "a\nb\n");
  assert.equal(
    show("result", '{"result":{"id":9007199254740993},"raw":{}}'),
    '{\n  "id": 9007199254740993\n}\n',
  );
  assert.equal(show("result", '{"result":12345678901234567890}'), "12345678901234567890\n");
});

Deno.test("artifacts are printed as path, type and size, and base64 never is", () => {
  const artifact = { artifact: "art-1", name: "x.png", path: "/s/x.png", mimeType: "image/png", bytes: 2048 };
  assert.equal(
    show("result", JSON.stringify({ result: artifact, artifacts: [artifact] })),
    "/s/x.png (image/png, 2.0 KiB)\n",
  );
  assert.equal(
    show(
      "result",
      JSON.stringify({ result: { preview: "begin", bytes: 9, artifact }, artifacts: [artifact] }),
    ),
    "begin\n/s/x.png (image/png, 2.0 KiB)\n",
  );
});

Deno.test("a terminal never gets control characters from a server", () => {
  const text = JSON.stringify({ result: "a\x1b[2Jb\tc\r\nd\u009b" });
  assert.equal(show("result", text, { terminal: true }), "a\\x1b[2Jb\tc\nd\\x9b\n");
  assert.equal(show("result", text), "a\x1b[2Jb\tc\r\nd\u009b\n");
  assert.equal(inert("plain ✓"), "plain ✓");
});

Deno.test("tables are aligned, leave empty columns out and take dotted paths", () => {
  const answer = JSON.stringify({
    servers: [{ namespace: "a", state: "ready", error: { message: "" } }, {
      namespace: "日本",
      state: "error\nx",
    }],
  });
  assert.equal(
    show("table:servers:namespace,state,error.message", answer),
    "NAMESPACE  STATE\na          ready\n日本       error x\n",
  );
  assert.equal(show("table:servers:namespace,state", answer, { plain: true }), "a\tready\n日本\terror x\n");
  assert.equal(show("table:servers:namespace", '{"servers":[]}'), "");
});

Deno.test("one long cell does not push the other rows' columns away", () => {
  const rows = [["x".repeat(60), "1"], ["a", "2"]];
  const [, long, short] = renderTable(["name", "n"], rows, PLAIN).split("\n");
  assert.deepEqual([long, short], ["x".repeat(60) + "  1", "a".padEnd(50) + "2"]);
});

Deno.test("a table on a terminal is cut to its width", () => {
  const table = renderTable(["name", "text"], [["a", "x".repeat(50)]], { ...PLAIN, width: 20 });
  assert.ok(table.split("\n").every((line) => displayWidth(line) <= 20), table);
  assert.match(table, /…/);
});

Deno.test("notes, problems and findings go beside the answer, not into it", () => {
  const { stdout, notes } = renderAnswer(
    "text:types",
    JSON.stringify({
      types: "declare const a: 1;",
      problems: [{ server: "s", message: "is down", hint: "mcpx status" }],
    }),
    PLAIN,
  );
  assert.equal(stdout, "declare const a: 1;\n");
  assert.deepEqual(notes, ["s: is down (mcpx status)"]);
});

Deno.test("prompts, resources, fields and unknown shapes are readable", () => {
  assert.equal(
    show("messages", '{"messages":[{"role":"user","content":{"type":"text","text":"hi"}}]}'),
    "user: hi\n",
  );
  assert.equal(show("contents", '{"contents":[{"uri":"x:y","text":"body"}]}'), "body\n");
  assert.equal(show("fields", '{"pid":1,"version":"2"}'), "pid      1\nversion  2\n");
  assert.equal(
    show("auto", '{"pid":1,"instances":[{"server":"a","calls":2}],"failures":[]}'),
    "pid  1\n\ninstances\nSERVER  CALLS\na       2\n",
  );
});

Deno.test("colour follows the flag, then NO_COLOR, FORCE_COLOR, TERM and the terminal", () => {
  const colored = (env: Record<string, string>, terminal: boolean, flag?: boolean): boolean =>
    painter(
      { env: (name) => env[name], isTerminal: { stdin: terminal, stdout: terminal, stderr: terminal } },
      "stdout",
      flag,
    )("red", "x") !== "x";
  assert.equal(colored({}, true), true);
  assert.equal(colored({}, false), false);
  assert.equal(colored({ NO_COLOR: "1" }, true), false);
  assert.equal(colored({ NO_COLOR: "" }, true), true);
  assert.equal(colored({ TERM: "dumb" }, true), false);
  assert.equal(colored({ FORCE_COLOR: "1" }, false), true);
  assert.equal(colored({ NO_COLOR: "1" }, false, true), true);
  assert.equal(colored({ FORCE_COLOR: "1" }, true, false), false);
});
