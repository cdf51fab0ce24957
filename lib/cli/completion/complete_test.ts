import assert from "node:assert/strict";
import { run, TestWorld } from "../fake_daemon_test.ts";
import { SAMPLE } from "../sample_manifest_test.ts";
import { candidates } from "./complete.ts";

const nothing = (): Promise<never[]> => Promise.resolve([]);
const values = async (...words: string[]): Promise<string[]> =>
  (await candidates(words, SAMPLE, nothing)).map((one) => one.value);

Deno.test("commands, flags and their values are offered where they may stand", async () => {
  assert.deepEqual(await values("st"), ["status", "stop"]);
  assert.deepEqual(await values("recipes", ""), ["run", "list"]);
  assert.deepEqual(await values("exec", "x", "--dr"), ["--dry-run"]);
  assert.deepEqual(await values("exec", "x", "--profile", ""), ["none", "read", "net"]);
  assert.deepEqual(await values("exec", "x", "--profile=r"), ["--profile=read"]);
  assert.deepEqual(await values("--json", "completion", "z"), ["zsh"]);
  assert.deepEqual(await values("ls", "--exec-t"), ["--exec-timeout"]);
  assert.ok((await values("run", "")).includes(":file"));
  assert.deepEqual(await values("call", "--session", "x", "--", "--he"), []);
});

Deno.test("a daemon that runs is asked for tools and their arguments; none is started", async () => {
  await using world = new TestWorld();
  const complete = async (...words: string[]): Promise<string> => {
    const { status, stdout, stderr } = await run(world, [
      "__complete",
      ...words.slice(0, 1),
      "--",
      ...words.slice(1),
    ]);
    assert.deepEqual([status, stderr], [0, ""]);
    return stdout;
  };
  assert.equal(await complete("fish", "call", ""), "");
  const daemon = world.serve({
    "GET /v1/tools": () =>
      Response.json({ tools: [{ name: "demo.f", description: "Does\nit." }, { name: "other.g" }] }),
    "POST /v1/complete": () => {
      const { of, name, value, context } = JSON.parse(daemon.last.body);
      const values = ["a", "b", `${of}:${name}:${context.arguments.text ?? ""}`];
      return Response.json({ values: values.filter((one) => one.startsWith(value)), source: "cache" });
    },
    "GET /v1/describe": () =>
      Response.json({
        inputSchema: { properties: { mode: { enum: ["a", "b"] }, text: { type: "string" } } },
      }),
  });
  assert.equal(await complete("fish", "call", "d"), "demo.f\tDoes it.\n");
  assert.match(daemon.last.url, /cached=true/);
  assert.equal(await complete("zsh", "call", "demo.f", ""), "mode=\ntext=\n");
  assert.equal(
    await complete("zsh", "call", "demo.f", "text=x", ""),
    "mode=\n",
    "what is given is not offered again",
  );
  assert.equal(await complete("zsh", "call", "demo.f", "mode="), "mode=a\nmode=b\nmode=demo.f:mode:\n");
  assert.equal(await complete("zsh", "call", "demo.f", "text=x", "mode=d"), "mode=demo.f:mode:x\n");
  assert.equal(await complete("bash", "call", "demo.f", "mode", "=", "b"), "b\n");
});

Deno.test("the bash script parses and completes through mcpx", async () => {
  await using world = new TestWorld();
  const { stdout } = await run(world, ["completion", "bash"]);
  const check = `mcpx() { printf "%s\\n" "$*" ":file" $'one\\tnote' "k="; }\n` +
    "COMP_WORDS=(mcpx call x)\nCOMP_CWORD=2\n" +
    "compopt() { :; }\n_mcpx\nprintf '<%s>' \"${COMPREPLY[@]}\"\n";
  const shell = await new Deno.Command("bash", { args: ["-c", stdout + check] }).output();
  assert.equal(new TextDecoder().decode(shell.stdout), "<__complete bash -- call x><one><k=>");
});
