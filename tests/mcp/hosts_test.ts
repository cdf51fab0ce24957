import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { installHosts } from "../../tools/hosts.ts";
import { EchoModel, modelConfig, Opencode } from "../fixtures/hosts/opencode.ts";
import { realServer, World } from "../support/world.ts";

const CLI = fileURLToPath(new URL("../../cli.ts", import.meta.url));
const SERVE = ["run", "-A", "--quiet", CLI, "serve"];
/** Node without a network: every server says the same on every machine. */
const OFFLINE = "--import=data:text/javascript," + encodeURIComponent(
  `import dns from "node:dns"; dns.lookup = (name, options, done) => (done ?? options)(new Error("no network"));`,
);

function offline(entry: { command: string; args: string[] }): object {
  return { ...entry, args: [OFFLINE, ...entry.args] };
}

/** Servers that speak 2025-11-25, 2024-11-05 and 2026-07-28. */
const CONFIG = {
  mcpServers: {
    everything: realServer("@modelcontextprotocol/server-everything"),
    github: offline(realServer("@modelcontextprotocol/server-github")),
    context7: offline(realServer("@upstash/context7-mcp")),
  },
  serve: { mode: ["passthrough"] },
};

/** A world whose daemon listens on TCP too, and what a host over HTTP needs. */
async function listening(): Promise<{ world: World; url: string; token: string }> {
  const world = await World.open(CONFIG);
  const { stdout } = await world.run(["ls", "--http-listen", "127.0.0.1:0"]);
  for (const row of [/everything .* 2025-11-25/, /github .* 2024-11-05/, /context7 .* 2026-07-28/]) {
    assert.match(stdout, row);
  }
  const { url = "", token = "" } = await world.daemon();
  return { world, url: `${url}/mcp`, token };
}

/** Runs a program in a world to its end, which must be a good one, and gives what it printed. */
async function output(
  world: World,
  [command = "", ...args]: string[],
  env: Record<string, string> = {},
): Promise<string> {
  const { code, stdout, stderr } = await new Deno.Command(command, {
    args,
    env: { ...world.env, ...env },
    cwd: world.project,
    clearEnv: true,
    signal: AbortSignal.timeout(60_000),
  }).output();
  const text = new TextDecoder();
  assert.equal(code, 0, text.decode(stderr) + text.decode(stdout));
  return text.decode(stdout);
}

/** MCP Inspector hands on few variables: these keep its server on the world's daemon. */
function handOn({ env }: World): string[] {
  return ["DENO_DIR", "XDG_RUNTIME_DIR"].flatMap((name) => ["-e", `${name}=${env[name]}`]);
}

Deno.test("the SDKs list, call, render, read, complete and are asked, over stdio and over HTTP", async (t) => {
  const { world, url, token } = await listening();
  await using _ = world;
  const hosts = [
    ["the first generation", "sdk_v1.ts", {}],
    ["the second generation in the legacy era", "sdk_v2.ts", { ERA: "legacy" }],
    ["the second generation in the modern era", "sdk_v2.ts", { ERA: "modern" }],
  ] as const;
  for (const [title, script, env] of hosts) {
    const host = fileURLToPath(new URL(`../fixtures/hosts/${script}`, import.meta.url));
    const run = [Deno.execPath(), "run", "-A", "--quiet", host];
    await t.step(
      `${title} over stdio`,
      () => output(world, [...run, Deno.execPath(), ...SERVE], env).then(() => {}),
    );
    await t.step(
      `${title} over HTTP`,
      () => output(world, run, { ...env, URL: url, TOKEN: token }).then(() => {}),
    );
  }
});

// Inspector's --cli has no method for completion and answers no question; its mcpdo, below, does both.
Deno.test("MCP Inspector's command line lists, calls, renders and reads, in both eras, over stdio and HTTP", async () => {
  const { inspector } = await installHosts();
  const { world, url, token } = await listening();
  await using _ = world;
  const over = {
    stdio: [...handOn(world), Deno.execPath(), ...SERVE],
    http: [url, "--transport", "http", "--header", `Authorization: Bearer ${token}`],
  };
  const inspect = (target: string[], era: string, method: string, ...args: string[]): Promise<string> =>
    output(world, [
      "node",
      inspector,
      ...target,
      "--quiet",
      "--protocol-era",
      era,
      "--method",
      method,
      ...args,
    ]);
  const call = ["tools/call", "--tool-name", "everything_echo", "--tool-arg", "message=inspected"] as const;
  const uri = "mcpx://everything/demo://resource/dynamic/text/7";
  await Promise.all([
    inspect(over.stdio, "legacy", ...call).then((text) => assert.match(text, /Echo: inspected/)),
    inspect(over.stdio, "modern", ...call).then((text) => assert.match(text, /Echo: inspected/)),
    inspect(over.http, "modern", ...call).then((text) => assert.match(text, /Echo: inspected/)),
  ]);
  const get = [
    "prompts/get",
    "--prompt-name",
    "everything_args-prompt",
    "--prompt-args",
    "city=Bern",
  ] as const;
  await Promise.all([
    inspect(over.stdio, "legacy", "tools/list", "--strict").then((text) =>
      assert.match(text, /"github_create_issue"/)
    ),
    inspect(over.http, "legacy", ...get).then((text) => assert.match(text, /weather in Bern/)),
    inspect(over.stdio, "modern", "resources/templates/list").then((text) =>
      assert.match(text, /text\/\{resourceId\}/)
    ),
    inspect(over.http, "modern", "resources/read", "--uri", uri).then((text) =>
      assert.match(text, /Resource 7:/)
    ),
    inspect(over.http, "legacy", "logging/setLevel", "--log-level", "debug").then((text) =>
      assert.match(text, /\{\}/)
    ),
  ]);
});

