import { pathToFileURL } from "node:url";
import type { Configuration } from "../config/mod.ts";
import type { CallerIdentity } from "../pool/mod.ts";
import type { JsonObject } from "../schema/mod.ts";

/**
 * The roots that a server is offered: on a shared instance the folder of its project's file, else the folder of whoever holds it.
 *
 * @param configuration where the server's entry is
 * @param server its name
 * @param callers who holds the instance, oldest first
 */
export function offeredRoots(
  configuration: Configuration,
  server: string,
  callers: readonly CallerIdentity[],
): JsonObject[] {
  const definition = configuration.servers.find(({ name }) => name === server);
  const source = configuration.sources.find(({ path }) => path === definition?.source.file);
  const isProject = source?.kind === "project" || source?.kind === "explicit";
  const cwd = callers.find((caller) => caller.cwd !== undefined)?.cwd;
  const folder = isProject && definition?.scope === "global"
    ? definition.source.folder
    : cwd ?? definition?.source.folder;
  if (folder === undefined) return [];
  return [{ uri: pathToFileURL(folder).href, name: folder.split("/").pop() ?? folder }];
}
