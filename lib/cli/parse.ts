import { McpxError } from "../errors/mod.ts";
import { allCommands, type Command, findCommand, inputsOf, spellings } from "./commands.ts";
import { flagName, placeholder } from "./flag_names.ts";
import { GLOBAL_FLAGS } from "./global_flags.ts";
import { WITH_WORDS } from "./local_commands.ts";
import type { Manifest, ManifestInput, ManifestSetting } from "./manifest_types.ts";
import { nearest } from "../catalog/nearest.ts";

/** What one flag or positional word was given as; text is as typed. */
export type FlagValue = string | boolean | string[];

/** A command line, understood. */
export interface Invocation {
  /** Absent where help or the version is asked for, or nothing at all. */
  command?: Command;
  /** The words that name the command or a group of commands. */
  words: string[];
  /** Inputs of the command by name. */
  values: Map<string, FlagValue>;
  /** Global flags by name. */
  globals: Map<string, FlagValue>;
  /** Settings given as flags, by path. */
  settings: Map<string, FlagValue>;
}

/** What a flag's name stands for. */
interface Target {
  place: "values" | "globals" | "settings";
  key: string;
  /** Takes no value. */
  isSwitch: boolean;
  isList: boolean;
  enum?: readonly string[];
  /** What `--no-…` means where it is not `false`. */
  off?: string;
}

/**
 * Understands a command line: flags anywhere, `--` ends them, `--flag=value`, `--no-flag`, joined short letters.
 *
 * @param argv the words after the program's name
 * @param manifest the operations and settings
 * @returns the command and what was given to it, as text
 * @throws {McpxError} `usage`, with the nearest thing that would have been right
 * @example
 * ```ts
 * import { parse } from "./parse.ts";
 * const manifest = { version: "1", operations: [], settings: [], exits: [] };
 * console.assert(parse(["--json", "paths"], manifest).globals.get("json") === true);
 * ```
 */
export function parse(argv: readonly string[], manifest: Manifest): Invocation {
  const commands = allCommands(manifest);
  const bare = bareWords(argv, commands, manifest);
  const found = findCommand(commands, bare);
  if (bare.length > found.length) found.command = withWords(found.command, commands);
  const invocation: Invocation = {
    words: bare.slice(0, found.length),
    values: new Map(),
    globals: new Map(),
    settings: new Map(),
    ...(found.command ? { command: found.command } : {}),
  };
  const positionals = readTokens(argv, invocation, manifest).slice(found.length);
  refuseContradictions(invocation);
  if (wantsHelp(invocation)) return invocation;
  if (!found.command) {
    if (positionals.length > 0) throw unknownCommand(bare, found.length, commands);
    return invocation;
  }
  placePositionals(found.command, positionals, invocation);
  return invocation;
}

/** The command that is meant where words follow one that takes none. */
function withWords(command: Command | undefined, commands: readonly Command[]): Command | undefined {
  const other = command && WITH_WORDS[command.words.join(" ")];
  if (other === undefined || command?.inputs.some((input) => input.positional !== undefined)) return command;
  return commands.find((one) => one.words.join(" ") === other) ?? command;
}

function wantsHelp(invocation: Invocation): boolean {
  return invocation.globals.get("help") === true || invocation.globals.get("version") === true;
}

/** The words that are no flags and no values of flags, before the command is known. */
function bareWords(argv: readonly string[], commands: readonly Command[], manifest: Manifest): string[] {
  const words: string[] = [];
  for (let i = 0; i < argv.length; i++) {
    const token = argv[i] ?? "";
    if (token === "--") return [...words, ...argv.slice(i + 1)];
    if (!isFlag(token)) words.push(token);
    else if (!token.includes("=") && takesValue(token, words, commands, manifest)) i++;
  }
  return words;
}

/** Whether the flag takes the next word, as far as the words before it tell which command is meant. */
function takesValue(
  token: string,
  words: readonly string[],
  commands: readonly Command[],
  manifest: Manifest,
): boolean {
  const { command } = findCommand(commands, words);
  const known = command ? [command] : commands;
  for (const one of known) {
    const target = targetOf(token, one, manifest);
    if (target) return !target.isSwitch;
  }
  return false;
}

/** A word that begins with a dash, and is neither `-` alone nor a negative number. */
function isFlag(token: string): boolean {
  return token.length > 1 && token.startsWith("-") && !/^-\.?\d/.test(token);
}

/** Walks the line, fills flags in, and gives the words that are left. */
function readTokens(argv: readonly string[], invocation: Invocation, manifest: Manifest): string[] {
  const words: string[] = [];
  for (let i = 0; i < argv.length; i++) {
    const token = argv[i] ?? "";
    if (token === "--") return [...words, ...argv.slice(i + 1)];
    if (!isFlag(token)) {
      words.push(token);
      continue;
    }
    if (!token.startsWith("--") && token.length > 2) {
      i += readLetters(token, argv[i + 1], invocation, manifest);
      continue;
    }
    const equals = token.indexOf("=");
    const name = equals < 0 ? token : token.slice(0, equals);
    const target = targetOf(name, invocation.command, manifest);
    if (!target) throw unknownFlag(name, invocation.command, manifest);
    const given = equals < 0 ? undefined : token.slice(equals + 1);
    i += setFlag(name, target, given, argv[i + 1], invocation);
  }
  return words;
}

