import { loadConfiguration } from "../../config/load.ts";
import { sha256 } from "../../config/digest.ts";
import { readBytes, readConfigFile } from "../../config/read.ts";
import type { ConfigFile } from "../../config/search.ts";
import { ownUsers, strangerOf } from "../../config/stranger.ts";
import { listTrusted, recordTrust, removeTrust } from "../../config/trust.ts";
import { McpxError } from "../../errors/mod.ts";
import { projectOf } from "../../engine/settings_stack.ts";
import { looseningNotes, ResolvedSettings, SETTING_GROUPS } from "../../settings/mod.ts";
import { askApi } from "../ask_api.ts";
import { clientConfig } from "../client_config.ts";
import { type CommandContext, globalText, writeAnswer, writeNote } from "../context.ts";
import { Interrupt } from "../interrupt.ts";
import { renderTable } from "../render/table.ts";

/** Scripts, hooks and lock files are trusted as well, and are not parsed. */
const CONFIGURATION = /(?<!\/mcpx\.lock)\.jsonc?$/;

/**
 * Records project files as trusted by their content, takes that back, or lists what is trusted.
 *
 * @throws {McpxError} `invalid-config`, `state-unwritable`
 */
export async function runTrust(cx: CommandContext): Promise<number> {
  const { values } = cx.invocation;
  const config = clientConfig(cx.io, globalText(cx.invocation, "config"));
  const { state } = config.paths;
  if (values.get("list") === true) return await list(cx, state);
  const named = values.get("file");
  const files = typeof named === "string"
    ? [absolute(named, cx.io.cwd)]
    // Somebody else's file is trusted by its name alone.
    : config.files.filter(({ kind, stranger }) => kind === "project" && stranger === undefined).map((
      { path },
    ) => path);
  if (files.length === 0) {
    const strange = config.files.find(({ stranger }) => stranger !== undefined);
    throw new McpxError("invalid-config", "Cannot trust anything: no project file is in use here.", {
      hint: `mcpx trust ${strange?.path ?? "<file>"}`,
    });
  }
  if (values.get("remove") === true) {
    const removed: string[] = [];
    for (const path of files) if (await removeTrust(path, { state })) removed.push(path);
    await reload(cx);
    const text = files.map((path) =>
      removed.includes(path) ? `${path} is no longer trusted.\n` : `${path} was not trusted.\n`
    );
    await writeAnswer(cx, { removed }, text.join(""));
    return 0;
  }
  const trusted = [];
  for (const path of files) {
    const isConfiguration = CONFIGURATION.test(path);
    const digest = isConfiguration
      ? (await readConfigFile({ path, real: path, kind: "explicit" })).digest
      : await sha256(await readBytes(path));
    const gains = [
      ...strangeness(cx, path),
      ...isConfiguration ? await whatItAsks(cx, path, config.files) : [],
    ];
    trusted.push({ ...await recordTrust(path, { state, expected: digest }), gains });
  }
  await reload(cx);
  const text = trusted.map(({ path, digest, gains }) =>
    `Trusted ${path} (sha256 ${digest.slice(0, 12)}…) until it changes.\n` +
    gains.map((gain) => `  ${gain}\n`).join("")
  );
  await writeAnswer(cx, { trusted }, text.join(""));
  return 0;
}

async function list(cx: CommandContext, state: string): Promise<number> {
  const trusted = await listTrusted(state);
  const table = renderTable(
    ["path", "trusted at", "sha256"],
    trusted.map(({ path, at, digest }) => [
      path,
      at,
      `${digest.slice(0, 12)}…`,
    ]),
    { paint: cx.paintOut, plain: cx.plain },
  );
  await writeAnswer(cx, { trusted }, table === "" ? "No file is trusted.\n" : table);
  return 0;
}

/** Whose the file is that counts from now on, where it is somebody else's. */
function strangeness(cx: CommandContext, path: string): string[] {
  const users = ownUsers({ SUDO_UID: cx.io.env("SUDO_UID") });
  const stranger = strangerOf(path, Deno.statSync(path), { users, real: Deno.realPathSync(path) });
  return stranger === undefined ? [] : [`It is used from now on, though ${stranger}.`];
}

/** The sentences that say what of the file was left out until now, beside the other files in use. */
async function whatItAsks(cx: CommandContext, path: string, files: readonly ConfigFile[]): Promise<string[]> {
  const real = await Deno.realPath(path);
  const asking: ConfigFile = { path, real, kind: "project" };
  const beside = files.some((file) => file.real === real)
    ? files.map((file) => file.real === real ? { ...asking, path: file.path } : file)
    : [asking];
  const options = { cwd: cx.io.cwd, env: {}, settingGroups: SETTING_GROUPS };
  // Where another file cannot be used, this one is told of alone.
  const { sources, settings } = await loadConfiguration({ ...options, files: beside })
    .catch(() => loadConfiguration({ ...options, files: [asking] }));
  const entries = settings.map((setting) => ({
    path: setting.path,
    value: setting.value,
    source: setting.file,
    ...projectOf(setting),
  }));
  const loosened = looseningNotes(
    ResolvedSettings.from([{ layer: "file", entries }]),
    settings.map((setting) => setting.path),
  );
  return [...sources.flatMap(({ notes }) => notes), ...loosened]
    .filter((note) => note.endsWith(`Run: mcpx trust ${path}`))
    .map((note) => note.replace(`${path}: `, "").replace(/ is ignored: .*$/, " counts from now on."))
    .map((note) => note.replace(/ Run: mcpx trust .*$/, ""));
}

/** A daemon that runs already takes the change at once. */
async function reload(cx: CommandContext): Promise<void> {
  using interrupt = new Interrupt(cx.io);
  try {
    await askApi(cx, { method: "POST", path: "/v1/reload" }, {
      existingOnly: true,
      signal: interrupt.signal,
    });
  } catch (error) {
    await writeNote(cx, McpxError.from(error).message);
  }
}

function absolute(path: string, cwd: string): string {
  return path.startsWith("/") ? path : `${cwd}/${path.replace(/^\.\//, "")}`;
}
