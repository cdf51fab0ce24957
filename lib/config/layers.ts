import { McpxError } from "../errors/mod.ts";
import { FieldFault, isObject } from "./fields.ts";
import { guardEntry } from "./guard.ts";
import { isMetadataKey, type LoadedFile } from "./loaded_file.ts";
import { definesTarget, type EntryLayer, TARGET_KEYS } from "./merge.ts";
import { BLOCK_KEYS, serverError } from "./server.ts";

/** What the files say about each server. */
export interface CollectedLayers {
  layers: Map<string, [EntryLayer, ...EntryLayer[]]>;
  errors: Map<string, McpxError>;
}

/** Keys of an entry that mcpx reads, beside the `mcpx` block. */
const ENTRY_KEYS = new Set([...TARGET_KEYS, "disabled", "description", "mcpx"]);
/**
 * Gathers what every file says about each server, without what the file's trust does not allow.
 *
 * @param files the loaded files, nearest first; notes are added to them
 * @returns the layers of each server, nearest first, and the servers that cannot be used already
 */
export function collectLayers(files: readonly LoadedFile[]): CollectedLayers {
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

/** Whether a key under `mcpServers` is a server and does not only describe the file. */
export function isServerKey(name: string, raw: unknown): boolean {
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

/** Why a server may not start before one of its files is trusted, where that is so. */
export function heldError(name: string, layers: readonly EntryLayer[]): McpxError | undefined {
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
