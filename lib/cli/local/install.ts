import { HOSTS } from "../../config/hosts/table.ts";
import type { HostFile, HostFormat } from "../../config/hosts/types.ts";
import { isMcpxItself } from "../../config/itself.ts";
import { replaceFile } from "../../config/replace_file.ts";
import { readRegularText } from "../../store/read_regular_file.ts";
import { McpxError } from "../../errors/mod.ts";
import { type CommandContext, writeAnswer, writeNote } from "../context.ts";
import { confirm } from "./confirm.ts";
import { hostPlace } from "./host_place.ts";
import { lineChanges } from "./line_changes.ts";
import { ownCommand } from "./own_command.ts";

/** The most that a host's file may have. */
const MAX_HOST_FILE_BYTES = 64 * 1024 * 1024;

/** A change of another program's file, not made yet. */
export interface HostChange {
  host: string;
  path: string;
  /** The present text; nothing for a new file. */
  before?: string;
  after: string;
}

/**
 * Adds mcpx to another host's configuration: planned, shown, agreed to, backed up.
 *
 * @throws {McpxError} `not-confirmed`, `invalid-config` for a file that cannot be parsed, `state-unwritable`
 */
export async function installInto(cx: CommandContext): Promise<number> {
  const host = hostOf(cx);
  const file = await fileOf(cx, host);
  const before = await readIfThere(file.path);
  if (before !== undefined) host.parse(before, file.path, hostPlace(cx)); // whose error names the file
  const entry = ownCommand(cx.io, ["serve"]);
  const after = host.render(before, { mcpx: entry });
  const change: HostChange = {
    host: host.id,
    path: file.path,
    after,
    ...(before === undefined ? {} : { before }),
  };
  return await applyChanges(cx, [change], {
    question: `Write this into ${host.title}'s file?`,
    again: `mcpx install ${host.id} --yes`,
    done: () => `Restart ${host.title}, or reload its servers, to see mcpx there.\n`,
  });
}

/**
 * Shows changes of other programs' files, asks, and makes them.
 *
 * @param texts what is asked, the command that needs no answer, and what is said at the end
 * @returns the exit status: 1 where the answer was no
 */
export async function applyChanges(
  cx: CommandContext,
  changes: readonly HostChange[],
  texts: { question: string; again: string; done(): string },
): Promise<number> {
  const real = changes.filter(({ before, after }) => before !== after);
  const shown = real.map((change) => `${change.path}\n${lineChanges(change.before ?? "", change.after)}`)
    .join("\n");
  const plan = real.map(({ host, path, before }) => ({ host, path, created: before === undefined }));
  if (real.length === 0) {
    await writeAnswer(cx, { changed: [] }, "Nothing to change.\n");
    return 0;
  }
  if (cx.invocation.values.get("dryRun") === true) {
    await writeAnswer(cx, { planned: plan, changes: shown }, shown);
    return 0;
  }
  if (!cx.quiet) await cx.err.write(shown);
  if (!await confirm(cx, texts.question, texts.again)) {
    await writeNote(cx, "Nothing was changed.");
    return 1;
  }
  const changed = [];
  for (const { host, path, before, after } of real) {
    const backup = await replaceFile(path, after, { backup: true, expected: before ?? "" });
    changed.push({ host, path, ...(backup === undefined ? {} : { backup }) });
  }
  const lines = changed.map(({ path, backup }) =>
    `Wrote ${path}.${backup === undefined ? "" : ` The old file is ${backup}.`}\n`
  );
  await writeAnswer(cx, { changed }, lines.join("") + texts.done());
  return 0;
}

/** The host that the command names. @throws {McpxError} `usage` */
export function hostOf(cx: CommandContext): HostFormat {
  const id = cx.invocation.values.get("host");
  const host = HOSTS.find((one) => one.id === id);
  if (host) return host;
  throw new McpxError("usage", `Cannot use the host ${String(id)}: there is no such host.`, {
    hint: `Hosts: ${HOSTS.map((one) => one.id).join(", ")}.`,
  });
}

/** Reads a file, where there is one. @throws {McpxError} `invalid-config` */
export async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readRegularText(path, { limit: MAX_HOST_FILE_BYTES });
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) return undefined;
    const reason = error instanceof Error ? error.message : String(error);
    throw new McpxError("invalid-config", `Cannot read ${path}: ${reason}.`, { cause: error });
  }
}

/** Whether an entry of a host starts mcpx. */
export function isMcpxEntry(entry: { command?: string; args?: string[] }): boolean {
  return entry.command !== undefined && isMcpxItself(entry.command, entry.args ?? []);
}

/** The file that is written: of whom was asked for, the one that exists before the one that does not. */
async function fileOf(cx: CommandContext, host: HostFormat): Promise<HostFile> {
  const scope = cx.invocation.values.get("to") ?? "user";
  const files = host.files(hostPlace(cx));
  const wanted = files.filter((file) => file.scope === scope);
  const candidates = wanted.length > 0 ? wanted : cx.invocation.values.has("to") ? [] : files;
  for (const file of candidates) if (await readIfThere(file.path) !== undefined) return file;
  const [first] = candidates;
  if (first) return first;
  throw new McpxError("unsupported", `Cannot write a ${String(scope)} file of ${host.title}: it has none.`, {
    hint: `mcpx install ${host.id}`,
  });
}
