import { McpxError } from "../errors/mod.ts";
import type { Api } from "./api.ts";
import { isLocal } from "./commands.ts";
import type { CommandContext } from "./context.ts";
import type { CliEntries } from "./entries.ts";
import type { CliIo } from "./io.ts";
import type { Manifest } from "./manifest_types.ts";
import { Output, OutputClosed } from "./output.ts";
import { type Invocation, parse } from "./parse.ts";
import { painter } from "./render/style.ts";

const INTERRUPTED = 130;

/** What the command line is bound to. */
export interface CliOptions {
  manifest: Manifest;
  entries: CliEntries;
  /** The daemon's API, where the command runs inside the daemon already. */
  here?: () => Promise<Api>;
}

/**
 * Runs one command line: parse, one request to the daemon, show the answer.
 *
 * @param argv the words after the program's name
 * @param io standard streams, environment and signals
 * @param options the operations, and what stands above the command line
 * @returns the exit status: 0 done, 1 failed, 2 usage, 75 waiting for input, 124 timed out, 130 interrupted (143 by TERM,
 * 129 by HUP)
 */
export async function runCli(argv: readonly string[], io: CliIo, options: CliOptions): Promise<number> {
  const out = new Output(io.stdout);
  const err = new Output(io.stderr);
  const early = earlyFlags(argv);
  try {
    const invocation = parse(argv, options.manifest);
    return told(await dispatch(contextOf(invocation, { io, out, err, options })), io);
  } catch (thrown) {
    // Whoever read the output has had enough of it: that is no failure of the command.
    if (thrown instanceof OutputClosed) return 0;
    return told(await reportError(McpxError.from(thrown), { io, out, err, ...early }), io);
  }
}

/** The exit status, which tells of an interrupted command what signal it was. */
function told(status: number, io: CliIo): number {
  return status === INTERRUPTED ? io.interruptedWith?.() ?? status : status;
}

function contextOf(
  invocation: Invocation,
  parts: { io: CliIo; out: Output; err: Output; options: CliOptions },
): CommandContext {
  const { io, out, err, options } = parts;
  const given = (name: string): boolean => invocation.globals.get(name) === true;
  const color = invocation.globals.get("color");
  const flag = typeof color === "boolean" ? color : undefined;
  return {
    io,
    ...options,
    invocation,
    out,
    err,
    json: given("json"),
    plain: given("plain"),
    quiet: given("quiet"),
    verbose: given("verbose"),
    debug: given("debug"),
    paintOut: painter(io, "stdout", flag),
    paintErr: painter(io, "stderr", flag),
  };
}

// What a command does not need is loaded by a specifier that the runtime does not see before it starts: resolving those modules
// for a graph costs every command several milliseconds.

async function dispatch(cx: CommandContext): Promise<number> {
  const { command, globals } = cx.invocation;
  if (globals.get("version") === true) {
    const { version } = cx.manifest;
    await cx.out.line(cx.json ? JSON.stringify({ version }) : `mcpx ${version}`);
    return 0;
  }
  if (globals.get("help") === true || !command) {
    const { showHelp } = await import("./help.ts" as string) as typeof import("./help.ts");
    return await showHelp(cx);
  }
  if (isLocal(command)) {
    const { runLocal } = await import(
      "./local/run_local.ts" as string
    ) as typeof import("./local/run_local.ts");
    return await runLocal(cx, command);
  }
  const words = command.words.join(" ");
  if (words === "config" && cx.invocation.values.get("path") === true) {
    const { showConfigPaths } = await import(
      "./local/config_paths.ts" as string
    ) as typeof import("./local/config_paths.ts");
    return await showConfigPaths(cx);
  }
  if (words === "config" && cx.invocation.values.get("schema") === true) {
    const { showConfigSchema } = await import(
      "./local/config_schema.ts" as string
    ) as typeof import("./local/config_schema.ts");
    return await showConfigSchema(cx);
  }
  if (words === "types" && cx.invocation.values.get("write") === true) {
    const { writeTypes } = await import(
      "./local/write_types.ts" as string
    ) as typeof import("./local/write_types.ts");
    return await writeTypes(cx, command);
  }
  if (words === "stop") {
    const { stopDaemons } = await import("./local/stop.ts" as string) as typeof import("./local/stop.ts");
    return await stopDaemons(cx, command);
  }
  const { runOperation } = await import(
    "./run_operation.ts" as string
  ) as typeof import("./run_operation.ts");
  return await runOperation(cx, command);
}

/** What an error report needs to know of a line that may not parse. */
function earlyFlags(argv: readonly string[]): { json: boolean; debug: boolean; color?: boolean } {
  const end = argv.indexOf("--");
  const flags = new Set(end < 0 ? argv : argv.slice(0, end));
  const color = flags.has("--color") ? true : flags.has("--no-color") ? false : undefined;
  return {
    json: flags.has("--json") || flags.has("--json=true"),
    debug: flags.has("--debug"),
    ...(color === undefined ? {} : { color }),
  };
}

async function reportError(
  error: McpxError,
  to: { io: CliIo; out: Output; err: Output; json: boolean; debug: boolean; color?: boolean },
): Promise<number> {
  try {
    if (to.json) {
      const diagnostics = error.diagnostics ? { diagnostics: error.diagnostics } : {};
      await to.out.line(JSON.stringify({ error: error.toBody(), ...diagnostics }));
    } else {
      const { renderError } = await import(
        "./render/render_error.ts" as string
      ) as typeof import("./render/render_error.ts");
      await to.err.write(renderError(error, { paint: painter(to.io, "stderr", to.color), debug: to.debug }));
    }
  } catch (thrown) {
    if (!(thrown instanceof OutputClosed)) throw thrown;
  }
  return error.exit;
}
