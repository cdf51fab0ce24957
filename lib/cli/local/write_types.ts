import { replaceFile } from "../../config/replace_file.ts";
import { folderOf } from "../../config/loaded_file.ts";
import { readRegularText } from "../../store/read_regular_file.ts";
import { McpxError } from "../../errors/mod.ts";
import { askApi, isRecord } from "../ask_api.ts";
import { buildRequest } from "../build_request.ts";
import { clientConfig } from "../client_config.ts";
import { type CommandContext, globalText, writeAnswer, writeNote } from "../context.ts";
import { Interrupt } from "../interrupt.ts";
import type { ManifestOperation } from "../manifest_types.ts";
import { TextSource } from "../read_text.ts";

/** The most that is read of what was written before. */
const MAX_TYPES_BYTES = 64 * 1024 * 1024;

/**
 * Writes the declarations of the tools where an editor finds them: `.mcpx/types/<namespace or all>.d.ts` beside the configuration.
 *
 * @throws {McpxError} `unknown-server`, `state-unwritable`
 */
export async function writeTypes(cx: CommandContext, operation: ManifestOperation): Promise<number> {
  using interrupt = new Interrupt(cx.io);
  const namespace = cx.invocation.values.get("namespace");
  const values = new Map(cx.invocation.values);
  values.delete("write");
  const { path: route } = await buildRequest(operation, values, new TextSource(cx.io));
  const answer = await askApi(cx, { method: "GET", path: route }, {
    existingOnly: false,
    signal: interrupt.signal,
  });
  if (!isRecord(answer) || typeof answer.types !== "string") {
    throw new McpxError("daemon-unreachable", "Cannot read the types: the daemon's answer holds none.");
  }
  for (const problem of Array.isArray(answer.problems) ? answer.problems : []) {
    if (isRecord(problem)) await writeNote(cx, `${String(problem.server)}: ${String(problem.message)}`);
  }
  const config = clientConfig(cx.io, globalText(cx.invocation, "config"));
  const nearest = config.files.find(({ kind, stranger }) =>
    stranger === undefined && (kind === "project" || kind === "explicit")
  );
  const folder = nearest ? folderOf(nearest.path) : cx.io.cwd;
  const path = `${folder}/.mcpx/types/${typeof namespace === "string" ? fileName(namespace) : "tools"}.d.ts`;
  const present = await readRegularText(path, { limit: MAX_TYPES_BYTES }).catch(() => undefined);
  const changed = present !== answer.types;
  if (changed) await replaceFile(path, answer.types);
  const relative = path.startsWith(`${cx.io.cwd}/`) ? `./${path.slice(cx.io.cwd.length + 1)}` : path;
  await writeAnswer(
    cx,
    { path, changed },
    `${changed ? "Wrote" : "Already fresh:"} ${path}\n` +
      (changed ? `In a script, for the editor: /// <reference path="${relative}" />\n` : ""),
  );
  return 0;
}

function fileName(namespace: string): string {
  return namespace.replace(/[^\w-]/g, "_");
}
