import { deriveNamespaces } from "../catalog/names.ts";
import { aliasEntry } from "./alias.ts";
import { FieldFault } from "./fields.ts";
import { GUARDED_SETTINGS } from "../settings/table.ts";
import { guardSettings } from "./guard.ts";
import { isMcpxItself } from "./itself.ts";
import { collectLayers, heldError, isServerKey } from "./layers.ts";
import { folderOf, type LoadedFile, readTopLevel, type TopLevelRules } from "./loaded_file.ts";
import { type EntryLayer, type MergedEntry, type MergedField, mergeEntries } from "./merge.ts";
import type { Environment } from "./paths.ts";
import { sha256 } from "./digest.ts";
import { type ConfigText, decodeConfig, parseConfigText, readBytes, readConfigFile } from "./read.ts";
import { type ConfigFile, findConfigFiles } from "./search.ts";
import { passedOver } from "./stranger.ts";
import { type ReadServer, readServer, serverError } from "./server.ts";
import type { TrustPolicy } from "./trust.ts";
import type { ConfigSource, Configuration, ServerDefinition } from "./types.ts";

/** What a configuration is loaded with. */
export interface LoadOptions extends TopLevelRules {
  /** Absolute working directory of the caller. */
  cwd: string;
  /** The caller's environment: `HOME` and the XDG variables are read. */
  env: Environment;
  /** The value of `--config`. */
  explicit?: string;
  /** The set, where it was found already; otherwise it is searched for. */
  files?: readonly ConfigFile[];
  /** Without it no project file is trusted. */
  trust?: TrustPolicy;
  /** Settings, or first words of their paths, that a project's file gives only once it is trusted. */
  guardedSettings?: readonly string[];
}

/**
 * Loads the configuration set: nearer files win key by key, and one bad server never takes down the rest.
 *
 * @param options where to look, what is trusted, and which settings there are
 * @returns the servers in the order they are written, nearest file first, and the settings, farthest file first
 * @throws {McpxError} `invalid-config` when a file cannot be parsed or its top level is wrong
 * @see spec/01, Configuration files
 *
 * @example
 * ```ts
 * import { loadConfiguration } from "./load.ts";
 * const cwd = await Deno.makeTempDir();
 * await Deno.writeTextFile(`${cwd}/.mcp.json`, '{"mcpServers": {"demo": {"url": "http://127.0.0.1:1/mcp"}}}');
 * const { servers } = await loadConfiguration({ cwd, env: {}, settingGroups: [] });
 * console.assert(servers.some((server) => server.name === "demo" && server.target.kind === "http"));
 * await Deno.remove(cwd, { recursive: true });
 * ```
 */
export async function loadConfiguration(options: LoadOptions): Promise<Configuration> {
  const found = options.files ?? findConfigFiles(options);
  const passed: string[] = [];
  const read = await Promise.all(found.map((file) => readOwn(file, options.trust, passed)));
  const texts = read.filter((text) => text !== undefined);
  const tops = texts.map((text) => readTopLevel(text, options));
  const asks = trustMode(texts, tops, options.trust) === "ask";
  const files = texts.map((text, at): LoadedFile => {
    const trusted = text.file.kind !== "project" ||
      (options.trust?.isTrusted(text.file.real, text.digest) ?? false);
    const { servers, settings } = tops[at] ??
      { servers: { rootKey: "mcpServers", entries: {} }, settings: [] };
    return {
      ...text,
      notes: [...text.notes],
      trusted,
      held: asks && !trusted,
      folder: folderOf(text.file.path),
      servers,
      settings,
    };
  });
  for (const file of files) applySettingsGuard(file, options.guardedSettings ?? GUARDED_SETTINGS);
  const defaults = serverDefaults(files, tops.map((top) => top.defaults));
  const servers = readServers(files, defaults);
  return {
    servers,
    settings: files.toReversed().flatMap((file) =>
      file.settings.map(({ path, value }) => ({
        path,
        file: file.file.path,
        kind: file.file.kind,
        trusted: file.trusted,
        value,
      }))
    ),
    sources: files.map(sourceOf),
    notes: [...passed, ...files.flatMap((file) => file.notes)],
  };
}

/** Reads a file; one that is not this user's word only where its content is trusted, and otherwise whatever is in it does no harm. */
async function readOwn(
  file: ConfigFile,
  trust: TrustPolicy | undefined,
  passed: string[],
): Promise<ConfigText | undefined> {
  if (file.stranger === undefined) return await readConfigFile(file);
  const bytes = await readBytes(file.path).catch(() => undefined);
  const digest = bytes && await sha256(bytes);
  if (bytes && digest && trust?.isTrusted(file.real, digest)) {
    return parseConfigText(decodeConfig(bytes, file.path), file, digest);
  }
  passed.push(passedOver(file.path, file.stranger));
  return undefined;
}

