import assert from "node:assert/strict";
import { join } from "node:path";
import { UNSTABLE_FLAGS } from "../../lib/cli/sealed_flags.ts";
import { bundle } from "../../tools/package/bundle.ts";
import { compile, TARGETS } from "../../tools/package/compile.ts";
import { launcher } from "../../tools/package/launcher.ts";
import { packageNpm } from "../../tools/package/npm.ts";
import { ROOT, run } from "../../tools/package/run.ts";
import { packageSingle } from "../../tools/package/single.ts";
import { realServer, World } from "../support/world.ts";
import { smoke } from "./smoke.ts";

/** One folder for all: bundling takes longer than anything else here. */
let work: string | undefined;

async function bundled(): Promise<{ folder: string; dist: string }> {
  if (work === undefined) {
    work = await Deno.makeTempDir({ prefix: "mcpx-forms-" });
    await bundle(join(work, "dist"));
  }
  return { folder: work, dist: join(work, "dist") };
}

Deno.test.afterAll(async () => {
  if (work !== undefined) await Deno.remove(work, { recursive: true });
});

Deno.test("every form is run with what of Deno's is not on by itself", async () => {
  const { unstable } = JSON.parse(await Deno.readTextFile(`${ROOT}deno.json`)) as { unstable: string[] };
  assert.deepEqual(unstable.map((name) => `--unstable-${name}`), UNSTABLE_FLAGS);
  for (const form of ["npm", "single"] as const) {
    assert.match(await launcher(form), new RegExp(`deno" run .* ${UNSTABLE_FLAGS.join(" ")} "`));
  }
});

Deno.test("from source mcpx does all that it should", () =>
  smoke({ program: [Deno.execPath(), "run", "-A", "--quiet", `${ROOT}cli.ts`], needsDenoDir: true }));

Deno.test("the npm package does so in an empty folder, with the Deno that npm installs beside it", async () => {
  const { folder, dist } = await bundled();
  const tarball = await packageNpm(folder, dist);
  const project = await Deno.makeTempDir({ prefix: "mcpx-npm-user-" });
  try {
    await run("npm", ["install", "--no-audit", "--no-fund", "--loglevel=error", tarball], { cwd: project });
    await smoke({ program: [join(project, "node_modules/.bin/mcpx")] });
    const said = await run("npx", ["--no", "--", "mcpx", "--version"], { cwd: project });
    assert.match(said, /^mcpx /);
  } finally {
    await Deno.remove(project, { recursive: true });
  }
});

Deno.test({
  name:
    "the self-extracting file does so on an empty HOME, and unpacks itself once however many start at once",
  ignore: Deno.build.os !== "linux",
  fn: async () => {
    const { folder, dist } = await bundled();
    const file = await packageSingle(folder, { bundled: dist, level: 1 });
    await smoke({ program: [file] });
    await using world = await World.open({});
    world.program = [file];
    const started = await Promise.all([1, 2, 3].map(() => world.run(["--version"])));
    for (const { code, stdout } of started) assert.deepEqual([code, /^mcpx /.test(stdout)], [0, true]);
    const unpacked = [...Deno.readDirSync(`${world.env.HOME}/.cache/mcpx/program`)];
    assert.equal(unpacked.length, 1, unpacked.map(({ name }) => name).join(", "));
  },
});

Deno.test("an executable carries the program, its permissions and its limits; where no runtime can be had, that is said", async () => {
  const { folder, dist } = await bundled();
  const before = Deno.env.get("DENORT_BIN");
  Deno.env.set("DENORT_BIN", await Deno.realPath(Deno.execPath()));
  try {
    const here = await compile(Deno.build.target, { out: folder, bundled: dist });
    assert.equal(here.state, "inspected");
    const others = Object.keys(TARGETS).filter((target) => target !== Deno.build.target);
    for (const target of others) {
      assert.equal((await compile(target, { out: folder, bundled: dist })).state, "skipped");
    }
  } finally {
    if (before === undefined) Deno.env.delete("DENORT_BIN");
    else Deno.env.set("DENORT_BIN", before);
  }
});

Deno.test("another project imports the library, calls a tool and runs a script", async () => {
  await using world = await World.open({
    mcpServers: { everything: realServer("@modelcontextprotocol/server-everything") },
  });
  const project = join(world.root, "library-user");
  await Deno.mkdir(project);
  const { name, version } = JSON.parse(await Deno.readTextFile(`${ROOT}deno.json`)) as Record<string, string>;
  await Deno.writeTextFile(
    join(project, "deno.json"),
    JSON.stringify({ links: [ROOT], imports: { mcpx: `jsr:${name}@${version}` } }),
  );
  await Deno.writeTextFile(
    join(project, "main.ts"),
    `import { McpxError, openMcpx } from "mcpx";
await using mcpx = await openMcpx({ cwd: ${JSON.stringify(world.project)} });
const said = await mcpx.call("everything.echo", { message: "hi" });
const { result } = await mcpx.invoke("exec", { code: "return 6 * 7" });
const code = await mcpx.invoke("no.such").catch((error) => error instanceof McpxError ? error.code : "other");
console.log(JSON.stringify([said, result, code]));
`,
  );
  const said = await run(Deno.execPath(), ["run", "-A", "--quiet", "main.ts"], {
    cwd: project,
    env: world.env,
  });
  assert.deepEqual(JSON.parse(said.trim().split("\n").at(-1) ?? ""), ["Echo: hi", 42, "not-found"]);
});
