import assert from "node:assert/strict";
import { McpxError } from "../errors/mod.ts";
import { buildRequest, type BuiltRequest } from "./build_request.ts";
import { isLocal } from "./commands.ts";
import { parse } from "./parse.ts";
import { TextSource } from "./read_text.ts";
import { SAMPLE } from "./sample_manifest_test.ts";

const folder = Deno.makeTempDirSync({ prefix: "mcpx-cli-" });
globalThis.addEventListener("unload", () => Deno.removeSync(folder, { recursive: true }));

function build(argv: readonly string[], stdin: string | Uint8Array = ""): Promise<BuiltRequest> {
  const { command, values } = parse(argv, SAMPLE);
  assert.ok(command && !isLocal(command));
  const bytes = typeof stdin === "string" ? new TextEncoder().encode(stdin) : stdin;
  return buildRequest(
    command,
    values,
    new TextSource({ cwd: folder, readStdin: () => Promise.resolve(bytes) }),
  );
}

async function bodyOf(argv: readonly string[], stdin?: string | Uint8Array): Promise<string | undefined> {
  return (await build(argv, stdin)).body;
}

async function refused(argv: readonly string[], stdin?: string | Uint8Array): Promise<McpxError> {
  try {
    await build(argv, stdin);
  } catch (error) {
    assert.ok(error instanceof McpxError, String(error));
    assert.equal(error.code, "usage");
    return error;
  }
  throw new Error(`${argv.join(" ")} was accepted`);
}

function utf16(text: string, bigEndian: boolean): Uint8Array {
  const view = new DataView(new ArrayBuffer(2 + text.length * 2));
  view.setUint16(0, 0xfeff, !bigEndian);
  for (let i = 0; i < text.length; i++) view.setUint16(2 + 2 * i, text.charCodeAt(i), !bigEndian);
  return new Uint8Array(view.buffer);
}

Deno.test("a JSON object goes out digit for digit", async () => {
  const json = '{"id": 9007199254740993, "x": 1.10}';
  assert.equal(await bodyOf(["call", "demo.f", json]), `{"tool":"demo.f","arguments":${json}}`);
  assert.equal(await bodyOf(["call", "demo.f", "-"], json), `{"tool":"demo.f","arguments":${json}}`);
  assert.equal(await bodyOf(["call", "demo.f", "--args", json]), `{"tool":"demo.f","arguments":${json}}`);
  assert.equal(
    await bodyOf(["call", "demo.f", "--args", "-"], json),
    `{"tool":"demo.f","arguments":${json}}`,
  );
});

Deno.test("key=value words go out as text, whatever they look like", async () => {
  const body = await bodyOf(["call", "demo.f", "pin=000123", "n=null", "e=1e3", "eq=a=b", "empty="]);
  assert.equal(
    body,
    '{"tool":"demo.f","textArguments":[["pin","000123"],["n","null"],["e","1e3"],["eq","a=b"],["empty",""]]}',
  );
});

Deno.test("files are read by --args and by key=@file, with a byte order mark or in UTF-16 too", async () => {
  const json = '{"word":"zürich 🧳"}';
  Deno.writeTextFileSync(`${folder}/plain.json`, json);
  Deno.writeTextFileSync(`${folder}/bom.json`, "\ufeff" + json);
  Deno.writeFileSync(`${folder}/le.json`, utf16(json, false));
  Deno.writeFileSync(`${folder}/be.json`, utf16(json, true));
  for (const name of ["plain.json", "@bom.json", "le.json", `${folder}/be.json`]) {
    assert.equal(
      await bodyOf(["call", "demo.f", "--args", name]),
      `{"tool":"demo.f","arguments":${json}}`,
      name,
    );
  }
  assert.equal(
    await bodyOf(["call", "demo.f", "-"], utf16(json, false)),
    `{"tool":"demo.f","arguments":${json}}`,
  );
  Deno.writeTextFileSync(`${folder}/text.txt`, "two\nlines\n");
  assert.equal(
    await bodyOf(["call", "demo.f", "text=@text.txt"]),
    '{"tool":"demo.f","textArguments":[["text","two\\nlines\\n"]]}',
  );
});

Deno.test("arguments that are neither are refused with what is wrong", async () => {
  assert.match((await refused(["call", "demo.f", "word"])).message, /not key=value/);
  assert.match((await refused(["call", "demo.f", "{bad}"])).message, /not JSON/);
  assert.match((await refused(["call", "demo.f", "-"], "[1]")).message, /this is a list/);
  assert.match((await refused(["call", "demo.f", "{}", "a=1"])).message, /not both/);
  assert.match((await refused(["call", "demo.f", "--args", "{}", "a=1"])).message, /together/);
  assert.match((await refused(["call", "demo.f", "--args", "missing.json"])).message, /no such file/);
  assert.match((await refused(["call", "demo.f", "a=@-", "b=@-"])).message, /twice/);
  assert.match((await refused(["exec", "-", "-"], "{}")).message, /twice/);
  assert.equal((await refused(["call", "demo.f", "to=@bob"])).hint, `For the text itself: '{"to":"@bob"}'`);
  assert.match((await refused(["call", "demo.f", "-"], new Uint8Array([0x80, 0x81]))).message, /not UTF-8/);
});

Deno.test("a script by name stays a name; a path or standard input is read", async () => {
  Deno.writeTextFileSync(`${folder}/job.ts`, "return 1");
  assert.equal(await bodyOf(["run", "job", "a=1"]), '{"script":"job","textArguments":[["a","1"]]}');
  assert.equal(await bodyOf(["run", "job.ts"]), '{"code":"return 1","filename":"job.ts"}');
  assert.equal(
    await bodyOf(["run", `${folder}/job.ts`]),
    JSON.stringify({ code: "return 1", filename: `${folder}/job.ts` }),
  );
  assert.equal(await bodyOf(["run", "-"], "return 2"), '{"code":"return 2"}');
  assert.equal(await bodyOf(["exec", "-", "--dry-run"], "return 3"), '{"code":"return 3","dryRun":true}');
  assert.equal(
    await bodyOf(["exec", "1", "--args", '{"n":12345678901234567890}']),
    '{"code":"1","args":{"n":12345678901234567890}}',
  );
});

Deno.test("values stand in the route, the query and the body by their kind", async () => {
  assert.deepEqual(await build(["search", "read", "a", "file&more", "-l", "3"]), {
    method: "GET",
    path: "/v1/search?query=read%20a%20file%26more&limit=3",
  });
  assert.deepEqual(
    await build(["recipes", "run", "a/b", "--tag", "x", "--tag", "y", "--options", '{"a":1.0}']),
    {
      method: "POST",
      path: "/v1/recipes/a%2Fb/run",
      body: '{"tag":["x","y"],"options":{"a":1.0}}',
    },
  );
  assert.match((await refused(["search", "x", "--limit", "many"])).message, /not a whole number/);
  assert.match((await refused(["recipes", "run", "x", "--options", "{"])).message, /not JSON/);
});

Deno.test("a name that would lead to another route is refused", async () => {
  for (const name of ["", ".", ".."]) {
    assert.match((await refused(["recipes", "run", name])).message, /as <name>: it names nothing\./);
  }
  assert.equal((await build(["recipes", "run", "../x"])).path, "/v1/recipes/..%2Fx/run");
  assert.equal((await build(["recipes", "run", "..."])).path, "/v1/recipes/.../run");
});
