import type { ConfigFile } from "./search.ts";

/** How configuration files are watched. */
export interface WatchOptions {
  /** How long it must be quiet after a change before it is told, ms; default 100. */
  debounceMs?: number;
  /** Told about what keeps a folder from being watched. */
  onError?: (message: string) => void;
}

/** A running watch. */
export interface ConfigWatch extends AsyncDisposable {
  /** Ends the watch; nothing is told any more once this is called. */
  close(): Promise<void>;
}

/**
 * Watches the files of a configuration set and tells when the content of one changed, was removed or came back.
 *
 * The folders are watched instead of the files, since editors replace a file by renaming another over it; a link and
 * the file that it points to are both watched.
 *
 * @param files the set
 * @param onChange called once for each burst of changes, with the paths that changed
 * @param options how long a burst may last
 * @returns the watch; whoever started it closes it
 *
 * @example
 * ```ts
 * import { watchConfigFiles } from "./watch.ts";
 * await using watch = watchConfigFiles([], () => undefined);
 * console.assert(typeof watch.close === "function");
 * ```
 */
export function watchConfigFiles(
  files: readonly ConfigFile[],
  onChange: (paths: string[]) => void,
  options: WatchOptions = {},
): ConfigWatch {
  const stamps = new Map(files.map((file) => [file.path, stampOf(file.path)]));
  const watched = new Set(files.flatMap(({ path, real }) => [path, real]));
  const folders = new Set([...watched].map((path) => path.slice(0, path.lastIndexOf("/")) || "/"));
  let timer: ReturnType<typeof setTimeout> | undefined;
  let closed = false;
  const check = (): void => {
    timer = undefined;
    const changed = files.map(({ path }) => path).filter((path) => {
      const stamp = stampOf(path);
      if (stamp === stamps.get(path)) return false;
      stamps.set(path, stamp);
      return true;
    });
    if (changed.length > 0) onChange(changed);
  };
  const touch = (): void => {
    if (closed) return;
    clearTimeout(timer);
    timer = setTimeout(check, options.debounceMs ?? 100);
  };
  const watchers: Deno.FsWatcher[] = [];
  const loops: Promise<void>[] = [];
  for (const folder of folders) {
    try {
      const watcher = Deno.watchFs(folder, { recursive: false });
      watchers.push(watcher);
      loops.push(follow(watcher, watched, touch));
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      options.onError?.(`Cannot watch ${folder}: ${reason}.`);
    }
  }
  const close = async (): Promise<void> => {
    closed = true;
    clearTimeout(timer);
    for (const watcher of watchers.splice(0)) watcher.close();
    await Promise.all(loops);
  };
  return { close, [Symbol.asyncDispose]: close };
}

async function follow(
  watcher: Deno.FsWatcher,
  watched: ReadonlySet<string>,
  touch: () => void,
): Promise<void> {
  for await (const { kind, paths } of watcher) {
    if (kind !== "access" && paths.some((path) => watched.has(path) || isLinkSwap(path))) touch();
  }
}

/** Mounted configuration is replaced by moving a link such as `..data` in the same folder. */
function isLinkSwap(path: string): boolean {
  return path.slice(path.lastIndexOf("/") + 1).startsWith("..");
}

/** What changes whenever the content of a file does, links followed. */
function stampOf(path: string): string {
  try {
    const info = Deno.statSync(path);
    return `${info.dev}:${info.ino}:${info.size}:${info.mtime?.getTime()}:${info.ctime?.getTime()}`;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return "absent";
    if (error instanceof Deno.errors.PermissionDenied || error instanceof Deno.errors.NotADirectory) {
      return "closed";
    }
    throw error;
  }
}
