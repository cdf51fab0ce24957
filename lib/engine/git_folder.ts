import { dirname, join, resolve } from "node:path";

/** The top folders of the repository and of the worktree that a folder lies in. */
export interface GitFolders {
  repo?: string;
  worktree?: string;
}

/** Finds the Git repository around a folder by its `.git`, without running Git. */
export function gitFolders(cwd: string): GitFolders {
  for (let folder = cwd;; folder = dirname(folder)) {
    const found = gitEntry(folder);
    if (found) return found;
    if (dirname(folder) === folder) return {};
  }
}

function gitEntry(folder: string): GitFolders | undefined {
  const path = join(folder, ".git");
  try {
    if (Deno.statSync(path).isDirectory) return { repo: folder, worktree: folder };
    const pointer = /^gitdir:\s*(.+)$/m.exec(Deno.readTextFileSync(path))?.[1]?.trim();
    if (pointer === undefined) return undefined;
    const common = /^(.*)\/\.git\/worktrees\/[^/]+$/.exec(resolve(folder, pointer))?.[1];
    return { repo: common ?? folder, worktree: folder };
  } catch (error) {
    if (
      error instanceof Deno.errors.NotFound || error instanceof Deno.errors.PermissionDenied ||
      error instanceof Deno.errors.NotADirectory
    ) return undefined;
    throw error;
  }
}