/** A project's file can make `config.trust` stricter, never laxer. */
function trustMode(
  texts: readonly ConfigText[],
  tops: readonly { settings: { path: string; value: unknown }[] }[],
  trust: TrustPolicy | undefined,
): "settings" | "ask" {
  const written = texts.flatMap((text, at) => {
    const value = tops[at]?.settings.find(({ path }) => path === "config.trust")?.value;
    return value === undefined ? [] : [{ project: text.file.kind === "project", value }];
  });
  if (written.some(({ project, value }) => project && value === "ask")) return "ask";
  if (trust?.mode) return trust.mode;
  return written.find(({ project }) => !project)?.value === "ask" ? "ask" : "settings";
}

function applySettingsGuard(file: LoadedFile, guarded: readonly string[]): void {
  if (file.trusted) {
    // Even a trusted project file does not loosen what the person asked for.
    if (file.file.kind !== "project") return;
    file.settings = file.settings.filter(({ path, value }) => path !== "config.trust" || value === "ask");
    return;
  }
  const { kept, notes } = guardSettings(file.settings, guarded);
  file.settings = kept;
  for (const note of notes) file.notes.push(`${file.file.path}: ${note} Run: mcpx trust ${file.file.path}`);
}

function serverDefaults(
  files: readonly LoadedFile[],
  defaults: readonly ReadonlyMap<string, unknown>[],
): Map<string, MergedField> {
  const merged = new Map<string, MergedField>();
  for (const [at, file] of files.entries()) {
    for (const [path, value] of defaults[at] ?? []) {
      if (!merged.has(path)) merged.set(path, { value, layer: { file, path: [], value: {} } });
    }
  }
  return merged;
}

function readServers(
  files: readonly LoadedFile[],
  defaults: ReadonlyMap<string, MergedField>,
): ServerDefinition[] {
  const { layers, errors } = collectLayers(files);
  const entries = new Map<string, MergedEntry>();
  const attempt = (name: string, layer: EntryLayer, action: () => void): void => {
    try {
      action();
    } catch (thrown) {
      if (!(thrown instanceof FieldFault)) throw thrown;
      if (!errors.has(name)) errors.set(name, serverError(name, layer, thrown));
    }
  };
  for (const [name, own] of layers) {
    const blank: EntryLayer = { ...own[0], value: {} };
    entries.set(name, mergeEntries(name, [blank]));
    attempt(name, own[0], () => entries.set(name, mergeEntries(name, own)));
  }
  for (const [name, entry] of entries) {
    if (entry.fields.has("aliasOf")) {
      attempt(name, entry.definedBy, () => entries.set(name, aliasEntry(entry, entries)));
    }
  }
  const read = [...entries.values()].flatMap((entry): ReadServer[] => {
    const server = readServer(entry, defaults);
    const { target } = server.definition;
    if (target.kind === "stdio" && isMcpxItself(target.command, target.args)) {
      entry.definedBy.file.notes.push(
        `${entry.definedBy.file.file.path}: ${entry.name} is skipped: it is mcpx itself.`,
      );
      return [];
    }
    return [server];
  });
  for (const { definition } of read) {
    const error = errors.get(definition.name) ??
      heldError(definition.name, layers.get(definition.name) ?? []);
    if (error) definition.error = error;
  }
  inheritErrors(read);
  nameServers(read);
  return read.map(({ definition }) => definition);
}

/** An alias cannot work where its target cannot. */
function inheritErrors(read: readonly ReadServer[]): void {
  const byName = new Map(read.map(({ definition }) => [definition.name, definition]));
  for (const { definition } of read) {
    const target = definition.aliasOf === undefined ? undefined : byName.get(definition.aliasOf);
    if (target?.error) definition.error ??= target.error;
  }
}

function nameServers(read: readonly ReadServer[]): void {
  const byName = new Map(read.map((server) => [server.definition.name, server.definition]));
  const names = deriveNamespaces(
    read.map(({ definition, written }) => ({
      name: definition.name,
      ...(written === undefined ? {} : { written }),
    })),
    (name, error) => {
      const definition = byName.get(name);
      if (definition) definition.error ??= error;
    },
  );
  for (const [name, definition] of byName) definition.namespace = names.get(name) ?? definition.namespace;
}

function sourceOf(file: LoadedFile): ConfigSource {
  return {
    path: file.file.path,
    kind: file.file.kind,
    servers: Object.entries(file.servers.entries).filter(([name, raw]) => isServerKey(name, raw)).map((
      [name],
    ) => name),
    settings: file.settings.map(({ path }) => path),
    notes: file.notes,
  };
}
