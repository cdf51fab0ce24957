import { dirname, join, resolve } from "node:path";

const MAX_POINTER_BYTES = 64 * 1024;

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
    const info = Deno.statSync(path);
    if (info.isDirectory) return { repo: folder, worktree: folder };
    // A pipe would hold up whoever reads it, and a pointer is one line.
    if (!info.isFile || info.size > MAX_POINTER_BYTES) return undefined;
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
