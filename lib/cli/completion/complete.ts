import { allCommands, type Command, findCommand, inputsOf, spellings } from "../commands.ts";
import type { CommandContext } from "../context.ts";
import { flagName } from "../flag_names.ts";
import { GLOBAL_FLAGS } from "../global_flags.ts";
import type { Manifest, ManifestInput } from "../manifest_types.ts";

/** One thing that may stand where the cursor is. */
export interface Candidate {
  value: string;
  note?: string;
}

/** Values that only a running daemon knows: tools, namespaces, arguments. */
export type ValueSource = (source: string, words: readonly string[]) => Promise<Candidate[]>;

/** The candidate that asks the shell for its own file names. */
const FILES: Candidate = { value: ":file" };

/**
 * Prints what may follow the words of an unfinished line, one candidate a line, with a tab before its note.
 *
 * @param cx the command
 * @param line the shell's name, then the words after `mcpx`; the last one is unfinished
 * @returns 0, whatever happens: a shell has no use for an error here
 */
export async function printCandidates(cx: CommandContext, line: readonly string[]): Promise<number> {
  const [shell = "", ...raw] = line;
  const words = shell === "bash" ? joinSplit(raw) : raw;
  const { daemonValues } = await import(
    "./daemon_values.ts" as string
  ) as typeof import("./daemon_values.ts");
  const found = await candidates(words, cx.manifest, (source, before) => daemonValues(cx, source, before));
  // bash replaces only what follows the last = or :
  const current = words.at(-1) ?? "";
  const drop = shell === "bash" ? Math.max(current.lastIndexOf("="), current.lastIndexOf(":")) + 1 : 0;
  const lines = found.map(({ value, note }) => {
    const shown = value === FILES.value ? value : value.slice(drop);
    return note === undefined ? shown : `${shown}\t${note.replace(/\s+/g, " ")}`;
  });
  await cx.out.write(lines.map((one) => one + "\n").join(""));
  return 0;
}

/** bash takes `key=value` and `a:b` for three words. */
function joinSplit(raw: readonly string[]): string[] {
  const words: string[] = [];
  let glue = false;
  for (const word of raw) {
    const isBreak = word === "=" || word === ":";
    if ((isBreak || glue) && words.length > 0) words.push((words.pop() ?? "") + word);
    else words.push(word);
    glue = isBreak;
  }
  return words;
}

/**
 * Finds what may stand in the place of the last word.
 *
 * @param words the words after `mcpx`; the last one is unfinished and may be empty
 * @param manifest the operations and settings
 * @param source asked for values that the manifest does not hold
 */
export async function candidates(
  words: readonly string[],
  manifest: Manifest,
  source: ValueSource,
): Promise<Candidate[]> {
  const current = words.at(-1) ?? "";
  const before = words.slice(0, -1);
  const commands = allCommands(manifest).filter((command) => !command.hidden);
  const { command, positionals, pending } = walk(before, commands, manifest);
  if (pending) return fitting(current, await valuesOf(pending, source, before));
  if (current.startsWith("-") && !before.includes("--")) {
    return flagCandidates(current, command, manifest, source, before);
  }
  const bare = before.filter((word) => !word.startsWith("-"));
  const next = fitting(current, nextWords(bare, commands));
  if (!command) return next;
  const input = positionalAt(command, positionals);
  if (!input) return next;
  return [...next, ...fitting(current, await valuesOf(input, source, [...before, current]))];
}

/** Reads the finished words as far as they tell what the next one is. */
function walk(
  before: readonly string[],
  commands: readonly Command[],
  manifest: Manifest,
): { command?: Command; positionals: number; pending?: ManifestInput } {
  const bare: string[] = [];
  let pending: ManifestInput | undefined;
  for (const word of before) {
    if (pending) {
      pending = undefined;
      continue;
    }
    if (!word.startsWith("-") || word === "-") bare.push(word);
    else if (!word.includes("=")) {
      const flag = flagsOf(findCommand(commands, bare).command, manifest).find((one) =>
        flagWords(one).includes(word)
      );
      if (flag && flag.kind !== "boolean") pending = flag;
    }
  }
  const found = findCommand(commands, bare);
  return {
    positionals: bare.length - found.length,
    ...(found.command ? { command: found.command } : {}),
    ...(pending ? { pending } : {}),
  };
}

function nextWords(bare: readonly string[], commands: readonly Command[]): Candidate[] {
  const found = new Map<string, Candidate>();
  for (const command of commands) {
    for (const spelling of spellings(command)) {
      const parts = spelling.split(" ");
      const value = parts[bare.length];
      if (value === undefined || !bare.every((word, at) => parts[at] === word) || found.has(value)) continue;
      const last = parts.length === bare.length + 1;
      found.set(value, last ? { value, note: command.summary } : { value });
    }
  }
  return [...found.values()];
}

function positionalAt(command: Command, at: number): ManifestInput | undefined {
  const inputs = command.inputs.filter((input) => input.positional !== undefined)
    .sort((a, b) => (a.positional ?? 0) - (b.positional ?? 0));
  return inputs[at] ?? inputs.findLast((input) => input.rest);
}

/** Every flag of the line, settings included. */
function flagsOf(command: Command | undefined, manifest: Manifest): ManifestInput[] {
  const own = command ? inputsOf(command).filter((input) => input.kind !== "pairs" && !input.hidden) : [];
  const settings = manifest.settings.map((row): ManifestInput => ({
    name: row.flag,
    kind: row.kind === "bool" ? "boolean" : row.enum ? "enum" : "string",
    required: false,
    help: row.help,
    in: "body",
    ...(row.enum ? { enum: row.enum } : {}),
  }));
  return [...own, ...GLOBAL_FLAGS, ...settings];
}

function flagWords(input: ManifestInput): string[] {
  const long = `--${flagName(input)}`;
  return input.short === undefined ? [long] : [long, `-${input.short}`];
}

async function flagCandidates(
  current: string,
  command: Command | undefined,
  manifest: Manifest,
  source: ValueSource,
  before: readonly string[],
): Promise<Candidate[]> {
  const flags = flagsOf(command, manifest);
  const equals = current.indexOf("=");
  if (equals > 0) {
    const name = current.slice(0, equals);
    const flag = flags.find((one) => flagWords(one).includes(name));
    const values = flag ? await valuesOf(flag, source, before) : [];
    return fitting(current, values.map((one) => ({ ...one, value: `${name}=${one.value}` })));
  }
  return fitting(current, flags.map((one) => ({ value: `--${flagName(one)}`, note: one.help })));
}

async function valuesOf(
  input: ManifestInput,
  source: ValueSource,
  words: readonly string[],
): Promise<Candidate[]> {
  if (input.enum) return input.enum.map((value) => ({ value }));
  if (input.completion === "file" || input.reads === "script") {
    const named = input.completion && input.completion !== "file"
      ? await source(input.completion, words)
      : [];
    return [...named, FILES];
  }
  return input.completion === undefined ? [] : await source(input.completion, words);
}

function fitting(current: string, found: readonly Candidate[]): Candidate[] {
  return found.filter((one) => one === FILES || one.value.startsWith(current));
}
