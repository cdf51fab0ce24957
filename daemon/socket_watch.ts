/** How often the path is looked at, ms. Watching its folder would tell sooner, but not when the folder itself goes. */
const LOOK_MS = 2000;

/**
 * Tells once when a socket's path no longer leads to what was bound there: a cleaner of temporary folders took it, a
 * runtime folder ended with a login, or something else was put in its place.
 *
 * A daemon that nobody can reach would hold its lock until it is idle, and no other could take its place.
 */
export class SocketWatch implements Disposable {
  readonly #timer: ReturnType<typeof setInterval>;

  /** @param path of a socket that has just been bound */
  constructor(path: string, onLost: () => void) {
    const bound = stampOf(path);
    this.#timer = setInterval(() => {
      const there = stampOf(path);
      if (there !== undefined && there === bound) return;
      this[Symbol.dispose]();
      onLost();
    }, LOOK_MS);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}

/** What tells one file from another that came to the same path; `undefined` where none can be reached. */
function stampOf(path: string): string | undefined {
  try {
    const { dev, ino, ctime } = Deno.lstatSync(path);
    return `${dev}:${ino}:${ctime?.getTime()}`;
  } catch {
    return undefined;
  }
}
