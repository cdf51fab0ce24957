import { allCommands, type Command, inputsOf } from "../commands.ts";
import { type CommandContext, writeAnswer } from "../context.ts";
import { flagName } from "../flag_names.ts";
import { GLOBAL_FLAGS } from "../global_flags.ts";
import type { Manifest, ManifestInput } from "../manifest_types.ts";
import { usageLine } from "../parse.ts";

/** Prints the manual page, made from the same tables as the help. */
export async function printManual(cx: CommandContext): Promise<number> {
  const page = manualPage(cx.manifest);
  await writeAnswer(cx, { page }, page);
  return 0;
}

/**
 * Writes the manual page in roff.
 *
 * @param manifest the operations and settings
 */
export function manualPage(manifest: Manifest): string {
  const commands = allCommands(manifest).filter((command) => !command.hidden);
  return [
    `.TH MCPX 1 "" "mcpx ${roff(manifest.version)}" "User Commands"`,
    ".SH NAME",
    "mcpx \\- many MCP servers, one command line",
    ".SH SYNOPSIS",
    ".B mcpx",
    "\\fIcommand\\fR [\\fIflags\\fR]",
    ".SH DESCRIPTION",
    "mcpx stands between many MCP servers and whoever wants to use their tools. A daemon keeps the servers warm; the first " +
    "command starts it.",
    ".SH COMMANDS",
    ...commands.flatMap(commandPart),
    ".SH GLOBAL FLAGS",
    ...GLOBAL_FLAGS.flatMap(flagPart),
    ".SH SETTINGS",
    "Every setting is a key in a configuration file, a variable and a flag.",
    ...manifest.settings.flatMap((row) => [
      ".TP",
      `.B ${roff(row.path)}`,
      text(
        `${row.help} Default: ${row.default === "" ? "none" : row.default}. \\-\\-${row.flag}, ${row.env}.`,
        false,
      ),
    ]),
    ".SH FILES",
    ".TP",
    ".I .mcpx.json, .mcpx/config.json, .mcp.json",
    "A project's configuration, looked for from the working directory upward.",
    ".TP",
    ".I ~/.config/mcpx/config.json",
    "The user's own. mcpx paths names every folder.",
    ".SH EXIT STATUS",
    ...manifest.exits.flatMap(({ status, meaning }) => [".TP", `.B ${status}`, text(meaning)]),
    "",
  ].join("\n");
}

function commandPart(command: Command): string[] {
  const inputs = inputsOf(command).filter((input) => !input.hidden && input.kind !== "pairs");
  const flags = inputs.filter((input) => input.positional === undefined || !input.required);
  const more = command.description === command.summary ? "" : ` ${command.description}`;
  return [
    ".SS " + roff(usageLine(command)),
    text(command.summary + more),
    ...flags.flatMap(flagPart),
    ...(command.examples.length === 0
      ? []
      : [".PP", ".nf", ...command.examples.map(({ command: line }) => `    ${text(line)}`), ".fi"]),
  ];
}

function flagPart(input: ManifestInput): string[] {
  const letter = input.short === undefined ? "" : `\\-${input.short}, `;
  const value = input.kind === "boolean" ? "" : ` \\fI${roff(input.enum?.join("|") ?? "value")}\\fR`;
  return [".TP", `\\fB${letter}\\-\\-${roff(flagName(input))}\\fR${value}`, text(input.help)];
}

/** A line that cannot be taken for a request of roff. */
function text(words: string, escape = true): string {
  const line = (escape ? roff(words) : words).replace(/\s*\n\s*/g, " ");
  return /^[.']/.test(line) ? `\\&${line}` : line;
}

function roff(words: string): string {
  return words.replaceAll("\\", "\\e").replaceAll("-", "\\-");
}
