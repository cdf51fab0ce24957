import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { World } from "../support/world.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

interface Session {
  command: string;
  output: string;
}

/** The commands of a guide's `console` blocks, each with what it prints. */
function sessionsOf(markdown: string): Session[] {
  const sessions: Session[] = [];
  for (const [, block = ""] of markdown.matchAll(/^```console\n([^]*?)^```$/gm)) {
    for (const line of block.split("\n").slice(0, -1)) {
      if (line.startsWith("$ ")) sessions.push({ command: line.slice(2), output: "" });
      else sessions.at(-1)!.output += `${line}\n`;
    }
  }
  return sessions;
}

/** Text without what differs from run to run: dates, process ids, and where the example lies. */
function steady(text: string, folder: string): string {
  return text.replaceAll(folder, "/home/me/demo")
    .replaceAll(/\d{4}-\d{2}-\d{2}(?:T[\d:.]+Z)?/g, "DATE")
    .replaceAll(/ \(pid \d+\)/g, "")
    .replaceAll(/[ \t]+$/gm, "")
    .replaceAll(/ {2,}/g, "  ");
}

/** A shell in an example's folder of which every command's output is kept apart. */
async function runAll(world: World, folder: string, sessions: readonly Session[]): Promise<string[]> {
  const bin = join(world.root, "bin");
  await Deno.mkdir(bin);
  const cli = join(ROOT, "cli.ts");
  await Deno.writeTextFile(
    join(bin, "mcpx"),
    `#!/bin/sh\nexec '${Deno.execPath()}' run -A --quiet '${cli}' "$@"\n`,
    { mode: 0o755 },
  );
  const mark = "=== next command ===";
  const script = sessions.map(({ command }) => `${command}\necho '${mark}'`).join("\n");
  const { stdout } = await new Deno.Command("sh", {
    args: ["-c", `exec 2>&1\n${script}`],
    cwd: folder,
    clearEnv: true,
    env: { ...world.env, PATH: `${bin}:${world.env.PATH}` },
    stdin: "null",
  }).output();
  return new TextDecoder().decode(stdout).split(`${mark}\n`);
}

Deno.test("the commands of the guide to diagnoses print what it says", async () => {
  const sessions = sessionsOf(await Deno.readTextFile(join(ROOT, "docs/guides/diagnose.md")));
  assert.ok(sessions.length > 10);
  await using world = await World.open({});
  const folder = join(world.root, "docs/examples/diagnose");
  await Deno.mkdir(folder, { recursive: true });
  for await (const { name } of Deno.readDir(join(ROOT, "docs/examples/diagnose"))) {
    await Deno.copyFile(join(ROOT, "docs/examples/diagnose", name), join(folder, name));
  }
  await Deno.mkdir(join(world.root, "tests/fixtures/servers"), { recursive: true });
  await Deno.copyFile(
    join(ROOT, "tests/fixtures/servers/changing.mjs"),
    join(world.root, "tests/fixtures/servers/changing.mjs"),
  );
  try {
    const outputs = await runAll(world, folder, sessions);
    const shown = (session: Session, output: string): string =>
      `$ ${session.command}\n${steady(output, folder)}`;
    assert.equal(
      sessions.map((session, index) => shown(session, outputs[index] ?? "")).join(""),
      sessions.map((session) => shown(session, session.output)).join(""),
    );
  } finally {
    await world.run(["stop"], { cwd: folder });
  }
});
