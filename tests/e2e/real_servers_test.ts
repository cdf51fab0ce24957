import assert from "node:assert/strict";
import { join } from "node:path";
import { eventually, realServer, World } from "../support/world.ts";

/** Six real servers, the oldest era and the newest among them. */
function sixServers(world: string): object {
  return {
    mcpServers: {
      everything: realServer("@modelcontextprotocol/server-everything"),
      filesystem: realServer("@modelcontextprotocol/server-filesystem", world),
      memory: {
        ...realServer("@modelcontextprotocol/server-memory"),
        env: { MEMORY_FILE_PATH: join(world, "graph.jsonl") },
      },
      "sequential-thinking": realServer("@modelcontextprotocol/server-sequential-thinking"),
      github: {
        ...realServer("@modelcontextprotocol/server-github"),
        env: { GITHUB_PERSONAL_ACCESS_TOKEN: "none" },
      },
      context7: realServer("@upstash/context7-mcp"),
    },
  };
}

Deno.test("six real servers are listed, searched, typed, called, scripted over, shown and stopped", async (t) => {
  await using world = await World.open({});
  await world.configure(sixServers(world.project));

  await t.step("ls reads each once and shows its protocol", async () => {
    const { code, value } = await world.json(["ls"]);
    assert.equal(code, 0);
    const lines = value.servers as {
      namespace: string;
      tools: number;
      protocolVersion: string;
      error?: unknown;
    }[];
    const byName = new Map(lines.map((line) => [line.namespace, line]));
    assert.deepEqual([...byName.keys()].sort(), [
      "context7",
      "everything",
      "filesystem",
      "github",
      "memory",
      "sequential_thinking",
    ]);
    assert.equal(byName.get("github")?.protocolVersion, "2024-11-05");
    assert.equal(byName.get("context7")?.protocolVersion, "2026-07-28");
    assert.equal(byName.get("github")?.tools, 26);
    assert.ok(lines.every(({ error }) => error === undefined));
  });

  await t.step("search finds by what a tool does", async () => {
    const { value } = await world.json(["search", "create", "a", "pull", "request"]);
    assert.equal((value.tools as { name: string }[])[0]?.name, "github.create_pull_request");
  });

  await t.step("the types of all of them pass deno check", async () => {
    const { stdout } = await world.run(["types"]);
    const file = join(world.root, "tools.d.ts");
    await Deno.writeTextFile(file, stdout);
    const check = await new Deno.Command(Deno.execPath(), {
      args: ["check", "--no-config", "--no-lock", file],
      env: { NO_COLOR: "1" },
    }).output();
    assert.equal(check.code, 0, new TextDecoder().decode(check.stderr));
  });

  await t.step("call takes key=value, JSON and standard input alike", async () => {
    for (
      const [words, stdin] of [
        [["call", "everything.echo", "message=hi"], undefined],
        [["call", "everything.echo", '{"message":"hi"}'], undefined],
        [["call", "everything.echo", "-"], '\ufeff{"message":"hi"}'],
        [["call", "everything.echo", "--args", "-"], '{"message":"hi"}'],
      ] as const
    ) {
      const { code, stdout } = await world.run(words, stdin === undefined ? {} : { stdin });
      assert.equal(stdout, "Echo: hi\n", words.join(" "));
      assert.equal(code, 0);
    }
  });

  await t.step("POST /v1/call and /v1/call/{ns}/{fn} answer the same", async () => {
    const whole = await world.http("/v1/call", {
      method: "POST",
      body: '{"tool":"everything.get-sum","arguments":{"a":2,"b":40}}',
    });
    const direct = await world.http("/v1/call/everything/get-sum", {
      method: "POST",
      body: '{"a":2,"b":40}',
    });
    const bodies = [await whole.json(), await direct.json()];
    assert.deepEqual(bodies[0], bodies[1]);
    assert.match(bodies[0].result, /42/);
  });

  await t.step("an image becomes an artifact and no base64 is printed", async () => {
    const { code, value } = await world.json(["call", "everything.get-tiny-image"]);
    assert.equal(code, 0);
    const [artifact] = value.artifacts as { path: string; mimeType: string; bytes: number }[];
    assert.equal(artifact?.mimeType, "image/png");
    assert.equal((await Deno.stat(artifact?.path ?? "")).size, artifact?.bytes);
    assert.ok(!JSON.stringify(value).includes("iVBORw0KGgo"));
  });

  await t.step("exec and run call tools of several servers", async () => {
    await Deno.writeTextFile(join(world.project, "note.txt"), "a note");
    const exec = await world.json([
      "exec",
      'const [a, b] = await Promise.all([everything.echo({ message: "x" }), memory.read_graph()]); return [a, b.entities.length]',
    ]);
    assert.deepEqual(exec.value.result, ["Echo: x", 0]);
    const run = await world.json(["run", "remember_folder", `folder=${world.project}`]);
    assert.equal((run.value.result as { remembered: number }).remembered, 1);
  });

  await t.step("prompts and resources are listed, rendered and read", async () => {
    const prompts = await world.json(["prompts", "list", "everything"]);
    assert.ok(
      (prompts.value.prompts as { name: string }[]).some(({ name }) => name === "everything.args-prompt"),
    );
    const prompt = await world.run(["prompts", "get", "everything.args-prompt", "city=Bern"]);
    assert.match(prompt.stdout, /Bern/);
    const resources = await world.json(["resources", "list", "everything"]);
    const [first] = resources.value.resources as { uri: string; kind: string }[];
    assert.match(first?.uri ?? "", /^mcpx:\/\/everything\//);
    const read = await world.run(["resources", "read", first?.uri ?? ""]);
    assert.equal(read.code, 0, read.stderr);
  });

  await t.step("status shows the instances; stop leaves nothing running", async () => {
    const { value } = await world.json(["status"]);
    assert.equal((value.instances as unknown[]).length, 6);
    assert.equal((await world.run(["stop"])).code, 0);
    await eventually(
      async () => (await world.processes()).length === 0,
      "every process of the world has ended",
    );
  });
});

Deno.test("after kill -9 of a server, of the daemon, or of a command, the next command just works", async (t) => {
  await using world = await World.open({
    mcpServers: { everything: realServer("@modelcontextprotocol/server-everything") },
  });
  const echo = async (): Promise<void> => {
    const { code, stdout, stderr } = await world.run(["call", "everything.echo", "message=hi"]);
    assert.equal(stdout, "Echo: hi\n", stderr);
    assert.equal(code, 0);
  };
  await echo();

  await t.step("of the server", async () => {
    const before = (await world.json(["tools", "everything"])).value.tools;
    const { value } = await world.json(["status"]);
    const [instance] = value.instances as { pid: number }[];
    Deno.kill(instance?.pid ?? 0, "SIGKILL");
    await echo();
    const list = await world.json(["tools", "everything"]);
    assert.deepEqual(list.value.tools, before);
  });

  await t.step("of the daemon, whose server ends with it", async () => {
    const { value } = await world.json(["status"]);
    const [instance] = value.instances as { pid: number }[];
    Deno.kill((await world.daemon()).pid, "SIGKILL");
    await echo();
    await eventually(
      async () => !(await world.processes()).includes(instance?.pid ?? 0),
      "the orphaned server has ended",
    );
  });

  await t.step("of a command in the middle of a call", async () => {
    const child = world.spawn([
      "call",
      "everything.trigger-long-running-operation",
      "duration=60",
      "steps=60",
    ]);
    await eventually(async () => {
      const { value } = await world.json(["status"]);
      return (value.instances as { leases: number }[]).some(({ leases }) => leases > 0);
    }, "the call is open");
    child.kill("SIGKILL");
    await child.output();
    await eventually(async () => {
      const { value } = await world.json(["status"]);
      return (value.instances as { leases: number }[]).every(({ leases }) => leases === 0);
    }, "the call is given up");
    await echo();
  });

  await world.run(["stop"]);
  await eventually(
    async () => (await world.processes()).length === 0,
    "every process of the world has ended",
  );
});

Deno.test("commands that race to start a daemon end with one", async () => {
  await using world = await World.open({
    mcpServers: { everything: realServer("@modelcontextprotocol/server-everything") },
  });
  const results = await Promise.all(
    Array.from({ length: 6 }, () => world.run(["call", "everything.echo", "message=hi"])),
  );
  for (const { stdout, stderr } of results) assert.equal(stdout, "Echo: hi\n", stderr);
  const { value } = await world.json(["status"]);
  assert.equal((value.instances as unknown[]).length, 1);
});
