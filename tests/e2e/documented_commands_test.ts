import assert from "node:assert/strict";
import { ROOT } from "../../tools/package/run.ts";
import { fixtureServer, realServer, World } from "../support/world.ts";

/** A block of a page, as far as something is done with it here. */
type Block =
  | { kind: "commands"; lines: string[]; line: number }
  | { kind: "file"; path: string; text: string }
  | { kind: "left out"; reason: string; line: number };

const PAGES = ["README.md", "docs/security.md"];
for (const { name } of Deno.readDirSync(`${ROOT}docs/guides`)) PAGES.push(`docs/guides/${name}`);

for (const page of PAGES.filter((path) => path.endsWith(".md")).sort()) {
  Deno.test(`every command of ${page} does what it is shown for`, async () => {
    const blocks = readPage(await Deno.readTextFile(`${ROOT}${page}`));
    for (const block of blocks) {
      if (block.kind === "left out") {
        assert.ok(block.reason.length > 15, `${page}:${block.line} says why it is not run`);
      }
    }
    if (!blocks.some(({ kind }) => kind === "commands")) return;
    await using world = await World.open({});
    const shell = await openShell(world);
    for (const block of blocks) {
      if (block.kind === "file") await shell.write(block.path, block.text);
      if (block.kind !== "commands") continue;
      for (const command of await commandsOf(block.lines)) {
        const { code, output } = await shell.run(command);
        const wanted = Number(/#.*\bexit (\d+)/.exec(command)?.[1] ?? 0);
        assert.equal(code, wanted, `${page}:${block.line}: ${command}\n${output}`);
      }
    }
  });
}

/** The blocks of a page: `sh` is run, a comment `// ./name` begins a file, `<!-- not run: why -->` leaves the next one out. */
function readPage(text: string): Block[] {
  const blocks: Block[] = [];
  const lines = text.split("\n");
  for (let at = 0; at < lines.length; at++) {
    const fence = /^(\s*)```(\w+)/.exec(lines[at] ?? "");
    const comment = /^<!-- not run: (.*) -->$/.exec(lines[at - 1] ?? "") ??
      /^<!-- not run: (.*) -->$/.exec(lines[at - 2] ?? "");
    if (!fence) continue;
    const start = at;
    const inside: string[] = [];
    for (at++; at < lines.length && lines[at]?.trim() !== "```"; at++) inside.push(lines[at] ?? "");
    const name = /^\/\/ (\.\/\S+)$/.exec(inside[0] ?? "")?.[1];
    if (comment) blocks.push({ kind: "left out", reason: comment[1] ?? "", line: start + 1 });
    else if (fence[2] === "sh") blocks.push({ kind: "commands", lines: inside, line: start + 1 });
    else if (name !== undefined) {
      blocks.push({ kind: "file", path: name, text: `${inside.slice(1).join("\n")}\n` });
    }
  }
  return blocks;
}

/** Lines put together to what a shell takes for whole commands. */
async function commandsOf(lines: readonly string[]): Promise<string[]> {
  const commands: string[] = [];
  let held = "";
  for (const line of lines) {
    held += `${line}\n`;
    if (held.trim() === "" || held.trim().startsWith("#")) {
      held = "";
      continue;
    }
    const { code, stderr } = await new Deno.Command("bash", { args: ["-n", "-c", held], stderr: "piped" })
      .output();
    if (
      code !== 0 || /unexpected|here-document/.test(new TextDecoder().decode(stderr)) || /\\\n$/.test(held)
    ) continue;
    commands.push(held.trimEnd());
    held = "";
  }
  assert.equal(held.trim(), "", `this is no whole command: ${held}`);
  return commands;
}

/** A shell in a project that has the servers which the pages speak of, with `mcpx` on its path. */
async function openShell(world: World): Promise<{
  write(path: string, text: string): Promise<void>;
  run(command: string): Promise<{ code: number; output: string }>;
}> {
  await world.configure({
    mcpServers: {
      everything: realServer("@modelcontextprotocol/server-everything"),
      memory: {
        ...realServer("@modelcontextprotocol/server-memory"),
        env: { MEMORY_FILE_PATH: `${world.root}/memory.json` },
      },
      files: realServer("@modelcontextprotocol/server-filesystem", world.project),
      filesystem: realServer("@modelcontextprotocol/server-filesystem", world.project),
      github: fixtureServer("documented.mjs", { KIND: "github" }),
      forms: fixtureServer("documented.mjs", { KIND: "forms" }),
    },
  });
  const write = (path: string, text: string): Promise<void> =>
    Deno.writeTextFile(`${world.project}/${path}`, text);
  await write("README.md", "# A project\n\nSomething to read.\n");
  await write("report.md", "It broke.\n");
  await write("report.json", JSON.stringify({ issue: { owner: "me", repo: "thing", title: "It broke" } }));
  const bin = `${world.root}/bin`;
  await Deno.mkdir(bin);
  await Deno.writeTextFile(
    `${bin}/mcpx`,
    `#!/bin/sh\nexec "${Deno.execPath()}" run -A --quiet "${ROOT}cli.ts" "$@"\n`,
    { mode: 0o755 },
  );
  // The pages show completions and manual pages going where a shell and man look for them.
  for (
    const folder of [
      ".local/share/bash-completion/completions",
      ".config/fish/completions",
      ".local/share/man/man1",
    ]
  ) {
    await Deno.mkdir(`${world.env.HOME}/${folder}`, { recursive: true });
  }
  const env: Record<string, string> = {
    ...world.env,
    PATH: `${bin}:${world.env.PATH}`,
    DOCS_TOKEN: "t",
    EDITOR: "true",
  };
  const bash = async (command: string): Promise<{ code: number; output: string }> => {
    const { code, stdout, stderr } = await new Deno.Command("bash", {
      args: ["-o", "pipefail", "-c", command],
      cwd: world.project,
      clearEnv: true,
      env,
      stdin: "null",
    }).output();
    return { code, output: new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr) };
  };
  const newest = async (list: string, id: RegExp): Promise<string> =>
    id.exec((await bash(list)).output)?.[0] ?? "none";
  return {
    write,
    run: async (command) => {
      // Ids on a page are somebody else's.
      let real = command.replace("127.0.0.1:7411", "127.0.0.1:0");
      if (/elc-\w{10}/.test(real)) {
        real = real.replace(/elc-\w{10}/g, await newest("mcpx elicit list --json", /elc-\w{10}/));
      }
      if (/tsk-\w{10}/.test(real)) {
        real = real.replace(/tsk-\w{10}/g, await newest("mcpx task list --json", /tsk-\w{10}/));
      }
      if (!/^mcpx (daemon|serve|elicit watch)(?! --print-unit)\b/.test(real)) return await bash(real);
      // What goes on until it is told to stop.
      await bash("mcpx stop");
      const { code, output } = await bash(`timeout 3 ${real}`);
      return { code: code === 124 ? 0 : code, output };
    },
  };
}
