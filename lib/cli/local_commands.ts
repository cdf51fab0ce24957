import type { ManifestCommand, ManifestInput } from "./manifest_types.ts";

/** A command about this machine, that needs no daemon to answer it. */
export interface LocalCommand extends ManifestCommand {
  local: "paths" | "daemons" | "completion" | "complete" | "help" | "daemon" | "serve";
}

function local(
  name: LocalCommand["local"],
  summary: string,
  rest: Partial<LocalCommand> & { inputs?: readonly ManifestInput[] } = {},
): LocalCommand {
  return {
    local: name,
    words: [name],
    aliases: [],
    summary,
    description: summary,
    examples: [{ command: `mcpx ${name}`, note: summary.replace(/\.$/, "") }],
    inputs: [],
    settings: [],
    errors: [],
    ...rest,
  };
}

/** The commands that are answered by the command line itself. */
export const LOCAL_COMMANDS: readonly LocalCommand[] = [
  local("paths", "Show the folders and files that mcpx uses."),
  local("daemons", "List the daemons of this user, and whether each one lives."),
  local("completion", "Print the completion script for a shell.", {
    description: "Prints a script that makes the shell complete mcpx's commands, flags, tools and recipes.",
    examples: [
      { command: "mcpx completion bash > ~/.local/share/bash-completion/completions/mcpx", note: "bash" },
      { command: 'mcpx completion zsh > "${fpath[1]}/_mcpx"', note: "zsh" },
      { command: "mcpx completion fish > ~/.config/fish/completions/mcpx.fish", note: "fish" },
    ],
    inputs: [{
      name: "shell",
      kind: "enum",
      enum: ["bash", "zsh", "fish"],
      required: true,
      positional: 0,
      help: "The shell.",
      in: "body",
    }],
  }),
  local("complete", "Print what may follow the words so far.", {
    words: ["__complete"],
    hidden: true,
    inputs: [{
      name: "words",
      kind: "string[]",
      required: false,
      positional: 0,
      rest: true,
      help: "",
      in: "body",
    }],
  }),
  local("help", "Show help for a command.", {
    inputs: [{
      name: "command",
      kind: "string[]",
      required: false,
      positional: 0,
      rest: true,
      help: "The command's words.",
      in: "body",
    }],
  }),
  local("daemon", "Run the daemon in the foreground.", {
    description:
      "Runs the daemon in the foreground. Commands start one by themselves when none runs; daemon-scoped settings are taken as flags.",
    examples: [
      { command: "mcpx daemon", note: "serve this folder's configuration" },
      { command: "mcpx daemon --http-listen 127.0.0.1:7337", note: "serve TCP too" },
    ],
    inputs: [
      {
        name: "detached",
        kind: "boolean",
        required: false,
        hidden: true,
        help: "Print one line on stdout when ready.",
        in: "body",
      },
      {
        name: "settingsJson",
        kind: "json",
        required: false,
        hidden: true,
        help: "Daemon-scoped settings as one JSON object, from the command that starts it.",
        in: "body",
      },
      {
        name: "printUnit",
        kind: "enum",
        enum: ["systemd", "launchd"],
        required: false,
        help: "Print a service unit instead.",
        in: "body",
      },
    ],
  }),
  local("serve", "Be an MCP server on stdin and stdout.", {
    description: "Offers mcpx to an MCP host: a bridge from stdin and stdout to the daemon's MCP face.",
    examples: [{ command: "mcpx serve", note: "the command of mcpx in a host's mcpServers" }],
  }),
];

/** Flags that the command line adds to an operation of the daemon because it answers them itself. */
export const LOCAL_FLAGS: Readonly<Record<string, readonly ManifestInput[]>> = {
  config: [{
    name: "path",
    kind: "boolean",
    required: false,
    help: "Print the paths of the files in use, nearest first; asks no daemon.",
    in: "body",
    conflicts: ["sources"],
  }, {
    name: "sources",
    kind: "boolean",
    required: false,
    help: "Show what each file gave, too.",
    in: "body",
  }],
  stop: [{
    name: "all",
    kind: "boolean",
    required: false,
    help: "Stop every daemon of this user.",
    in: "body",
  }],
};

/** Commands that stand for another one when words follow: `mcpx ls demo` is `mcpx tools demo`. */
export const WITH_WORDS: Readonly<Record<string, string>> = { ls: "tools" };
