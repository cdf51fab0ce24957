import { z } from "zod";
import type { Api } from "../lib/cli/api.ts";
import { isLocal } from "../lib/cli/commands.ts";
import { encodeFrame, type FrameTag } from "../lib/cli/frames.ts";
import type { ByteSink, CliIo } from "../lib/cli/io.ts";
import { runCli } from "../lib/cli/main.ts";
import { MANIFEST } from "../lib/cli/manifest.ts";
import { parse } from "../lib/cli/parse.ts";
import type { CommandRequest } from "../lib/cli/quick.ts";
import { McpxError } from "../lib/errors/mod.ts";
import { VERSION } from "../lib/version.ts";

/** What a command is run on. */
export interface CommandLineOptions {
  /** The key of the daemon's configuration set. */
  key: string;
  /** The daemon's own API, without a socket in between. */
  api(): Api;
}

/** Commands whose work is partly the process's own, beside those that are wholly local. */
const PARTLY_LOCAL = new Set(["stop", "config", "elicit watch"]);

/**
 * Runs a command line for the process that was started for it, and streams what it prints: `POST /v1/command`.
 *
 * @returns 200 with frames; 409 where the command has to run in its own process, and then nothing was done
 */
export function serveCommand(request: CommandRequest, options: CommandLineOptions): Response {
  if (request.version !== VERSION || request.key !== options.key || !runsAnywhere(request.argv)) {
    return new Response(null, { status: 409 });
  }
  const pipe = new TransformStream<Uint8Array, Uint8Array>();
  const writer = pipe.writable.getWriter();
  const interrupts = new Set<(status: number) => void>();
  // The process has gone: as if somebody had pressed Ctrl-C.
  writer.closed.catch(() => interrupts.forEach((interrupt) => interrupt(130)));
  const io = remoteIo(request, {
    sink: (tag) => frameSink(writer, tag),
    onInterrupt: (handler) => {
      interrupts.add(handler);
      return () => interrupts.delete(handler);
    },
  });
  void (async () => {
    const status = await runCli(request.argv, io, {
      manifest: MANIFEST,
      here: () => Promise.resolve(options.api()),
      entries: { daemon: notHere, inline: notHere },
    });
    await writer.write(encodeFrame("exit", Uint8Array.of(status)));
    await writer.close();
  })().catch(() => writer.abort().catch(() => undefined)); // whoever asked has gone
  return new Response(pipe.readable, { headers: { "content-type": "application/octet-stream" } });
}

/** Reads the body of `POST /v1/command`. @throws {McpxError} `invalid-input` with the member's name */
export function readCommand(body: unknown): CommandRequest {
  const parsed = commandRequest.safeParse(body);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new McpxError(
    "invalid-input",
    `Cannot run the command: \`${issue?.path.join(".") ?? ""}\` does not fit.`,
    {
      data: { field: issue?.path.join(".") ?? "" },
    },
  );
}

const commandRequest: z.ZodType<CommandRequest> = z.strictObject({
  argv: z.array(z.string()),
  cwd: z.string().startsWith("/"),
  parentPid: z.int().positive(),
  env: z.record(z.string(), z.string()),
  isTerminal: z.strictObject({ stdout: z.boolean(), stderr: z.boolean() }),
  version: z.string(),
  key: z.string(),
});

/** A line that does not parse is explained anywhere just as well. */
function runsAnywhere(argv: readonly string[]): boolean {
  try {
    const { command } = parse(argv, MANIFEST);
    return !command || (!isLocal(command) && !PARTLY_LOCAL.has(command.words.join(" ")));
  } catch (error) {
    if (error instanceof McpxError) return true;
    throw error;
  }
}

function remoteIo(
  request: CommandRequest,
  parts: { sink(tag: FrameTag): ByteSink; onInterrupt: CliIo["onInterrupt"] },
): CliIo {
  const nothing = new Uint8Array(0);
  return {
    stdout: parts.sink("stdout"),
    stderr: parts.sink("stderr"),
    openStdin: () => new Blob([nothing]).stream(),
    readStdin: () => Promise.resolve(nothing),
    isTerminal: { stdin: false, ...request.isTerminal },
    columns: () => Number(request.env.COLUMNS) || 80,
    env: (name) => request.env[name],
    cwd: request.cwd,
    parentPid: request.parentPid,
    onInterrupt: parts.onInterrupt,
    exit: (status) => {
      throw new McpxError("cancelled", `Interrupted with status ${status}.`);
    },
  };
}

function frameSink(writer: WritableStreamDefaultWriter<Uint8Array>, tag: FrameTag): ByteSink {
  return {
    write: async (bytes) => {
      try {
        await writer.write(encodeFrame(tag, bytes));
      } catch (cause) {
        throw new Deno.errors.BrokenPipe("the command's process has gone", { cause });
      }
      return bytes.length;
    },
  };
}

function notHere(): Promise<never> {
  return Promise.reject(new McpxError("unsupported", "Cannot do that inside the daemon."));
}