Deno.test("MCP Inspector's mcpdo keeps connections, over which it completes and answers questions", async (t) => {
  const { mcpdo } = await installHosts();
  const { world, url, token } = await listening();
  await using _ = world;
  const env = { MCP_INSPECTOR_DAEMON_DIR: `${world.root}/run/mcpdo`, MCP_INSPECTOR_DAEMON_TOKEN: token };
  const run = (...args: string[]): Promise<string> =>
    output(world, ["node", mcpdo, "--format", "json", ...args], env);
  const http = ["--transport", "http", "--server-url", url, "--header", `Authorization: Bearer ${token}`];
  const stdio = [...handOn(world), "--", Deno.execPath(), ...SERVE];
  const targets = [["modern", ...stdio], ["legacy", ...http]] as const;
  try {
    for (const [era, ...target] of targets) {
      await t.step(`in the ${era} era over ${era === "modern" ? "stdio" : "HTTP"}`, async () => {
        await run("connect", "--connection", era, "--era", era, ...target);
        const on = (...args: string[]): Promise<string> => run("--connection", era, ...args);
        const ref = ["--complete-ref-type", "ref/prompt", "--complete-ref", "everything_completable-prompt"];
        const argument = ["--complete-arg-name", "department", "--complete-arg-value", "E"];
        assert.match(await on("prompts/complete", ...ref, ...argument), /"Engineering"/);
        const asked = await on("tools/call", "everything_trigger-elicitation-request");
        const [id = ""] = /elicitation-[0-9a-f-]{36}/.exec(asked) ?? [];
        assert.match(await on("elicitation/respond", id, "name:=Ada"), /Name: Ada/);
      });
    }
  } finally {
    await run("daemon", "stop");
  }
});

// opencode has no completion, and cannot be asked: the result tells its model how a question is answered.
Deno.test("opencode lists, has its model call a tool, and puts prompts and resources before it, over stdio and HTTP", async (t) => {
  const { opencode } = await installHosts();
  const { world, url, token } = await listening();
  await using _ = world;
  const local = { type: "local", command: [Deno.execPath(), ...SERVE], enabled: true };
  const remote = {
    type: "remote",
    url,
    headers: { Authorization: `Bearer ${token}` },
    oauth: false,
    enabled: true,
  };
  for (const mcpx of [local, remote]) {
    await t.step(`its ${mcpx.type} server`, async () => {
      await using model = new EchoModel();
      const config = { ...modelConfig(model.url), mcp: { mcpx } };
      await Deno.writeTextFile(`${world.project}/opencode.json`, JSON.stringify(config));
      await using host = await Opencode.start(opencode, { cwd: world.project, env: world.env });
      assert.deepEqual(await host.request("/mcp"), { mcpx: { status: "connected" } });
      const commands = JSON.stringify(await host.request("/command"));
      assert.match(commands, /"mcpx:everything_args-prompt"/);
      assert.match(
        JSON.stringify(await host.request("/experimental/resource")),
        /mcpx:\/\/everything\/demo:/,
      );

      const session = (await host.request("/session", {}) as { id: string }).id;
      const told = (): string => JSON.stringify(model.requests.flatMap(({ messages }) => messages));
      const say = (text: string, ...more: object[]): Promise<unknown> =>
        host.request(`/session/${session}/message`, {
          model: { providerID: "own", modelID: "echo" },
          parts: [{ type: "text", text }, ...more],
        });
      await say("call mcpx_everything_echo with opencode");
      assert.match(told(), /Echo: opencode/);
      await say("call mcpx_everything_trigger-elicitation-request with nothing");
      assert.match(told(), /mcpx elicit answer elc-/);
      await host.request(`/session/${session}/command`, {
        command: "mcpx:everything_args-prompt",
        arguments: "Bern",
        model: "own/echo",
      });
      assert.match(told(), /What's weather in Bern/);
      const uri = "mcpx://everything/demo://resource/dynamic/text/7";
      const source = { type: "resource", clientName: "mcpx", uri, text: { value: "@it", start: 0, end: 3 } };
      await say("read it", { type: "file", mime: "text/plain", url: uri, source });
      assert.match(told(), /Resource 7: This is a plaintext resource/);
    });
  }
});
