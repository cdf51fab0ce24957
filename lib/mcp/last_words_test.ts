import assert from "node:assert/strict";
import { lastWords } from "./last_words.ts";

Deno.test("the reason is found in what a runtime prints around it", () => {
  const node = [
    "node:internal/modules/cjs/loader:1210",
    "  throw err;",
    "  ^",
    "",
    "Error: Cannot find module '/srv/index.js'",
    "    at Module._resolveFilename (node:internal/modules/cjs/loader:1207:15)",
    "  code: 'MODULE_NOT_FOUND',",
    "}",
    "",
    "Node.js v20.20.2",
    "",
  ].join("\n");
  assert.equal(lastWords(node), "Error: Cannot find module '/srv/index.js'");
  const python =
    "Traceback (most recent call last):\n  File \"x.py\", line 1, in <module>\nModuleNotFoundError: No module named 'mcp'\n";
  assert.equal(lastWords(python), "ModuleNotFoundError: No module named 'mcp'");
  assert.equal(
    lastWords("error: Cannot serve: it is mcpx itself.\nhint: Take it out.\n"),
    "error: Cannot serve: it is mcpx itself.",
  );
});

Deno.test("without a complaint the last line stands, and silence stays silent", () => {
  assert.equal(lastWords("starting\nbye\n"), "bye");
  assert.equal(lastWords(" \n\n"), "");
  assert.equal(lastWords("x".repeat(1000)).length, 300);
});
