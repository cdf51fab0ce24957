import { deriveNamespaces } from "../catalog/names.ts";
import { nearest } from "../catalog/nearest.ts";
import { McpxError } from "../errors/mod.ts";
import { FieldFault, isObject } from "./fields.ts";
import { GUARDED_SETTINGS, guardEntry, guardSettings } from "./guard.ts";
import { isMcpxItself } from "./itself.ts";
import { folderOf, isMetadataKey, type LoadedFile, readTopLevel, type TopLevelRules } from "./loaded_file.ts";
import {
  definesTarget,
  type EntryLayer,
  type MergedEntry,
  type MergedField,
  mergeEntries,
  TARGET_KEYS,
} from "./merge.ts";
import type { Environment } from "./paths.ts";
import { type ConfigText, readConfigFile } from "./read.ts";
import { type ConfigFile, findConfigFiles } from "./search.ts";
import { BLOCK_KEYS, type ReadServer, readServer, serverError } from "./server.ts";
import type { TrustPolicy } from "./trust.ts";
import type { ConfigSource, Configuration, ServerDefinition } from "./types.ts";

/** What a configuration is loaded with. */
export interface LoadOptions extends TopLevelRules {
  /** Absolute working directory of the caller. */
  cwd: string;
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

/** Keys of an entry that mcpx reads, beside the `mcpx` block. */
const ENTRY_KEYS = new Set([...TARGET_KEYS, "disabled", "description", "mcpx"]);
/** What an alias takes from its target unless it says otherwise; filters, names and groups are its own. */
const SHARED_BY_ALIAS = [
  "sharing",
  "scope",
  "min",
  "max",
  "idleTimeout",
  "callTimeout",
  "startTimeout",
  "protocol",
];

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
  const texts = await Promise.all(found.map(readConfigFile));
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
      file.settings.map(({ path, value }) => ({ path, file: file.file.path, kind: file.file.kind, value }))
    ),
    sources: files.map(sourceOf),
    notes: files.flatMap((file) => file.notes),
  };
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
  for (const [name, own] of layers) {
    const entry = entries.get(name);
    if (entry?.fields.has("aliasOf")) {
      attempt(name, entry.definedBy, () => entries.set(name, aliasEntry(entry, own, entries, layers)));
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

/** What every file says about each server, nearest first, without what its trust does not allow. */
function collectLayers(files: readonly LoadedFile[]): {
  layers: Map<string, [EntryLayer, ...EntryLayer[]]>;
  errors: Map<string, McpxError>;
} {
  const layers = new Map<string, [EntryLayer, ...EntryLayer[]]>();
  const errors = new Map<string, McpxError>();
  for (const file of files) {
    const { rootKey, entries } = file.servers;
    for (const [name, raw] of Object.entries(entries)) {
      if (!isServerKey(name, raw)) continue;
      const layer: EntryLayer = { file, path: [rootKey, name], value: isObject(raw) ? raw : {} };
      const known = layers.get(name);
      if (!isObject(raw)) {
        if (!errors.has(name)) {
          errors.set(name, serverError(name, layer, new FieldFault([], "its entry must be an object")));
        }
      } else {
        noteForeignKeys(layer, name);
        if (!file.trusted) guardLayer(layer, name, { errors, replaced: known?.some(definesTarget) ?? false });
      }
      if (known) known.push(layer);
      else layers.set(name, [layer]);
    }
  }
  return { layers, errors };
}

function isServerKey(name: string, raw: unknown): boolean {
  return !isMetadataKey(name) || (isObject(raw) && definesTarget({ value: raw }));
}

function noteForeignKeys({ file, value }: EntryLayer, name: string): void {
  for (const key of Object.keys(value)) {
    if (ENTRY_KEYS.has(key) || isMetadataKey(key)) continue;
    const reason = BLOCK_KEYS.includes(key)
      ? "it belongs inside the mcpx block"
      : "it is no key of mcpx's and belongs to another host";
    file.notes.push(`${file.file.path}: ${name}.${key} is ignored: ${reason}.`);
  }
}

/** `replaced`: a nearer file says anew what the server is, so that this one's target does not count. */
function guardLayer(
  layer: EntryLayer,
  name: string,
  { errors, replaced }: { errors: Map<string, McpxError>; replaced: boolean },
): void {
  const { kept, notes, needsTrust } = guardEntry(name, layer.value);
  const path = layer.file.file.path;
  layer.value = kept;
  for (const note of notes) layer.file.notes.push(`${path}: ${note} Run: mcpx trust ${path}`);
  if (needsTrust === undefined || replaced || errors.has(name)) return;
  const error = untrusted(name, path, `its ${needsTrust} uses \${cmd:…} or \${file:…}`);
  errors.set(name, error);
  layer.file.notes.push(error.message);
}

function heldError(name: string, layers: readonly EntryLayer[]): McpxError | undefined {
  const held = layers.find((layer) => layer.file.held);
  return held && untrusted(name, held.file.file.path, "config.trust is ask");
}

function untrusted(name: string, path: string, reason: string): McpxError {
  return new McpxError(
    "untrusted-config",
    `Cannot use server ${name}: ${path} is not trusted, and ${reason}.`,
    {
      hint: `mcpx trust ${path}`,
      data: { server: name, file: path },
    },
  );
}

/** The entry of an alias: what it says itself, over how its target is reached and leased. */
function aliasEntry(
  alias: MergedEntry,
  own: readonly EntryLayer[],
  entries: ReadonlyMap<string, MergedEntry>,
  layers: ReadonlyMap<string, unknown>,
): MergedEntry {
  const field = alias.fields.get("aliasOf");
  const targetName = field?.value;
  if (typeof targetName !== "string") {
    throw new FieldFault(["aliasOf"], "aliasOf must be the name of a server");
  }
  const extra = ["command", "url", "serverUrl", "httpUrl"].find((key) => alias.fields.has(key));
  if (extra) throw new FieldFault(["aliasOf"], `it has both aliasOf and ${extra}; keep one of them`);
  const target = entries.get(targetName);
  if (target === undefined || targetName === alias.name) {
    const meant = nearest(targetName, [...layers.keys()].filter((name) => name !== alias.name))[0];
    const rest = targetName === alias.name
      ? "is the server itself"
      : `names no server${meant ? `; did you mean ${meant}?` : ""}`;
    throw new FieldFault(["aliasOf"], `aliasOf: ${JSON.stringify(targetName)} ${rest}`);
  }
  if (target.fields.has("aliasOf")) {
    const final = target.fields.get("aliasOf")?.value;
    throw new FieldFault(
      ["aliasOf"],
      `aliasOf: ${JSON.stringify(targetName)} is itself an alias; name ${JSON.stringify(final)} instead`,
    );
  }
  const fields = new Map(alias.fields);
  for (const [key, inherited] of target.fields) {
    const mine = fields.get(key);
    if (!TARGET_KEYS.has(key)) continue;
    if (mine === undefined) fields.set(key, inherited);
    else if ((key === "env" || key === "headers") && isObject(mine.value) && isObject(inherited.value)) {
      const value = Object.fromEntries([...Object.entries(inherited.value), ...Object.entries(mine.value)]);
      fields.set(key, { ...mine, value });
    }
  }
  const mcpx = new Map(alias.mcpx);
  for (const key of SHARED_BY_ALIAS) {
    const inherited = target.mcpx.get(key);
    if (inherited && !mcpx.has(key)) mcpx.set(key, inherited);
  }
  return { ...alias, fields, mcpx, layers: own, targetFrom: target.definedBy };
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