/** Reads `-qv`, `-n5` and `-n 5`; gives how many further words it took. */
function readLetters(
  token: string,
  next: string | undefined,
  invocation: Invocation,
  manifest: Manifest,
): number {
  for (let at = 1; at < token.length; at++) {
    const name = `-${token[at]}`;
    const target = targetOf(name, invocation.command, manifest);
    if (!target) throw unknownFlag(name, invocation.command, manifest);
    if (target.isSwitch) {
      setFlag(name, target, undefined, undefined, invocation);
      continue;
    }
    const rest = token.slice(at + 1).replace(/^=/, "");
    return setFlag(name, target, rest === "" ? undefined : rest, next, invocation);
  }
  return 0;
}

/** Stores one flag; gives 1 when it took the next word. */
function setFlag(
  name: string,
  target: Target,
  given: string | undefined,
  next: string | undefined,
  invocation: Invocation,
): number {
  const store: Map<string, FlagValue> = invocation[target.place];
  const before = store.get(target.key);
  let value: string | boolean;
  let took = 0;
  if (name.startsWith("--no-") && target.off !== undefined) {
    if (given !== undefined) throw usage(`Cannot read ${name}=${given}: it takes no value.`);
    value = target.off === "false" ? false : target.off;
  } else if (target.isSwitch) {
    if (given !== undefined && given !== "true" && given !== "false") {
      throw usage(`Cannot read ${name}=${given}: it is true or false.`, `${name} or ${negated(name)}`);
    }
    value = given !== "false";
  } else {
    if (given === undefined && (next === undefined || next.startsWith("--"))) {
      throw usage(`Cannot read ${name}: it needs a value.`, `${name}=<value>`);
    }
    value = given ?? next ?? "";
    took = given === undefined ? 1 : 0;
    if (!target.isList) checkEnum(name, value, target.enum);
  }
  if (target.isList && typeof value === "string") {
    // Words out of a fixed set hold no commas, so those are between several.
    const several = target.enum ? value.split(",").map((word) => word.trim()) : [value];
    for (const one of several) checkEnum(name, one, target.enum);
    store.set(target.key, [...(Array.isArray(before) ? before : []), ...several]);
    return took;
  }
  if (before !== undefined && (before !== value || typeof value === "string")) {
    throw usage(
      typeof value === "boolean"
        ? `Cannot use ${name} and its opposite together.`
        : `Cannot use ${name} twice: it takes one value.`,
    );
  }
  store.set(target.key, value);
  return took;
}

function negated(name: string): string {
  return name.replace(/^--/, "--no-");
}

function checkEnum(name: string, value: string, allowed: readonly string[] | undefined): void {
  if (!allowed || allowed.includes(value)) return;
  const near = nearest(value, allowed)[0];
  throw usage(
    `Cannot read ${name}: ${JSON.stringify(value)} is none of ${allowed.join(", ")}.`,
    near === undefined ? undefined : name.startsWith("<") ? `Did you mean ${near}?` : `${name} ${near}`,
  );
}

/** Finds what a flag names: the command's own first, then the global ones, then settings. */
function targetOf(token: string, command: Command | undefined, manifest: Manifest): Target | undefined {
  const inputs = command ? inputsOf(command) : [];
  if (!token.startsWith("--")) {
    const letter = token.slice(1);
    const own = inputs.find((input) => input.short === letter);
    if (own) return inputTarget(own, "values");
    const global = GLOBAL_FLAGS.find((input) => input.short === letter);
    return global && inputTarget(global, "globals");
  }
  const equals = token.indexOf("=");
  const name = token.slice(2, equals < 0 ? undefined : equals);
  return named(name, inputs, manifest) ??
    (name.startsWith("no-") ? switchedOff(named(name.slice(3), inputs, manifest)) : undefined);
}

/** A target that `--no-…` may be said of. */
function switchedOff(target: Target | undefined): Target | undefined {
  return target?.off === undefined ? undefined : { ...target, isSwitch: true };
}

function named(name: string, inputs: readonly ManifestInput[], manifest: Manifest): Target | undefined {
  const own = inputs.find((input) => input.kind !== "pairs" && flagName(input) === name);
  if (own) return inputTarget(own, "values");
  const global = GLOBAL_FLAGS.find((input) => input.name === name);
  if (global) return inputTarget(global, "globals");
  const setting = manifest.settings.find((one) => one.flag === name);
  return setting && settingTarget(setting);
}

function inputTarget(input: ManifestInput, place: "values" | "globals"): Target {
  const isSwitch = input.kind === "boolean";
  return {
    place,
    key: input.name,
    isSwitch,
    isList: input.kind === "string[]",
    ...(isSwitch ? { off: "false" } : {}),
    ...(input.enum ? { enum: input.enum } : {}),
  };
}

