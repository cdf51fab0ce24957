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
  /** The keys of the `mcpx` block; `extraIncludeTools` holds those of every file. */
  mcpx: Map<string, MergedField>;
  /** The file that says what the server is. */
  definedBy: EntryLayer;
  /** For an alias: the file that says what its target is. */
  targetFrom?: EntryLayer;
}

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
 * that one server's credentials never travel to another's address.
 *
 * @param name the server
 * @param layers what each file says, nearest first; at least one
 * @returns each key with the file that gave it
 */
export function mergeEntries(name: string, layers: readonly [EntryLayer, ...EntryLayer[]]): MergedEntry {
  const fields = new Map<string, MergedField>();
  const mcpx = new Map<string, MergedField>();
  let definedBy: EntryLayer | undefined;
  for (const layer of layers) {
    for (const [key, value] of Object.entries(layer.value)) {
      if (key === "mcpx") mergeBlock(mcpx, value, layer);
      else if (definedBy === undefined || !TARGET_KEYS.has(key)) mergeField(fields, key, { value, layer });
    }
    if (definesTarget(layer)) definedBy ??= layer;
  }
  return { name, fields, mcpx, definedBy: definedBy ?? layers[0] };
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

function mergeBlock(block: Map<string, MergedField>, value: unknown, layer: EntryLayer): void {
  if (!isObject(value)) throw new FieldFault(["mcpx"], "mcpx must be an object");
  for (const [key, item] of Object.entries(value)) {
    const nearer = block.get(key);
    if (nearer === undefined) block.set(key, { value: item, layer });
    else if (key === "extraIncludeTools" && Array.isArray(nearer.value) && Array.isArray(item)) {
      block.set(key, { value: [...nearer.value, ...item], layer: nearer.layer });
    }
  }
}
