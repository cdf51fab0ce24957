import { LOCAL_COMMANDS, LOCAL_FLAGS, type LocalCommand } from "./local_commands.ts";
import type { Manifest, ManifestCommand, ManifestInput, ManifestOperation } from "./manifest_types.ts";

/** A command of either kind. */
export type Command = ManifestOperation | LocalCommand;

/** Whether the command line answers `command` itself. */
export function isLocal(command: Command): command is LocalCommand {
  return "local" in command;
}

/** Every command: the daemon's operations, then those about this machine. */
export function allCommands(manifest: Manifest): Command[] {
  return [...manifest.operations, ...LOCAL_COMMANDS];
}

/** Every spelling of a command's words, the main one first. */
export function spellings(command: ManifestCommand): string[] {
  return [command.words.join(" "), ...command.aliases];
}

/** A command's inputs, with those that the command line adds to it. */
export function inputsOf(command: Command): ManifestInput[] {
  const inputs = [...command.inputs];
  const added = isLocal(command) ? [] : LOCAL_FLAGS[command.words.join(" ")] ?? [];
  for (const input of added) if (!inputs.some((one) => one.name === input.name)) inputs.push(input);
  if (inputs.some((input) => input.kind === "pairs")) inputs.push(ARGS_FLAG);
  return inputs;
}

/** The other way to give arguments, beside every `pairs` input. */
const ARGS_FLAG: ManifestInput = {
  name: "args",
  kind: "string",
  required: false,
  help: "The arguments as a JSON object, a file that holds one, or - for standard input.",
  in: "body",
  completion: "file",
};

/** What the first words of a line name. */
export interface FoundCommand {
  command?: Command;
  /** How many of the words belong to the command, or to the group of commands that they begin. */
  length: number;
}

/** Finds the command whose words are the longest beginning of `words`. */
export function findCommand(commands: readonly Command[], words: readonly string[]): FoundCommand {
  let found: FoundCommand = { length: 0 };
  let group = 0;
  for (const command of commands) {
    for (const spelling of spellings(command)) {
      const parts = spelling.split(" ");
      let same = 0;
      while (same < parts.length && parts[same] === words[same]) same++;
      if (same === parts.length && same > found.length) found = { command, length: same };
      else if (same < parts.length && same === words.length) group = Math.max(group, same);
      else if (same > 0 && same < parts.length) group = Math.max(group, same);
    }
  }
  return found.command ? found : { length: group };
}
