import type { ManifestCommand, ManifestInput } from "./manifest_types.ts";

/** A command about this machine, that needs no daemon to answer it. */
export interface LocalCommand extends ManifestCommand {
  local:
    | "paths"
    | "daemons"
    | "completion"
    | "complete"
    | "help"
    | "daemon"
    | "serve"
    | "init"
    | "doctor"
    | "trust"
    | "import"
    | "install"
    | "uninstall"
    | "man";
  /** Whether it talks to a daemon, so that settings can be given as flags. */
  asksDaemon?: true;
}

/** The hosts whose files are read and written, by the words that name them. */
export const HOST_IDS: readonly string[] = [
  "claude",
  "claude-code",
  "cursor",
  "vscode",
  "codex",
  "windsurf",
  "opencode",
  "gemini",
];

function input(
  name: string,
  kind: ManifestInput["kind"],
  help: string,
  rest: Partial<ManifestInput> = {},
): ManifestInput {
  return { name, kind, required: false, help, in: "body", ...rest };
}

const YES = input("yes", "boolean", "Do it without asking.", { short: "y", conflicts: ["dryRun"] });
const DRY_RUN = input("dryRun", "boolean", "Show what would be done, and do nothing.", { short: "n" });
const OWNER = input("to", "enum", "Whose file is written.", { enum: ["project", "user"] });

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
  local("init", "Make a configuration file to begin with.", {
    description:
      "Makes an .mcpx.json in this folder, or with --to user the user's own file. What is there is left alone.",
    examples: [
      { command: "mcpx init", note: "in this folder" },
      { command: "mcpx init --to user", note: "for every folder" },
    ],
    inputs: [OWNER],
    rank: 5,
  }),
  local("doctor", "Check everything that mcpx needs, and say what to do about what is wrong.", {
    description:
      "Checks the folders, the configuration, the daemon, every server and the sandbox. Servers are started for it. Exits 1 where a check fails.",
    examples: [
      { command: "mcpx doctor", note: "every check" },
      { command: "mcpx doctor --no-servers", note: "start no server" },
    ],
    inputs: [input("servers", "boolean", "Start and read every server.", { default: true })],
    asksDaemon: true,
    rank: 70,
  }),
  local("trust", "Let a project's configuration file run commands and name endpoints.", {
    description:
      "Records a project's file by its content. Until then its hooks, model endpoints and ${cmd:…} are left out; an edit ends the trust. Without a file, every project file in use is meant.",
    examples: [
      { command: "mcpx trust", note: "the project files of this folder" },
      { command: "mcpx trust .mcpx.json --remove", note: "take it back" },
      { command: "mcpx trust --list", note: "what is trusted" },
    ],
    inputs: [
      input("file", "string", "A configuration file.", { positional: 0, completion: "file" }),
      input("list", "boolean", "List what is trusted.", { conflicts: ["remove", "file"] }),
      input("remove", "boolean", "Take the trust back."),
    ],
  }),
  local("import", "Take over the servers of another MCP host.", {
    words: ["config", "import"],
    description:
      "Reads other hosts' files and prints their servers in mcpx's form, or with --write puts them into a file of mcpx's own. Without --from every host's files are read. A note names what looks like a secret: it is copied as it is written.",
    examples: [
      { command: "mcpx config import", note: "what there is to take over" },
      { command: "mcpx config import --from cursor --write", note: "one host's servers, into a file" },
    ],
    inputs: [
      input("from", "string", `A host (${HOST_IDS.join(", ")}) or a file.`, { completion: "host" }),
      input("write", "boolean", "Write them into a file instead of printing them."),
      OWNER,
      input("replace", "boolean", "Replace servers of the same names."),
    ],
  }),
  local("install", "Add mcpx to another MCP host, as one of its servers.", {
    description:
      "Shows the change, asks, keeps the old file beside the new one, and leaves everything else in it alone. Where nobody can be asked, --yes is needed.",
    examples: [
      { command: "mcpx install claude-code --dry-run", note: "what would be written" },
      { command: "mcpx install cursor --to project --yes", note: "into this project's file" },
    ],
    inputs: [
      input("host", "enum", "The host.", { enum: HOST_IDS, positional: 0, required: true }),
      OWNER,
      DRY_RUN,
      YES,
    ],
  }),
  local("uninstall", "Take mcpx out of other hosts' files, or off this machine.", {
    description:
      "Without a host, out of the files of every host. With --purge the daemons are stopped and mcpx's state, cache and data are removed; your configuration, scripts and recipes stay.",
    examples: [
      { command: "mcpx uninstall cursor", note: "out of one host" },
      { command: "mcpx uninstall --purge --dry-run", note: "what a purge would remove" },
    ],
    inputs: [
      input("host", "enum", "The host.", { enum: HOST_IDS, positional: 0 }),
      input("purge", "boolean", "Stop the daemons and remove what mcpx keeps."),
      DRY_RUN,
      YES,
    ],
  }),
  local("man", "Print the manual page.", {
    examples: [{ command: "mcpx man | man -l -", note: "read it" }, {
      command: "mcpx man > ~/.local/share/man/man1/mcpx.1",
      note: "keep it",
    }],
  }),
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
    examples: [
      { command: "mcpx serve", note: "the command of mcpx in a host's mcpServers" },
      { command: "mcpx serve --serve-mode passthrough", note: "offer the servers' own tools" },
    ],
    settings: ["serve.mode", "serve.nameLimit", "serve.pageSize", "servers.groups"],
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
    conflicts: ["sources", "schema"],
  }, {
    name: "schema",
    kind: "boolean",
    required: false,
    help: "Print the JSON Schema of a configuration file, for editors; asks no daemon.",
    in: "body",
    conflicts: ["sources"],
  }, {
    name: "sources",
    kind: "boolean",
    required: false,
    help: "Show what each file gave, too.",
    in: "body",
  }],
  types: [{
    name: "write",
    kind: "boolean",
    required: false,
    help: "Write them into .mcpx/types of the project, where editors find them.",
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
