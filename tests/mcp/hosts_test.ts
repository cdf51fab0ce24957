import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { installHosts } from "../../tools/hosts.ts";
import { realServer, World } from "../support/world.ts";

const CLI = fileURLToPath(new URL("../../cli.ts", import.meta.url));
const SERVE = ["run", "-A", "--quiet", CLI, "serve", "--serve-mode", "passthrough"];
const CONFIG = { mcpServers: { everything: realServer("@modelcontextprotocol/server-everything") } };
/** Runs a host of the fixtures against `mcpx serve`. */
async function drive(script: string, env: Record<string, string> = {}): Promise<void> {
  await using world = await World.open(CONFIG);
  const host = fileURLToPath(new URL(`../fixtures/hosts/${script}`, import.meta.url));
  const { code, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--quiet", host, Deno.execPath(), ...SERVE],
    env: { ...world.env, ...env },
    cwd: world.project,
    clearEnv: true,
  }).output();
  assert.equal(code, 0, new TextDecoder().decode(stderr));
}

Deno.test("the SDK's first generation lists, calls, renders, reads, completes and is asked through mcpx serve", () =>
  drive("sdk_v1.ts"));

for (const era of ["legacy", "modern"]) {
  Deno.test(`the SDK's second generation does so in the ${era} era`, () => drive("sdk_v2.ts", { ERA: era }));
}

Deno.test("MCP Inspector's command line lists, calls, renders and reads under Node", async () => {
  const { inspector } = await installHosts();
  await using world = await World.open(CONFIG);
  const inspect = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await new Deno.Command("node", {
      args: [inspector, "--cli", Deno.execPath(), ...SERVE, ...args],
      env: world.env,
      cwd: world.project,
      clearEnv: true,
    }).output();
    assert.equal(code, 0, new TextDecoder().decode(stderr));
    return new TextDecoder().decode(stdout);
  };
  assert.match(await inspect("--method", "tools/list"), /"name": "everything_echo"/);
  const call = [
    "--method",
    "tools/call",
    "--tool-name",
    "everything_echo",
    "--tool-arg",
    "message=inspected",
  ];
  assert.match(await inspect(...call), /Echo: inspected/);
  const get = [
    "--method",
    "prompts/get",
    "--prompt-name",
    "everything_args-prompt",
    "--prompt-args",
    "city=Bern",
  ];
  assert.match(await inspect(...get), /Bern/);
  assert.match(await inspect("--method", "resources/list"), /"uri": "mcpx:\/\/everything\//);
});

Deno.test("opencode connects to mcpx serve", async () => {
  const { opencode } = await installHosts();
  await using world = await World.open(CONFIG);
  const config = {
    $schema: "https://opencode.ai/config.json",
    mcp: { mcpx: { type: "local", command: [Deno.execPath(), ...SERVE], enabled: true } },
  };
  await Deno.writeTextFile(`${world.project}/opencode.json`, JSON.stringify(config));
  const { stdout, stderr } = await new Deno.Command(opencode, {
    args: ["mcp", "list"],
    env: world.env,
    cwd: world.project,
    clearEnv: true,
  }).output();
  const text = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
  // deno-lint-ignore no-control-regex -- it colours its output whatever it is told
  assert.match(text.replace(/\x1b\[[\d;]*m/g, ""), /mcpx connected/);
});
