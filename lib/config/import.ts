import { nearest } from "../catalog/nearest.ts";
import { McpxError } from "../errors/mod.ts";
import { fieldName } from "./fields.ts";
import { formatOfFile } from "./hosts/any_file.ts";
import { entryStrings } from "./hosts/read_entry.ts";
import { HOSTS } from "./hosts/table.ts";
import type { HostFormat, HostPlace, HostServer, PortableServer } from "./hosts/types.ts";
import { decodeConfig, readBytes } from "./read.ts";
import { isSecretFlag, looksSecret } from "./secrets.ts";

/** What an import gave. */
export interface ImportResult {
  /** The servers in mcpx's form, ready to stand under `mcpServers`. */
  servers: Record<string, PortableServer>;
  /** Servers that cannot be used, with the reason. */
  skipped: { server: string; file: string; reason: string }[];
  /** Places where a likely secret stands in plain text; its value is never in a note. */
  secrets: { server: string; field: string }[];
  /** Sentences, those about skipped servers and secrets included. */
  notes: string[];
  /** The files that were read. */
  files: string[];
}

/**
 * Reads the servers of another host in mcpx's form.
 *
 * @param from a host's id, or the path of a file in any host's format
 * @param place the caller's home, working directory and environment
 * @returns the servers, and what a person should know about them
 * @throws {McpxError} `invalid-config` when there is no such host or file, or a file cannot be parsed
 * @see spec/01, Configuration files
 *
 * @example
 * ```ts
 * import { importServers } from "./import.ts";
 * const cwd = await Deno.makeTempDir();
 * await Deno.mkdir(`${cwd}/.cursor`);
 * await Deno.writeTextFile(`${cwd}/.cursor/mcp.json`, '{"mcpServers": {"demo": {"command": "npx", "args": ["demo"]}}}');
 * const { servers } = await importServers("cursor", { home: cwd, cwd, env: {}, os: "linux" });
 * console.assert(servers.demo?.command === "npx");
 * await Deno.remove(cwd, { recursive: true });
 * ```
 */
export async function importServers(from: string, place: HostPlace): Promise<ImportResult> {
  const found = new Map<string, HostServer & { file: string }>();
  const notes: string[] = [];
  const sources = await sourcesOf(from, place);
  for (const { path, format, text } of sources) {
    for (const server of format.parse(text, path, place)) {
      const nearer = found.get(server.name);
      if (nearer) {
        notes.push(`${server.name} of ${path} is not imported: ${nearer.file} has it as well, and wins.`);
      } else found.set(server.name, { ...server, file: path });
    }
  }
  const all = [...found.values()];
  const used = all.filter(({ skipped }) => skipped === undefined);
  const skipped = all.flatMap(({ name, file, skipped: reason }) =>
    reason === undefined ? [] : [{ server: name, file, reason }]
  );
  const secrets = used.flatMap(({ name, entry }) =>
    secretFields(entry).map((field) => ({ server: name, field }))
  );
  return {
    servers: Object.fromEntries(used.map(({ name, entry }) => [name, entry])),
    skipped,
    secrets,
    notes: [
      ...notes,
      ...used.flatMap((server) => server.notes),
      ...skipped.map(({ server, reason }) => `${server} is skipped: ${reason}.`),
      ...secrets.map(({ server, field }) =>
        `${server}.${field} looks like a secret and is copied as it is written; \${VAR} would keep it out of the file.`
      ),
    ],
    files: sources.map(({ path }) => path),
  };
}

interface ImportSource {
  path: string;
  format: HostFormat;
  text: string;
}

async function sourcesOf(from: string, place: HostPlace): Promise<ImportSource[]> {
  const host = HOSTS.find(({ id }) => id === from);
  if (host === undefined) return [await fileSource(from, place)];
  const candidates = host.files(place);
  const sources: ImportSource[] = [];
  for (const { path } of candidates) {
    if (await isFile(path)) {
      sources.push({ path, format: host, text: decodeConfig(await readBytes(path), path) });
    }
  }
  if (sources.length > 0) return sources;
  throw new McpxError(
    "invalid-config",
    `Cannot import from ${host.title}: none of its files exists (${
      candidates.map(({ path }) => path).join(", ")
    }).`,
    { hint: "mcpx config import --from FILE" },
  );
}

async function fileSource(from: string, { home, cwd }: HostPlace): Promise<ImportSource> {
  const rooted = from.startsWith("~/") ? home + from.slice(1) : from;
  const path = rooted.startsWith("/") ? rooted : `${cwd}/${rooted.replace(/^\.\//, "")}`;
  if (!await isFile(path)) {
    const ids = HOSTS.map(({ id }) => id);
    const meant = nearest(from, ids)[0];
    throw new McpxError(
      "invalid-config",
      `Cannot import from ${from}: it is no host and there is no file ${path}.`,
      {
        hint: meant ? `mcpx config import --from ${meant}` : `Hosts: ${ids.join(", ")}.`,
      },
    );
  }
  const text = decodeConfig(await readBytes(path), path);
  return { path, text, format: formatOfFile(path, text) };
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await Deno.stat(path)).isFile;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) return false;
    throw error;
  }
}

/** Places in an entry where a likely secret is written out. */
function secretFields(entry: PortableServer): string[] {
  const args = entry.args ?? [];
  return [...entryStrings(entry)].flatMap(({ path, text }) => {
    const last = path.at(-1);
    const before = typeof last === "number" ? args[last - 1] ?? "" : "";
    const flag = typeof last === "number" ? /^--?([\w-]+)=/.exec(text)?.[1] : undefined;
    const name = path[0] === "auth" && last !== "name" && last !== "username"
      ? "secret"
      : typeof last === "string"
      ? last
      : flag ?? (isSecretFlag(before, text) ? before : "");
    const value = flag === undefined ? text : text.slice(text.indexOf("=") + 1);
    return looksSecret(name, value) || (path[0] === "url" && secretInQuery(text)) ? [fieldName(path)] : [];
  });
}

function secretInQuery(url: string): boolean {
  const query = url.split("#")[0]?.split("?")[1] ?? "";
  return query.split("&").some((pair) => {
    const [name = "", value = ""] = pair.split("=");
    return looksSecret(name, value);
  });
}
