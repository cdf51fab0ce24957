import assert from "node:assert/strict";
import { fixtureServer, World } from "../support/world.ts";

const read = (path: string): Promise<string> => Deno.readTextFile(path);
const modeOf = async (path: string): Promise<number> => ((await Deno.stat(path)).mode ?? 0) & 0o777;

Deno.test("a first file is made once, leads to a server, and doctor finds all well", async () => {
  await using world = await World.open({});
  const file = `${world.project}/.mcpx.json`;
  await Deno.remove(file);
  const made = await world.run(["init"]);
  assert.equal(made.code, 0, made.stderr);
  assert.match(made.stdout, /Made .*\.mcpx\.json[\s\S]*mcpx servers add/);
  const again = await world.json(["init"]);
  assert.equal(again.code, 1);
  assert.equal((again.value.error as { code: string }).code, "invalid-config");

  const { command, args } = fixtureServer("many_tools.mjs") as { command: string; args: string[] };
  const added = await world.run(["servers", "add", "many", "--json", "--", command, ...args]);
  assert.equal(added.code, 0, added.stderr);
  const change = JSON.parse(added.stdout);
  assert.deepEqual([change.reloaded, change.path], [true, file]);
  assert.match(await read(file), /\/\/ The MCP servers/, "the comments are still there");
  const twice = await world.run(["servers", "add", "many", "--", command]);
  assert.equal(twice.code, 2);
  assert.match(twice.stderr, /--replace/);

  const doctor = await world.json(["doctor"]);
  assert.equal(doctor.code, 0, JSON.stringify(doctor.value));
  const names = (doctor.value.checks as { name: string; state: string }[]).map(({ name }) => name);
  for (const name of ["configuration", "daemon", "server many", "sandbox"]) {
    assert.ok(names.includes(name), name);
  }

  const removed = await world.run(["servers", "remove", "many"]);
  assert.equal(removed.code, 0, removed.stderr);
  const { value } = await world.json(["servers", "list"]);
  assert.deepEqual(value.servers, []);
  const near = await world.run(["servers", "remove", "mony"]);
  assert.equal(near.code, 1);
});

Deno.test("doctor: a broken configuration is one failure, a server that cannot start another, each with what to do", async () => {
  await using world = await World.open({});
  const file = `${world.project}/.mcpx.json`;
  await Deno.writeTextFile(file, "{ not json");
  const broken = await world.json(["doctor"]);
  const failures = (broken.value.checks as { name: string; state: string; message: string; hint?: string }[])
    .filter(({ state }) => state === "fail");
  assert.equal(broken.code, 1);
  assert.deepEqual(failures.map(({ name }) => name), ["configuration"]);
  assert.match(failures[0]?.message ?? "", /\.mcpx\.json:1:\d+/);
  assert.ok(failures[0]?.hint);

  await world.configure({
    mcpServers: { gone: { command: "no-such-command", env: { KEY: "${NOT_SET_ANYWHERE}" } } },
  });
  const missing = await world.json(["doctor"]);
  const checks = missing.value.checks as { name: string; state: string; message: string; hint?: string }[];
  assert.equal(missing.code, 1);
  const gone = checks.find(({ name }) => name === "server gone");
  assert.equal(gone?.state, "fail");
  assert.ok(gone?.hint, "it says what to do");
  assert.ok(
    checks.some(({ name, message }) => name === "variables" && message.includes("NOT_SET_ANYWHERE (gone)")),
  );
  const human = await world.run(["doctor", "--no-servers"]);
  assert.equal(human.code, 0, human.stdout);
  assert.doesNotMatch(human.stdout, /server gone/);
});

Deno.test("trust lets a project's file run commands until it changes, and the running daemon takes it at once", async () => {
  await using world = await World.open({
    mcpServers: { many: fixtureServer("many_tools.mjs", { WHO: "${cmd:echo me}" }) },
  });
  const before = await world.json(["config"]);
  assert.match(JSON.stringify(before.value), /WHO is ignored/);
  const trusted = await world.run(["trust"]);
  assert.equal(trusted.code, 0, trusted.stderr);
  assert.match(trusted.stdout, /many\.env\.WHO counts from now on/);
  assert.doesNotMatch(JSON.stringify((await world.json(["config"])).value), /WHO is ignored/);
  const list = await world.json(["trust", "--list"]);
  assert.equal((list.value.trusted as unknown[]).length, 1);
  const back = await world.run(["trust", "--remove"]);
  assert.match(back.stdout, /no longer trusted/);
  assert.match(JSON.stringify((await world.json(["config"])).value), /WHO is ignored/);
  const nothing = await world.run(["trust", "nowhere.json"]);
  assert.equal(nothing.code, 1);
});

Deno.test("other hosts' servers are printed, then written once, with a word about secrets and about mcpx itself", async () => {
  await using world = await World.open({ mcpServers: {} });
  const home = world.env.HOME ?? "";
  await Deno.mkdir(`${home}/.cursor`);
  await Deno.writeTextFile(
    `${home}/.cursor/mcp.json`,
    JSON.stringify({
      mcpServers: {
        notes: { command: "npx", args: ["notes"], env: { API_KEY: "sk-abcdefgh12345678" } },
        mcpx: { command: "mcpx", args: ["serve"] },
      },
    }),
  );
  const shown = await world.run(["config", "import"]);
  assert.equal(shown.code, 0, shown.stderr);
  assert.deepEqual(Object.keys(JSON.parse(shown.stdout).mcpServers), ["notes"]);
  assert.match(shown.stderr, /notes\.env\.API_KEY looks like a secret/);
  assert.match(shown.stderr, /mcpx is skipped: it is mcpx itself/);
  const written = await world.json(["config", "import", "--from", "cursor", "--write"]);
  assert.deepEqual([written.code, written.value.added], [0, ["notes"]]);
  assert.match(await read(`${world.project}/.mcpx.json`), /"notes"/);
  const again = await world.json(["config", "import", "--from", "cursor", "--write"]);
  assert.deepEqual([again.value.added, again.value.unchanged], [[], ["notes"]]);
  const unknown = await world.run(["config", "import", "--from", "cursr"]);
  assert.match(unknown.stderr, /mcpx config import --from cursor/);
});

