import { serversIn, writeServers } from "../../config/edit_file.ts";
import { HOSTS } from "../../config/hosts/table.ts";
import type { PortableServer } from "../../config/hosts/types.ts";
import { type ImportResult, importServers } from "../../config/import.ts";
import { isMcpxItself } from "../../config/itself.ts";
import { targetFile } from "../../config/target_file.ts";
import { McpxError } from "../../errors/mod.ts";
import { clientConfig } from "../client_config.ts";
import { type CommandContext, globalText, writeAnswer, writeNote } from "../context.ts";
import { hasFile, hostPlace } from "./host_place.ts";

/**
 * Prints the servers of other hosts in mcpx's form, or writes them into one of mcpx's own files.
 *
 * @throws {McpxError} `invalid-config`, `state-unwritable`
 */
export async function importHosts(cx: CommandContext): Promise<number> {
  const from = cx.invocation.values.get("from");
  const found = await gather(cx, typeof from === "string" ? from : undefined);
  const servers = withoutItself(found);
  for (const note of found.notes) await writeNote(cx, note);
  if (cx.invocation.values.get("write") !== true) {
    if (Object.keys(servers).length === 0) await writeNote(cx, "There is no server to take over.");
    const answer = { mcpServers: servers };
    const text = `${JSON.stringify(answer, null, 2)}\n`;
    await writeAnswer(
      cx,
      { ...answer, files: found.files, skipped: found.skipped, notes: found.notes },
      text,
    );
    return 0;
  }
  return await write(cx, servers, found);
}

async function write(
  cx: CommandContext,
  servers: Record<string, PortableServer>,
  { files, notes }: ImportResult,
): Promise<number> {
  const config = clientConfig(cx.io, globalText(cx.invocation, "config"));
  const to = cx.invocation.values.get("to");
  const path = targetFile({
    files: config.files,
    cwd: cx.io.cwd,
    configFolder: config.paths.config,
    ...(to === "project" || to === "user" ? { owner: to } : {}),
  });
  const present = await Deno.stat(path).then(({ isFile }) => isFile, () => false)
    ? await serversIn(path)
    : {};
  const replace = cx.invocation.values.get("replace") === true;
  const names = Object.keys(servers);
  const same = names.filter((name) => JSON.stringify(present[name]) === JSON.stringify(servers[name]));
  const kept = names.filter((name) => Object.hasOwn(present, name) && !same.includes(name) && !replace);
  const added = names.filter((name) => !same.includes(name) && !kept.includes(name));
  const change = added.length === 0
    ? undefined
    : await writeServers(path, Object.fromEntries(added.map((name) => [name, servers[name]])));
  const lines = [
    ...(change
      ? [`${change.created ? "Made" : "Changed"} ${path}: ${added.join(", ")}.`]
      : [`Nothing to write into ${path}.`]),
    ...(change?.backup ? [`The old file is ${change.backup}.`] : []),
    ...(kept.length > 0 ? [`Kept as they are: ${kept.join(", ")} (--replace takes the imported ones).`] : []),
  ];
  await writeAnswer(
    cx,
    {
      path,
      added,
      kept,
      unchanged: same,
      files,
      notes,
      ...(change?.backup ? { backup: change.backup } : {}),
    },
    lines.map((line) => `${line}\n`).join(""),
  );
  return 0;
}

/** Another host's entry for mcpx would make mcpx its own upstream. */
function withoutItself({ servers, notes }: ImportResult): Record<string, PortableServer> {
  return Object.fromEntries(
    Object.entries(servers).filter(([name, { command, args }]) => {
      const itself = command !== undefined && isMcpxItself(command, args ?? []);
      if (itself) notes.push(`${name} is skipped: it is mcpx itself.`);
      return !itself;
    }),
  );
}

/** One host's servers, or those of every host that has a file; the first host that has a name keeps it. */
async function gather(cx: CommandContext, from: string | undefined): Promise<ImportResult> {
  const place = hostPlace(cx);
  if (from !== undefined) return await importServers(from, place);
  const all: ImportResult = { servers: {}, skipped: [], secrets: [], notes: [], files: [] };
  for (const host of HOSTS) {
    const { id, title } = host;
    if (!(await hasFile(host, place))) continue;
    const one = await importServers(id, place).catch((error: unknown) => {
      all.notes.push(McpxError.from(error).message);
      return undefined;
    });
    if (!one) continue;
    for (const [name, server] of Object.entries(one.servers)) {
      if (!Object.hasOwn(all.servers, name)) all.servers[name] = server;
      else if (JSON.stringify(all.servers[name]) !== JSON.stringify(server)) {
        all.notes.push(`${name} of ${title} is not imported: another host has a server of that name.`);
      }
    }
    all.skipped.push(...one.skipped);
    all.secrets.push(...one.secrets);
    all.notes.push(...one.notes);
    all.files.push(...one.files.filter((file) => !all.files.includes(file)));
  }
  return all;
}
