import type { Environment } from "./paths.ts";

/** What is known of a file or folder. */
type Owned = Pick<Deno.FileInfo, "uid" | "mode">;

const STICKY = 0o1000;
const OTHERS_WRITE = 0o002;

/**
 * The users whose files count as this user's own: the user, root, and under `sudo` whoever called it.
 *
 * @param env the caller's environment: `SUDO_UID` is read
 * @param user this user; null where the system has none, and then nothing is checked
 * @returns the numbers; nothing where the system has no such numbers
 *
 * @example
 * ```ts
 * import { ownUsers } from "./stranger.ts";
 * console.assert(ownUsers({}, 1000)?.includes(0));
 * ```
 */
export function ownUsers(env: Environment, user: number | null = Deno.uid()): number[] | undefined {
  if (user === null) return undefined;
  const caller = user === 0 && /^\d{1,10}$/.test(env.SUDO_UID ?? "") ? [Number(env.SUDO_UID)] : [];
  return [user, 0, ...caller];
}

/**
 * Tells why what a file says is not this user's word: it, its folder or the link to it is somebody else's, or everybody can
 * change it.
 *
 * @param path the file as it was found
 * @param file what is known of it, links followed
 * @param options.users as {@link ownUsers} gives them
 * @param options.real the file with links resolved, where it is known
 * @param options.folder what is known of the folder that `path` lies in, where that is known already
 * @returns a clause such as `it belongs to uid 1000`; nothing where the file is this user's
 */
export function strangerOf(
  path: string,
  file: Owned,
  options: { users: readonly number[] | undefined; real?: string; folder?: Owned },
): string | undefined {
  const { users } = options;
  if (users === undefined) return undefined;
  const own = strangeness(file, users, "it", { isFolder: false });
  if (own !== undefined) return own;
  const folderPath = path.slice(0, path.lastIndexOf("/")) || "/";
  const folder = options.folder ?? Deno.statSync(folderPath);
  const held = strangeness(folder, users, `its folder ${folderPath}`, { isFolder: true });
  if (held !== undefined || options.real === path) return held;
  // Whoever made a link chose what it points to, and the folder that relative paths start at.
  return strangeness({ ...Deno.lstatSync(path), mode: 0 }, users, "the link to it", { isFolder: false });
}

/** Tells why a folder's content is not this user's word. */
export function strangeFolder(info: Owned, users: readonly number[] | undefined): string | undefined {
  return users === undefined ? undefined : strangeness(info, users, "its folder", { isFolder: true });
}

function strangeness(
  { uid, mode }: Owned,
  users: readonly number[],
  what: string,
  { isFolder }: { isFolder: boolean },
): string | undefined {
  if (uid !== null && !users.includes(uid)) return `${what} belongs to uid ${uid}`;
  if (mode === null || (mode & OTHERS_WRITE) === 0) return undefined;
  // Where the folder is sticky only the owner of a file can replace it.
  if (isFolder && (mode & STICKY) !== 0) return undefined;
  return `everybody can write ${what}`;
}

/** The sentence about a file that is not used. */
export function passedOver(path: string, reason: string): string {
  const open = /^everybody can write (?:it|its folder (.+))$/.exec(reason);
  const close = open ? ` Run chmod o-w ${open[1] ?? path} if that was not meant.` : "";
  return `${path} is passed over: ${reason}.${close} If you know what it says, run: mcpx trust ${path}`;
}