function settingTarget(setting: ManifestSetting): Target {
  const isSwitch = setting.kind === "bool";
  const off = isSwitch ? "false" : setting.enum?.includes("off") ? "off" : undefined;
  return {
    place: "settings",
    key: setting.path,
    isSwitch,
    isList: setting.kind === "list",
    ...(off === undefined ? {} : { off }),
    ...(setting.enum ? { enum: setting.enum } : {}),
  };
}

/** Refuses flags that say the opposite of one another. */
function refuseContradictions(invocation: Invocation): void {
  const inputs = invocation.command ? inputsOf(invocation.command) : [];
  const groups: [readonly ManifestInput[], Map<string, FlagValue>][] = [
    [inputs, invocation.values],
    [GLOBAL_FLAGS, invocation.globals],
  ];
  for (const [declared, given] of groups) {
    for (const input of declared) {
      const other = input.conflicts?.find((name) => isGiven(given.get(name)));
      if (other === undefined || !isGiven(given.get(input.name))) continue;
      throw usage(`Cannot use --${flagName(input)} and --${flagName({ name: other })} together.`);
    }
  }
}

function isGiven(value: FlagValue | undefined): boolean {
  return value !== undefined && value !== false;
}

/** Gives the words that are left to the command's positional inputs. */
function placePositionals(command: Command, words: readonly string[], invocation: Invocation): void {
  const inputs = command.inputs.filter((input) => input.positional !== undefined)
    .sort((a, b) => (a.positional ?? 0) - (b.positional ?? 0));
  let at = 0;
  for (const input of inputs) {
    if (at >= words.length) break;
    if (invocation.values.has(input.name)) {
      if (!input.rest && inputs.at(-1) !== input) continue;
      throw usage(`Cannot use --${flagName(input)} and a word for the same input together.`);
    }
    const taken = input.rest
      ? words.slice(at)
      : words.slice(at, at + (input.words ? wordsBeforePairs(words.slice(at)) : 1));
    at += taken.length;
    const asList = input.kind === "string[]" || input.kind === "pairs";
    const value = asList ? taken : taken.join(" ");
    if (typeof value === "string") checkEnum(`<${flagName(input)}>`, value, input.enum);
    invocation.values.set(input.name, value);
  }
  if (at < words.length) {
    throw usage(
      `Cannot run mcpx ${command.words.join(" ")}: it takes no ${JSON.stringify(words[at])}.`,
      usageLine(command),
    );
  }
  const missing = command.inputs.find((input) => input.required && !invocation.values.has(input.name));
  if (missing) {
    const what = missing.positional === undefined ? `--${flagName(missing)}` : placeholder(missing);
    throw usage(`Cannot run mcpx ${command.words.join(" ")}: ${what} is missing.`, usageLine(command));
  }
}

/** How many words come before the first one that is an argument; the first is never one. */
function wordsBeforePairs(words: readonly string[]): number {
  const pair = words.findIndex((word, at) =>
    at > 0 && /^(?:-$|\{|[\p{ID_Start}$_][\p{ID_Continue}$.-]*=)/u.test(word)
  );
  return pair < 0 ? words.length : pair;
}

/** `mcpx call <tool> [key=value …]`. */
export function usageLine(command: Command): string {
  const inputs = command.inputs.filter((input) => input.positional !== undefined)
    .sort((a, b) => (a.positional ?? 0) - (b.positional ?? 0));
  return ["mcpx", ...command.words, ...inputs.map(placeholder)].join(" ");
}

function unknownCommand(bare: readonly string[], length: number, commands: readonly Command[]): McpxError {
  const depth = length + 1;
  const begun = bare.slice(0, length);
  const known = commands.filter((command) => !command.hidden).flatMap(spellings)
    .filter((spelling) => begun.every((word, i) => spelling.split(" ")[i] === word))
    .map((spelling) => spelling.split(" ").slice(0, depth).join(" "));
  const written = bare.slice(0, depth).join(" ");
  const near = nearest(written, [...new Set(known)])[0];
  return usage(
    `Cannot run mcpx ${written}: there is no such command${
      near === undefined ? "" : `; the nearest is mcpx ${near}`
    }.`,
    near === undefined ? ["mcpx", "help", ...begun].join(" ") : `mcpx ${near}`,
  );
}

function unknownFlag(name: string, command: Command | undefined, manifest: Manifest): McpxError {
  const inputs = [...(command ? inputsOf(command) : []), ...GLOBAL_FLAGS].filter((input) => !input.hidden);
  const own = inputs.filter((input) => input.kind !== "pairs").map((input) => `--${flagName(input)}`);
  const known = [...own, ...manifest.settings.map((setting) => `--${setting.flag}`)];
  const near = name.startsWith("--")
    ? nearest(name, known)[0] ?? nearest(name.replace(/^--no-/, "--"), known)[0]
    : undefined;
  const words = command?.words.join(" ") ?? "";
  return usage(
    `Cannot read ${name}: mcpx ${words}${words && " "}has no such flag${
      near === undefined ? "" : `; the nearest is ${near}`
    }.`,
    near ?? (`mcpx ${words} --help`).replace(/ +/g, " "),
  );
}

function usage(message: string, hint?: string): McpxError {
  return new McpxError("usage", message, hint === undefined ? {} : { hint });
}
