import { FieldFault, isObject } from "./fields.ts";
import type { LoadedFile } from "./loaded_file.ts";

/** What one file says about a server. */
export interface EntryLayer {
  file: LoadedFile;
  /** Keys from the file's top to the entry, such as `mcpServers`, `demo`. */
  path: readonly string[];
  value: Record<string, unknown>;
}

/** One key of a merged entry, with the file that gave it. */
export interface MergedField {
  value: unknown;
  layer: EntryLayer;
}

/** A server's entry over all files. */
export interface MergedEntry {
  name: string;
  /** The keys outside the `mcpx` block. */
  fields: Map<string, MergedField>;
  /** The keys of the `mcpx` block, but for the filters. */
  mcpx: Map<string, MergedField>;
  /** What every file says of the tools that are seen, nearest first: all of it holds. */
  filters: FilterLayer[];
  /** The file that says what the server is. */
  definedBy: EntryLayer;
  /** For an alias: what the files say of the tools of its target. */
  targetFilters?: FilterLayer[];
  /** For an alias: the file that says what its target is. */
  targetFrom?: EntryLayer;
}

/** What one file says of the tools that are seen. */
export interface FilterLayer {
  layer: EntryLayer;
  tools?: unknown;
  extraIncludeTools?: unknown;
  excludeTools?: unknown;
}

/** Who sees a server, and with whom an instance is shared: what the user's files say of it is no project's to change. */
export const GUARDED_BLOCK_KEYS: readonly string[] = ["default", "groups", "sharing", "scope"];

const FILTER_KEYS = ["tools", "extraIncludeTools", "excludeTools"] as const;

/** Keys that say how a server is reached: they belong together and are never mixed from two definitions. */
export const TARGET_KEYS: ReadonlySet<string> = new Set([
  "command",
  "args",
  "env",
  "cwd",
  "url",
  "serverUrl",
  "httpUrl",
  "headers",
  "transport",
  "type",
  "auth",
  "envPassthrough",
  "aliasOf",
]);

/** Keys that say anew what a server is. */
export const DEFINING_KEYS: readonly string[] = ["command", "url", "serverUrl", "httpUrl", "aliasOf"];

/**
 * Merges what several files say about one server: the nearer wins key by key, `env` and `headers` entry by entry.
 *
 * A file that says anew what the server is (`command`, `url`, `aliasOf`) replaces the farther files' target whole, so
 * that one server's credentials never travel to another's address. For the same reason a project's file that is not trusted changes
 * no part of how a server of the user's is started, and switches none on; a note says so. Filters only narrow: every file's hold.
 *
 * @param name the server
 * @param layers what each file says, nearest first; at least one
 * @returns each key with the file that gave it
 */
export function mergeEntries(name: string, layers: readonly [EntryLayer, ...EntryLayer[]]): MergedEntry {
  const fields = new Map<string, MergedField>();
  const mcpx = new Map<string, MergedField>();
  const filters: FilterLayer[] = [];
  const defining = layers.find(definesTarget);
  noteReplaced(name, layers, defining);
  const isOff = layers.some((layer) => isOwn(layer) && layer.value.disabled === true);
  const said = new Set(
    layers.filter(isOwn).flatMap(({ value }) => isObject(value.mcpx) ? Object.keys(value.mcpx) : []),
  );
  let definedBy: EntryLayer | undefined;
  for (const layer of layers) {
    for (const [key, value] of Object.entries(layer.value)) {
      if (key === "mcpx") {
        filters.push(mergeBlock(mcpx, value, { name, layer, said }));
        continue;
      }
      if (definedBy !== undefined && TARGET_KEYS.has(key)) continue;
      const reason = isOwn(layer)
        ? undefined
        : TARGET_KEYS.has(key) && defining !== undefined && isOwn(defining)
        ? `${defining.file.file.path} says how the server is started, and a part of that is no project's to change`
        : key === "disabled" && value !== true && isOff
        ? "the server is switched off by a file of the user's"
        : undefined;
      if (reason === undefined) mergeField(fields, key, { value, layer });
      else noteIgnored(layer, `${name}.${key}`, reason);
    }
    if (definesTarget(layer)) definedBy ??= layer;
  }
  return { name, fields, mcpx, filters, definedBy: definedBy ?? layers[0] };
}

/** Whether a file speaks for the user: it is not a project's, or the user has agreed to what it says. */
export function isOwn({ file }: Pick<EntryLayer, "file">): boolean {
  return file.file.kind !== "project" || file.trusted;
}

/** A server that is not what the user wrote under its name is worth a word. */
function noteReplaced(name: string, layers: readonly EntryLayer[], defining: EntryLayer | undefined): void {
  if (defining === undefined || isOwn(defining)) return;
  const users = layers.find((layer) => isOwn(layer) && definesTarget(layer));
  if (users === undefined) return;
  defining.file.notes.push(
    `${defining.file.file.path}: ${name} takes the place of the one in ${users.file.file.path}, and none of its credentials.`,
  );
}

function noteIgnored({ file }: EntryLayer, field: string, reason: string): void {
  const { path } = file.file;
  file.notes.push(`${path}: ${field} is ignored: ${reason}. Run: mcpx trust ${path}`);
}

/** Whether a file says anew what the server is. */
export function definesTarget(layer: Pick<EntryLayer, "value">): boolean {
  return DEFINING_KEYS.some((key) => Object.hasOwn(layer.value, key));
}

function mergeField(fields: Map<string, MergedField>, key: string, farther: MergedField): void {
  const nearer = fields.get(key);
  if (nearer === undefined) fields.set(key, farther);
  else if ((key === "env" || key === "headers") && isObject(nearer.value) && isObject(farther.value)) {
    const value = Object.fromEntries([...Object.entries(farther.value), ...Object.entries(nearer.value)]);
    fields.set(key, { value, layer: nearer.layer });
  }
}

/** Takes what no nearer file has said; gives what this one says of filters. */
function mergeBlock(
  block: Map<string, MergedField>,
  value: unknown,
  { name, layer, said }: { name: string; layer: EntryLayer; said: ReadonlySet<string> },
): FilterLayer {
  if (!isObject(value)) throw new FieldFault(["mcpx"], "mcpx must be an object");
  const filter: FilterLayer = { layer };
  for (const [key, item] of Object.entries(value)) {
    const filterKey = FILTER_KEYS.find((one) => one === key);
    if (filterKey !== undefined) filter[filterKey] = item;
    else if (!isOwn(layer) && GUARDED_BLOCK_KEYS.includes(key) && said.has(key)) {
      noteIgnored(layer, `${name}.mcpx.${key}`, "a file of the user's says it");
    } else if (!block.has(key)) block.set(key, { value: item, layer });
  }
  return filter;
}
