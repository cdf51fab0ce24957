import type { ConfigFile } from "./search.ts";

/** Whose file a change is written into. */
export type ConfigOwner = "project" | "user";

/** What the choice of a file depends on. */
export interface TargetChoice {
  /** The files in use, nearest first. */
  files: readonly Pick<ConfigFile, "path" | "kind" | "stranger">[];
  /** Whose; where it is open, the nearest file in use that is mcpx's own. */
  owner?: ConfigOwner;
  /** Absolute working directory of the caller. */
  cwd: string;
  /** mcpx's configuration folder of this user. */
  configFolder: string;
}

/**
 * Chooses the file that a server or a setting is written into; other hosts' files are never chosen.
 *
 * @param choice the files in use, and whose is meant
 * @returns its path; the file may not exist yet
 *
 * @example
 * ```ts
 * import { targetFile } from "./target_file.ts";
 * const path = targetFile({ files: [], owner: "user", cwd: "/work", configFolder: "/home/me/.config/mcpx" });
 * console.assert(path === "/home/me/.config/mcpx/config.json");
 * ```
 */
export function targetFile({ files, owner, cwd, configFolder }: TargetChoice): string {
  const own = files.filter(({ path, kind, stranger }) =>
    stranger === undefined && (kind === "explicit" || (kind !== "system" && !path.endsWith("/.mcp.json")))
  );
  const explicit = own.find(({ kind }) => kind === "explicit");
  if (explicit) return explicit.path;
  const nearest = owner === undefined ? own[0] : own.find(({ kind }) => kind === owner);
  if (nearest) return nearest.path;
  return owner === "project" ? `${cwd}/.mcpx.json` : `${configFolder}/config.json`;
}
