import type { Api } from "./api.ts";
import type { CliEntries } from "./entries.ts";
import type { CliIo } from "./io.ts";
import type { Manifest } from "./manifest_types.ts";
import type { Output } from "./output.ts";
import type { Invocation } from "./parse.ts";
import type { Paint } from "./render/style.ts";

/** What a running command works with. */
export interface CommandContext {
  io: CliIo;
  manifest: Manifest;
  entries: CliEntries;
  /** The daemon's API, where the command runs inside the daemon already. */
  here?: () => Promise<Api>;
  invocation: Invocation;
  out: Output;
  err: Output;
  json: boolean;
  plain: boolean;
  quiet: boolean;
  verbose: boolean;
  debug: boolean;
  paintOut: Paint;
  paintErr: Paint;
}

/** The text of a global flag, where it was given. */
export function globalText(invocation: Invocation, name: string): string | undefined {
  const value = invocation.globals.get(name);
  return typeof value === "string" ? value : undefined;
}

/** Writes a sentence on stderr, unless `--quiet` was given. */
export async function writeNote(cx: CommandContext, text: string): Promise<void> {
  if (!cx.quiet) await cx.err.line(`${cx.paintErr("yellow", "note:")} ${text}`);
}

/** Writes a local command's answer: as one JSON document, or as its text. */
export async function writeAnswer(cx: CommandContext, value: unknown, text: string): Promise<void> {
  if (!cx.json) return await cx.out.write(text);
  await cx.out.line(JSON.stringify(value, null, cx.io.isTerminal.stdout ? 2 : 0));
}
