import { McpxError } from "../errors/mod.ts";
import { readRegularText } from "../store/read_regular_file.ts";
import { editJsonFile } from "./hosts/json_file.ts";
import { OWN_FORMAT } from "./hosts/table.ts";
import type { PortableServer } from "./hosts/types.ts";
import { replaceFile } from "./replace_file.ts";
import { MAX_CONFIG_BYTES, readConfigFile } from "./read.ts";

/** What a change did to a file. */
export interface FileChange {
  /** The file. */
  path: string;
  /** Whether it did not exist before. */
  created: boolean;
  /** Where the old content is kept, where there was one. */
  backup?: string;
}

/**
 * Puts servers into one of mcpx's own files, or takes them out; everything else in it stays, comments too.
 *
 * @param path the file; it is made where there is none
 * @param servers by name; `undefined` takes one out
 * @throws {McpxError} `invalid-config` when the file cannot be parsed or changes meanwhile, `state-unwritable`
 */
export async function writeServers(
  path: string,
  servers: Readonly<Record<string, PortableServer | undefined>>,
): Promise<FileChange> {
  return await edit(path, (text) => OWN_FORMAT.render(text, servers));
}

/**
 * Writes settings into one of mcpx's own files, each where the file has it already, else under its group.
 *
 * @param path the file; it is made where there is none
 * @param values by dotted path; `undefined` takes one out
 * @throws {McpxError} `invalid-config`, `state-unwritable`
 */
export async function writeSettings(
  path: string,
  values: Readonly<Record<string, unknown>>,
): Promise<FileChange> {
  return await edit(path, (text) => {
    let edited = text;
    for (const [setting, value] of Object.entries(values)) {
      const parts = setting.split(".");
      const flat = text !== undefined && hasMember(text, setting);
      const keys = flat ? [] : parts.slice(0, -1);
      edited = editJsonFile(edited, keys, { [flat ? setting : parts.at(-1) ?? setting]: value });
    }
    return edited ?? "{}\n";
  });
}

/**
 * The servers that one file holds under `mcpServers`, as they are written there.
 *
 * @throws {McpxError} `invalid-config`
 */
export async function serversIn(path: string): Promise<Record<string, unknown>> {
  const { value } = await readConfigFile({ path, real: path, kind: "explicit" });
  const servers = value.mcpServers;
  return typeof servers === "object" && servers !== null && !Array.isArray(servers)
    ? Object.fromEntries(Object.entries(servers))
    : {};
}

async function edit(path: string, change: (text: string | undefined) => string): Promise<FileChange> {
  const before = await readRegularText(path, { limit: MAX_CONFIG_BYTES }).catch((error: unknown) => {
    if (error instanceof Deno.errors.NotFound) return undefined;
    const reason = error instanceof Error ? error.message : String(error);
    throw new McpxError("invalid-config", `Cannot read ${path}: ${reason}.`, {
      hint: `ls -l ${path}`,
      cause: error,
    });
  });
  const after = change(before);
  if (after === before) return { path, created: false };
  const backup = await replaceFile(path, after, {
    backup: before !== undefined,
    expected: before ?? "",
  });
  return { path, created: before === undefined, ...(backup === undefined ? {} : { backup }) };
}

/** Whether the text has a dotted path as one key. */
function hasMember(text: string, key: string): boolean {
  return new RegExp(`"${key.replaceAll(".", "\\.")}"\\s*:`).test(text);
}
