import { pathToFileURL } from "node:url";
import type { Configuration } from "../config/mod.ts";
import type { CallerIdentity } from "../pool/mod.ts";
import type { JsonObject } from "../schema/mod.ts";

/**
 * The roots that a server is offered: on an instance that everybody shares the folder of its project's file, or none where that is
 * no project's; on another one the folder of whoever holds it.
 *
 * Whoever happens to start a server of the user's own must not decide what it may touch for everybody else: some servers take
 * roots for the only folders that are allowed, whatever their arguments say.
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
  const projects = isProject ? definition?.source.folder : undefined;
  const folder = definition?.scope === "global"
    ? projects
    : callers.find((caller) => caller.cwd !== undefined)?.cwd ?? projects;
  if (folder === undefined) return [];
  return [{ uri: pathToFileURL(folder).href, name: folder.split("/").pop() ?? folder }];
}
