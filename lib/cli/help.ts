import { McpxError } from "../errors/mod.ts";
import { nearest } from "../catalog/nearest.ts";
import { allCommands, type Command, findCommand, inputsOf, spellings } from "./commands.ts";
import type { CommandContext } from "./context.ts";
import { flagName, placeholder } from "./flag_names.ts";
import { GLOBAL_FLAGS } from "./global_flags.ts";
import type { Manifest, ManifestInput } from "./manifest_types.ts";
import { usageLine } from "./parse.ts";
import type { Paint } from "./render/style.ts";

/**
 * Shows help for what the line names: the whole program, a group of commands, or one command.
 *
 * @returns 0
 * @throws {McpxError} `usage` when `mcpx help` is asked about a command that does not exist
 */
export async function showHelp(
  cx: CommandContext,
  words: readonly string[] = cx.invocation.words,
): Promise<number> {
  const text = helpText(cx, words);
  await cx.out.write(cx.json ? JSON.stringify({ help: text }) + "\n" : text);
  return 0;
}

function helpText(cx: CommandContext, words: readonly string[]): string {
  const { manifest, paintOut: paint } = cx;
  const commands = allCommands(manifest).filter((command) => !command.hidden);
  if (words.length === 0) {
    const asked = cx.invocation.globals.get("help") === true || cx.invocation.command !== undefined;
    return asked ? wholeHelp(manifest, commands, paint) : shortHelp(commands, paint);
  }
  const found = findCommand(commands, words);
  if (found.command && found.length === words.length) return commandHelp(found.command, manifest, paint);
  const group = commands.filter((one) => words.every((word, at) => one.words[at] === word));
  if (group.length > 0) return groupHelp(words, group, paint);
  const near = nearest(words.join(" "), commands.flatMap(spellings))[0];
  throw new McpxError("usage", `Cannot show help: there is no command mcpx ${words.join(" ")}.`, {
    hint: near === undefined ? "mcpx --help" : `mcpx help ${near}`,
  });
}

function shortHelp(commands: readonly Command[], paint: Paint): string {
  const common = commands.filter((command) => command.rank !== undefined)
    .sort((a, b) => (a.rank ?? 0) - (b.rank ?? 0));
  return sections(
    "mcpx: many MCP servers, one command line.",
    `${paint("bold", "Usage:")} mcpx <command> [flags]`,
    titled("Examples:", common.slice(0, 4).flatMap((one) => examplesOf(one).slice(0, 1)), paint),
    titled("Common commands:", commandRows(common.length > 0 ? common : commands), paint),
    "Every command has --help; mcpx --help lists them all.",
  );
}

function wholeHelp(manifest: Manifest, commands: readonly Command[], paint: Paint): string {
  return sections(
    "mcpx: many MCP servers, one command line.",
    `${paint("bold", "Usage:")} mcpx <command> [flags]`,
    titled("Commands:", commandRows(commands), paint),
    titled("Flags of every command:", GLOBAL_FLAGS.map(flagRow), paint),
    "Every setting is a flag too: mcpx settings list. What mcpx exec.timeout is in a file is --exec-timeout here.",
    titled("Exit status:", manifest.exits.map((one) => [String(one.status), one.meaning]), paint),
  );
}

function groupHelp(words: readonly string[], commands: readonly Command[], paint: Paint): string {
  const name = words.join(" ");
  return sections(
    `${paint("bold", "Usage:")} mcpx ${name} <command> [flags]`,
    titled("Examples:", commands.flatMap((one) => examplesOf(one).slice(0, 1)), paint),
    titled("Commands:", commandRows(commands), paint),
  );
}

function commandHelp(command: Command, manifest: Manifest, paint: Paint): string {
  const inputs = inputsOf(command).filter((input) => !input.hidden);
  const words = inputs.filter((input) => input.positional !== undefined);
  const flags = inputs.filter((input) =>
    input.kind !== "pairs" && (input.positional === undefined || !input.required)
  );
  const read = new Set(command.settings);
  const settings = manifest.settings.filter((row) => read.has(row.path));
  const more = command.description === command.summary ? "" : command.description;
  return sections(
    command.summary,
    `${paint("bold", "Usage:")} ${usageLine(command)} [flags]`,
    titled("Examples:", examplesOf(command), paint),
    more,
    titled("Arguments:", words.map((input) => [placeholder(input), describe(input)]), paint),
    titled("Flags:", flags.map(flagRow), paint),
    titled(
      "Settings it reads:",
      settings.map((row) => [
        `--${row.flag}${row.kind === "bool" ? "" : ` <${row.kind}>`}`,
        `${row.help} [default: ${row.default === "" ? "none" : row.default}]`,
      ]),
      paint,
    ),
    command.aliases.length === 0 ? "" : `Also: ${command.aliases.map((one) => `mcpx ${one}`).join(", ")}`,
    "Flags of every command, such as --json and --config: mcpx --help",
  );
}

function sections(...parts: readonly string[]): string {
  return parts.filter((part) => part !== "").map((part) => part.trimEnd()).join("\n\n") + "\n";
}

function titled(title: string, rows: readonly (readonly string[])[], paint: Paint): string {
  if (rows.length === 0) return "";
  const width = Math.min(52, Math.max(...rows.map((row) => (row[0] ?? "").length)));
  const lines = rows.map(([left = "", right = ""]) => {
    if (right === "") return `  ${left}`;
    return `  ${left.padEnd(width)}  ${right}`;
  });
  return [paint("bold", title), ...lines].join("\n");
}

function examplesOf(command: Command): string[][] {
  return command.examples.map((example) => [example.command, `# ${example.note}`]);
}

function commandRows(commands: readonly Command[]): string[][] {
  const rows = new Map<string, string[]>();
  for (const command of commands) {
    const name = command.words.join(" ");
    if (!rows.has(name)) rows.set(name, [name, command.summary]);
  }
  return [...rows.values()];
}

function flagRow(input: ManifestInput): string[] {
  const letter = input.short === undefined ? "    " : `-${input.short}, `;
  const value = input.kind === "boolean"
    ? ""
    : ` <${input.enum?.join("|") ?? input.kind.replace("string[]", "text")}>`;
  return [`${letter}--${flagName(input)}${value}`, describe(input)];
}

function describe(input: ManifestInput): string {
  const notes: string[] = [];
  if (input.enum && input.positional !== undefined) notes.push(`one of ${input.enum.join(", ")}`);
  if (input.kind === "string[]" && input.positional === undefined) notes.push("may be repeated");
  if (input.reads === "stdin") notes.push("- reads standard input");
  if (input.reads === "script") notes.push("a name, a file, or - for standard input");
  if (input.default !== undefined && input.default !== null) notes.push(`default: ${String(input.default)}`);
  return notes.length === 0 ? input.help : `${input.help} [${notes.join("; ")}]`;
}
