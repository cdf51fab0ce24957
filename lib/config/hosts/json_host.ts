import { isObject } from "../fields.ts";
import { isMetadataKey } from "../loaded_file.ts";
import type { Dialect } from "./dialect.ts";
import { editJsonFile, objectAt, parseJsonFile } from "./json_file.ts";
import { type EntryRules, readEntry } from "./read_entry.ts";
import type { HostFile, HostFormat, HostPlace, HostServer, PortableServer } from "./types.ts";
import { writeEntry, type WrittenServer } from "./write_entry.ts";

/** What tells one JSON host from another. */
export interface JsonHostFacts {
  id: string;
  title: string;
  checked: string;
  dialect: Dialect;
  files(place: HostPlace): HostFile[];
  /** Where servers stand, the most telling first; the first is written to where a file has none. */
  roots(place: HostPlace): readonly (readonly string[])[];
  /** The first root of a new file or one without servers, where it is not the first of `roots`. */
  newRoot?: readonly string[];
  /** The host's entry for a server. */
  write(server: WrittenServer, entry: PortableServer): Record<string, unknown>;
  /** What its keys mean for mcpx's block. */
  block?: EntryRules["block"];
  /** What a bare `url` means. */
  urlTransport?: "http" | "sse";
}

/** Makes the format of a host that keeps its servers in JSON. */
export function jsonHost(facts: JsonHostFacts): HostFormat {
  const { id, title, checked, dialect } = facts;
  return {
    id,
    title,
    checked,
    files: facts.files,
    parse(text, path, place): HostServer[] {
      const value = parseJsonFile(text, path);
      const rules: EntryRules = {
        dialect,
        folder: projectFolder(path, place.cwd),
        ...(facts.block ? { block: facts.block } : {}),
        ...(facts.urlTransport ? { urlTransport: facts.urlTransport } : {}),
      };
      const found = new Map<string, HostServer>();
      for (const root of facts.roots(place)) {
        for (const [name, raw] of Object.entries(objectAt(value, root) ?? {})) {
          if (found.has(name) || isMetadataKey(name) || isRoot(root, name, raw, facts.roots(place))) continue;
          found.set(name, readEntry(name, raw, rules));
        }
      }
      return [...found.values()];
    },
    render(text, servers): string {
      const members = Object.entries(servers).map(([name, entry]) => [
        name,
        entry && facts.write(writeEntry(name, entry, { title, dialect }), entry),
      ]);
      return editJsonFile(text, rootOf(text, facts), Object.fromEntries(members));
    },
  };
}

/** Whether a key is another of the host's roots and no server: `mcp.servers` beside `mcp`. */
function isRoot(
  root: readonly string[],
  name: string,
  raw: unknown,
  roots: readonly (readonly string[])[],
): boolean {
  const path = [...root, name].join("\0");
  return isObject(raw) && raw.command === undefined && raw.url === undefined && raw.type === undefined &&
    roots.some((other) => other.join("\0") === path);
}

/** The root that a file has already, else the host's first. */
function rootOf(text: string | undefined, facts: JsonHostFacts): readonly string[] {
  const place = { home: "/", cwd: "/", env: {}, os: "linux" };
  const roots = facts.roots(place);
  const first = facts.newRoot ?? roots[0] ?? ["mcpServers"];
  if (text === undefined || text.trim() === "") return first;
  const value = parseJsonFile(text, "the file");
  return roots.find((root) => objectAt(value, root) !== undefined) ?? first;
}

/** The folder that an editor would call the workspace: the one above `.vscode`, `.cursor` and the like. */
function projectFolder(path: string, cwd: string): string {
  const folder = /^(.*)\/\.(?:vscode|cursor|gemini|codex|mcpx)\/[^/]+$/.exec(path)?.[1];
  return folder === undefined ? cwd : folder || "/";
}
