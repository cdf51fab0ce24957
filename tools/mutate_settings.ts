/**
 * Deletes the line that reads a setting, in a copy of the program, and sees whether the test of that setting fails, and no other that
 * is run beside it: a test that would pass without the setting proves nothing.
 *
 * `deno run -A tools/mutate_settings.ts [--all | setting…]`; without words a few settings are drawn by the day.
 *
 * @module
 */
import { fileURLToPath } from "node:url";
import { parseValue, type SettingPath, settingRow, SETTINGS } from "../lib/settings/mod.ts";

const ROOT = fileURLToPath(new URL("../", import.meta.url));
const PARTS = ["cli.ts", "mod.ts", "deno.json", "deno.lock", "lib", "daemon", "recipes", "tests", "tools"];
const SAMPLE = 2;
const TEST = "tests/integration/settings_effect_test.ts";

/** What came of one setting. */
export interface Mutated {
  path: SettingPath;
  /** Places where it was read. */
  places: number;
  /** Whether its own test failed, and the other one that was run beside it passed. */
  caught: boolean;
  said: string;
}

/**
 * Takes a setting's reads out of a copy of the program and runs its test there.
 *
 * @param path the setting
 * @param beside another setting, whose test has to go on passing
 */
export async function mutateSetting(path: SettingPath, beside: SettingPath): Promise<Mutated> {
  const copy = await Deno.makeTempDir({ prefix: "mcpx-mutant-" });
  try {
    const pack = `tar -c --exclude=.upstreams ${PARTS.join(" ")} | tar -x -C "$0"`;
    await run("sh", ["-c", pack, copy]);
    let places = 0;
    for await (const file of sources(copy)) {
      const text = await Deno.readTextFile(file);
      const changed = withoutReads(text, path, () => places++);
      if (changed !== text) await Deno.writeTextFile(file, changed);
    }
    if (places === 0) places = await withoutAnyRead(copy, path);
    const filter = (name: string): string => `/^setting ${name.replaceAll(".", "\\.")}:/`;
    const [own, other] = [await test(copy, filter(path)), await test(copy, filter(beside))];
    return { path, places, caught: places > 0 && own.code !== 0 && other.code === 0, said: own.said };
  } finally {
    await Deno.remove(copy, { recursive: true });
  }
}

/** A text in which reading a setting gives its default. */
function withoutReads(text: string, path: SettingPath, found: () => void): string {
  const row = settingRow(path);
  const value = JSON.stringify(parseValue(row.kind, row.default, path, row.values));
  const name = path.replaceAll(".", "\\.");
  // What the command line reads is text; what the rest reads is parsed.
  const texts = new RegExp(`\\btexts\\.get\\(\\s*"${name}"\\s*\\)`, "g");
  const reads = new RegExp(
    `(?:[\\w#]+(?:\\(\\))?\\s*\\.\\s*)*(?:get|secret)\\(\\s*"${name}"\\s*,?\\s*\\)`,
    "g",
  );
  // A ceiling is read where the table says what it bounds.
  const bounds = new RegExp(`\\bclampedBy:\\s*"${name}",`, "g");
  const explained = new RegExp(`(?:[\\w#]+(?:\\(\\))?\\s*\\.\\s*)*explain\\(\\s*"${name}"\\s*,?\\s*\\)`, "g");
  const replaced = (by: string) => (): string => {
    found();
    return by;
  };
  return text
    .replace(texts, replaced(JSON.stringify(row.default)))
    .replace(reads, replaced(`(${value} as never)`))
    .replace(bounds, replaced(""))
    .replace(
      explained,
      replaced(
        `({ text: ${
          JSON.stringify(row.default)
        }, value: ${value}, layer: "default", source: "default" } as never)`,
      ),
    );
}

/** Where the name is put together before it is read, the reading itself is taken away. */
async function withoutAnyRead(copy: string, path: SettingPath): Promise<number> {
  const row = settingRow(path);
  const value = JSON.stringify(parseValue(row.kind, row.default, path, row.values));
  const file = `${copy}/lib/settings/resolve.ts`;
  const text = await Deno.readTextFile(file);
  const head = /#resolve\(path: SettingPath\): Provenance \{/;
  if (!head.test(text)) return 0;
  const unset = JSON.stringify({
    path,
    text: row.default,
    layer: "default",
    source: "default",
    displaced: [],
  });
  const cut = `if (path === ${JSON.stringify(path)}) return { ...${unset}, value: ${value} } as never;`;
  await Deno.writeTextFile(file, text.replace(head, (all) => `${all}\n    ${cut}`));
  return 1;
}

async function* sources(copy: string): AsyncGenerator<string> {
  for (const top of ["lib", "daemon"]) yield* below(`${copy}/${top}`);
}

async function* below(folder: string): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    if (isDirectory) yield* below(`${folder}/${name}`);
    else if (name.endsWith(".ts") && !name.endsWith("_test.ts")) yield `${folder}/${name}`;
  }
}

async function test(copy: string, filter: string): Promise<{ code: number; said: string }> {
  return await run(Deno.execPath(), ["test", "-A", "--no-check", "--quiet", "--filter", filter, TEST], copy);
}

async function run(
  command: string,
  args: string[],
  cwd: string = ROOT,
): Promise<{ code: number; said: string }> {
  const { code, stdout, stderr } = await new Deno.Command(command, {
    args,
    cwd,
    env: { NO_COLOR: "1" },
    stdin: "null",
  }).output();
  return { code, said: new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr) };
}

/** Settings for today: the same all day, so that a failure can be looked into. */
function drawn(count: number): SettingPath[] {
  const all = Object.keys(SETTINGS) as SettingPath[];
  const day = Math.floor(Date.now() / 86_400_000);
  return Array.from({ length: count }, (_, at) => all[(day * count + at) * 7 % all.length] ?? "search.limit");
}

if (import.meta.main) {
  const all = Object.keys(SETTINGS) as SettingPath[];
  const named = all.filter((path) => Deno.args.includes(path));
  const paths = Deno.args.includes("--all") ? all : named.length > 0 ? named : drawn(SAMPLE);
  let missed = 0;
  for (const path of paths) {
    const beside = path === "search.limit" ? "output.strict" : "search.limit";
    const { places, caught, said } = await mutateSetting(path, beside);
    if (!caught) missed++;
    const verdict = caught ? "caught" : places === 0 ? "is read nowhere" : "NOT CAUGHT";
    await Deno.stdout.write(new TextEncoder().encode(`${verdict}  ${path} (read in ${places} places)\n`));
    if (!caught) await Deno.stdout.write(new TextEncoder().encode(`${said.slice(-2000)}\n`));
  }
  if (missed > 0) Deno.exit(1);
}