Deno.test("every host is given mcpx, shown first, agreed to, backed up, and mcpx is taken out again", async () => {
  await using world = await World.open({ mcpServers: {} });
  const home = world.env.HOME ?? "";
  await Deno.mkdir(`${home}/.codex`);
  const codex = '# mine\nmodel = "x"\n\n[mcp_servers.other]\ncommand = "other"\n';
  await Deno.writeTextFile(`${home}/.codex/config.toml`, codex);
  const asked = await world.json(["install", "codex"]);
  assert.deepEqual([asked.code, (asked.value.error as { code: string }).code], [1, "not-confirmed"]);
  assert.equal(await read(`${home}/.codex/config.toml`), codex, "nothing is written before it was agreed to");
  const plan = await world.run(["install", "codex", "--dry-run"]);
  assert.match(plan.stdout, /\+ \[mcp_servers\.mcpx\]/);
  const hosts = ["claude", "claude-code", "cursor", "vscode", "codex", "windsurf", "opencode", "gemini"];
  for (const host of hosts) {
    const { code, value } = await world.json(["install", host, "--yes"]);
    assert.equal(code, 0, `${host}: ${JSON.stringify(value)}`);
    assert.equal((value.changed as unknown[]).length, 1, host);
  }
  const edited = await read(`${home}/.codex/config.toml`);
  assert.ok(edited.startsWith(codex.trimEnd()), "what was there is left alone");
  assert.equal(await read(`${home}/.codex/config.toml.mcpx-backup`), codex);
  assert.equal(await modeOf(`${home}/.cursor/mcp.json`), 0o600);
  const once = await world.json(["install", "cursor", "--yes"]);
  assert.deepEqual(once.value.changed, []);
  const out = await world.json(["uninstall", "--yes"]);
  assert.equal((out.value.changed as unknown[]).length, hosts.length, JSON.stringify(out.value));
  assert.doesNotMatch(await read(`${home}/.codex/config.toml`), /mcpx/);
});

Deno.test("a host's file that cannot be parsed is named, and left as it is", async () => {
  await using world = await World.open({ mcpServers: {} });
  const path = `${world.env.HOME}/.cursor/mcp.json`;
  await Deno.mkdir(`${world.env.HOME}/.cursor`);
  await Deno.writeTextFile(path, "{bad");
  const { code, value } = await world.json(["install", "cursor", "--yes"]);
  assert.equal(code, 1);
  assert.ok(JSON.stringify(value.error).includes(`${path}:1:2`), JSON.stringify(value));
  assert.equal(await read(path), "{bad");
});

Deno.test("a purge stops the daemons and removes what mcpx keeps, but no configuration", async () => {
  await using world = await World.open({ mcpServers: { many: fixtureServer("many_tools.mjs") } });
  const home = world.env.HOME ?? "";
  await world.run(["settings", "set", "search.limit", "3", "--save"]);
  const { pid } = await world.daemon();
  const plan = await world.json(["uninstall", "--purge", "--dry-run"]);
  assert.ok((plan.value.planned as string[]).includes(`${home}/.local/state/mcpx`));
  assert.ok(await Deno.stat(`${home}/.local/state/mcpx`));
  const purged = await world.json(["uninstall", "--purge", "--yes"]);
  assert.equal(purged.code, 0, JSON.stringify(purged.value));
  await assert.rejects(Deno.stat(`${home}/.local/state/mcpx`));
  assert.ok(await Deno.stat(`${home}/.config/mcpx/config.json`));
  assert.equal((await world.processes()).includes(pid), false, "the daemon is gone");
});

Deno.test("declarations are written for editors beside the configuration, and only when they changed", async () => {
  await using world = await World.open({ mcpServers: { many: fixtureServer("many_tools.mjs") } });
  const first = await world.json(["types", "many", "--write"]);
  assert.equal(first.value.path, `${world.project}/.mcpx/types/many.d.ts`);
  assert.match(await read(String(first.value.path)), /declare namespace many/);
  const second = await world.json(["types", "many", "--write"]);
  assert.equal(second.value.changed, false);
});

Deno.test("the manual page and the schema of a configuration are printed without a daemon", async () => {
  await using world = await World.open({ mcpServers: {} });
  const { stdout } = await world.run(["man"]);
  assert.match(stdout, /^\.TH MCPX 1/);
  const man = new Deno.Command("sh", {
    args: ["-c", "command -v man >/dev/null || exit 0; man --warnings -l -"],
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const writer = man.stdin.getWriter();
  await writer.write(new TextEncoder().encode(stdout)).catch(() => {});
  await writer.close().catch(() => {});
  const shown = await man.output();
  assert.equal(new TextDecoder().decode(shown.stderr), "", "roff has nothing to warn of");
  const schema = JSON.parse((await world.run(["config", "--schema"])).stdout);
  assert.ok(schema.properties.mcpServers && schema.properties.exec);
  await assert.rejects(world.daemon());
});
