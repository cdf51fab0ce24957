import assert from "node:assert/strict";
import { modernRequest } from "../support/mcp_host.ts";
import { eventually, fixtureServer, realServer, World } from "../support/world.ts";

/** A form in which mcpx is given away. */
export interface Form {
  /** What is started as `mcpx`. */
  program: readonly [string, ...string[]];
  /** Whether the program finds Deno's caches by itself: a packaged one needs none. */
  needsDenoDir?: boolean;
}

/**
 * What every form of mcpx has to do on a machine where nothing of it is: say what it is, start its daemon, call a tool, run and check a
 * script, run a shipped recipe, be an MCP server for a host that was told how to start it, and leave nothing behind.
 */
export async function smoke(form: Form): Promise<void> {
  await using world = await World.open({
    mcpServers: { everything: realServer("@modelcontextprotocol/server-everything") },
  });
  world.program = form.program;
  if (!form.needsDenoDir) delete world.env.DENO_DIR;

  const version = await world.run(["--version"]);
  assert.match(version.stdout, /^mcpx \d+\.\d+\.\d+\n$/, version.stderr);
  assert.match((await world.run(["--help"])).stdout, /Commands:/);
  const wrong = await world.run(["serach", "x"]);
  assert.deepEqual([wrong.code, /mcpx search/.test(wrong.stderr)], [2, true]);

  const list = await world.json(["ls"]);
  assert.equal(list.code, 0);
  const call = await world.run(["call", "everything.get-sum", "a=2", "b=40"]);
  assert.match(call.stdout, /42/, call.stderr);
  const exec = await world.run([
    "exec",
    "const said = await everything.echo({ message: args.word }); return said",
    "word=hi",
  ]);
  assert.match(exec.stdout, /Echo: hi/, exec.stderr);
  const misfit = await world.run(["exec", "--typecheck", "const n: number = 'x'; return n"]);
  assert.match(misfit.stderr, /Type 'string' is not assignable to type 'number'/);
  const escape = await world.run(["exec", "return typeof Deno"]);
  assert.equal(escape.stdout, "undefined\n", escape.stderr);
  const recipe = await world.run(["recipes", "run", "check_connection"]);
  assert.equal(recipe.code, 0, recipe.stderr);

  assert.equal((await world.run(["install", "cursor", "--yes"])).code, 0);
  const file = JSON.parse(await Deno.readTextFile(`${world.env.HOME}/.cursor/mcp.json`));
  const tools = await asHost(world, file.mcpServers.mcpx);
  assert.ok(tools.includes("mcpx_call") && tools.includes("mcpx_exec"), tools.join(", "));

  await world.configure({
    mcpServers: { asker: fixtureServer("asker.mjs") },
    serve: { mode: ["passthrough"] },
  });
  assert.match(await asModernHost(world), /Ada/);

  assert.equal((await world.json(["doctor"])).code, 0);
  assert.equal((await world.run(["stop"])).code, 0);
  await eventually(async () => (await world.processes()).length === 0, "nothing is left running");
}

/** Starts a server as a host does that was told so in its configuration, and gives the names of its tools. */
async function asHost(world: World, entry: { command: string; args: string[] }): Promise<string[]> {
  const { PATH = "", HOME = "", XDG_RUNTIME_DIR = "", DENO_DIR } = world.env;
  await using child = new Deno.Command(entry.command, {
    args: entry.args,
    cwd: world.project,
    clearEnv: true,
    env: { PATH, HOME, XDG_RUNTIME_DIR, ...(DENO_DIR === undefined ? {} : { DENO_DIR }) },
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const writer = child.stdin.getWriter();
  const send = (message: object): Promise<void> =>
    writer.write(new TextEncoder().encode(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`));
  const clientInfo = { name: "host", version: "1" };
  await send({
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo },
  });
  await send({ method: "notifications/initialized" });
  await send({ id: 2, method: "tools/list" });
  let text = "";
  for await (const chunk of child.stdout) {
    text += new TextDecoder().decode(chunk);
    const line = text.split("\n").slice(0, -1).find((one) => JSON.parse(one).id === 2);
    if (line === undefined) continue;
    await writer.close();
    const { result } = JSON.parse(line) as { result: { tools: { name: string }[] } };
    return result.tools.map(({ name }) => name);
  }
  throw new Error(`the server ended before it had listed its tools: ${text}`);
}

/** A host of 2026-07-28 over HTTP: is asked by a server, comes back with the answer, and gives the result as text. */
async function asModernHost(world: World): Promise<string> {
  const send = async (params: string): Promise<string> => {
    const [body, headers] = modernRequest("tools/call", params, { capabilities: '{"elicitation":{}}' });
    const accept = "application/json, text/event-stream";
    return await (await world.http("/mcp", { method: "POST", body, headers: { ...headers, accept } })).text();
  };
  const call = '"name":"asker_ask","arguments":{"message":"Who?"}';
  const asked = await eventually(async () => {
    const text = await send(`{${call}}`);
    return text.includes("input_required") && text;
  }, "the host is asked");
  const { result } = JSON.parse(/\{.*\}/.exec(asked)?.[0] ?? "") as {
    result: { inputRequests: Record<string, unknown>; requestState: string };
  };
  const [key] = Object.keys(result.inputRequests);
  const answer = `"inputResponses":{"${key}":{"action":"accept","content":{"name":"Ada"}}}`;
  return await send(`{${call},${answer},"requestState":${JSON.stringify(result.requestState)}}`);
}
