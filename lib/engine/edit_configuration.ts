import { type ConfigOwner, targetFile } from "../config/target_file.ts";
import { type FileChange, serversIn, writeServers, writeSettings } from "../config/edit_file.ts";
import type { PortableServer } from "../config/hosts/types.ts";
import { targetText } from "../config/target_text.ts";
import { nearest } from "../catalog/mod.ts";
import { McpxError } from "../errors/mod.ts";
import type { SettingPath } from "../settings/mod.ts";
import type { Caller } from "./caller.ts";
import type { Engine } from "./engine.ts";

/** A configured server, as its file has it. */
export interface ServerEntry {
  name: string;
  namespace: string;
  /** Its command line or address, without secrets. */
  target: string;
  /** The file that it is written in. */
  file: string;
  disabled: boolean;
  error?: { code: string; message: string; hint?: string | undefined } | undefined;
}

/** What a change of the configuration did. */
export interface ConfigurationChange extends FileChange {
  /** Whether the running daemon has taken it. */
  reloaded: boolean;
}

/** The configured servers, switched off or not, nearest file first. */
export function listEntries(engine: Engine): ServerEntry[] {
  return engine.configuration.servers.map((
    { name, namespace, target, source, disabled, error, aliasOf },
  ) => ({
    name,
    namespace,
    target: aliasOf === undefined ? targetText(target) : `alias of ${aliasOf}`,
    file: source.file,
    disabled,
    ...(error ? { error: error.toBody() } : {}),
  }));
}

/**
 * Writes a server into a configuration file, and reads the configuration again.
 *
 * @throws {McpxError} `invalid-input` when there is one of that name and it is not to be replaced, `invalid-config`
 */
export async function addServer(
  engine: Engine,
  caller: Caller,
  server: {
    name: string;
    entry: PortableServer;
    to?: ConfigOwner | undefined;
    replace?: boolean | undefined;
  },
): Promise<ConfigurationChange> {
  const path = chosenFile(engine, caller, server.to);
  const present = await existing(path);
  if (Object.hasOwn(present, server.name) && !server.replace) {
    throw new McpxError("invalid-input", `Cannot add ${server.name}: ${path} has a server of that name.`, {
      hint: `mcpx servers add ${server.name} --replace …`,
      data: { field: "name", file: path },
    });
  }
  return await taken(engine, await writeServers(path, { [server.name]: server.entry }));
}

/**
 * Takes a server out of the nearest of mcpx's own files that has it, and reads the configuration again.
 *
 * @throws {McpxError} `unknown-server`, `invalid-config`
 */
export async function removeServer(
  engine: Engine,
  server: { name: string; from?: ConfigOwner | undefined },
): Promise<ConfigurationChange> {
  const own = engine.configuration.sources.filter(({ path, kind, servers }) =>
    servers.includes(server.name) && (server.from === undefined || kind === server.from) &&
    (kind === "explicit" || !path.endsWith("/.mcp.json"))
  );
  const [file] = own;
  if (file) return await taken(engine, await writeServers(file.path, { [server.name]: undefined }));
  const elsewhere = engine.configuration.servers.find(({ name }) => name === server.name);
  if (elsewhere) {
    throw new McpxError(
      "unknown-server",
      `Cannot remove ${server.name}: it is written in ${elsewhere.source.file}, which mcpx does not change.`,
      {
        hint:
          `Take it out of ${elsewhere.source.file}, or set "disabled": true for it in a file of mcpx's own.`,
      },
    );
  }
  const near = nearest(server.name, engine.configuration.servers.map(({ name }) => name))[0];
  throw new McpxError("unknown-server", `Cannot remove ${server.name}: no configured server has that name.`, {
    hint: near === undefined ? "mcpx servers list" : `mcpx servers remove ${near}`,
  });
}

/** Writes a setting's value into the user's own file, so that it outlives the daemon. @throws {McpxError} */
export async function saveSetting(
  engine: Engine,
  caller: Caller,
  setting: { path: SettingPath; value: unknown },
): Promise<FileChange> {
  return await writeSettings(chosenFile(engine, caller, "user"), { [setting.path]: setting.value });
}

function chosenFile(engine: Engine, { identity }: Caller, owner: ConfigOwner | undefined): string {
  return targetFile({
    files: engine.configuration.sources,
    cwd: identity.cwd ?? engine.cwd,
    configFolder: engine.paths.config,
    ...(owner === undefined ? {} : { owner }),
  });
}

async function existing(path: string): Promise<Record<string, unknown>> {
  const there = await Deno.stat(path).then(({ isFile }) => isFile, () => false);
  return there ? await serversIn(path) : {};
}

async function taken(engine: Engine, change: FileChange): Promise<ConfigurationChange> {
  const inUse = engine.configuration.sources.some(({ path }) => path === change.path);
  if (inUse) await engine.reload();
  return { ...change, reloaded: inUse };
}
