/**
 * Shows what mcpx is for, on real servers: list, find, call, and a script over two of them.
 *
 * @module
 */
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../", import.meta.url));
const folder = `${Deno.env.get("TMPDIR") ?? "/tmp"}/mcpx-demo-${Deno.uid() ?? 0}`;

const COMMANDS: string[][] = [
  ["ls"],
  ["search", "read", "a", "file", "--limit", "3"],
  ["call", "everything.get-sum", "a=2", "b=40"],
  ["run", "remember_folder", `folder=${folder}`],
  [
    "exec",
    "const said = await everything.echo({ message: args.word }); return said.toUpperCase()",
    "word=hello",
  ],
];

async function demo(): Promise<number> {
  await Deno.mkdir(folder, { recursive: true, mode: 0o700 });
  await Deno.copyFile(`${root}docs/examples/demo.json`, `${folder}/.mcpx.json`);
  await Deno.writeTextFile(`${folder}/notes.md`, "# Notes\n\nmcpx was here.\n");
  for (const words of COMMANDS) {
    say(`\n$ mcpx ${words.map(quote).join(" ")}`);
    const started = performance.now();
    const child = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--quiet", `${root}cli.ts`, ...words],
      cwd: folder,
      stdin: "null",
    });
    const { code } = await child.spawn().status;
    if (code !== 0) return code;
    say(`  (${Math.round(performance.now() - started)} ms)`);
  }
  say(
    `\nThe daemon and its servers stay warm for ten minutes: run this again. Or, in ${folder}: mcpx status, mcpx stop.`,
  );
  return 0;
}

function say(line: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
}

function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

Deno.exit(await demo());
