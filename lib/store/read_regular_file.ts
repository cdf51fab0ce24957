import { constants, open } from "node:fs/promises";

/** A file that was read whole. */
export interface RegularFile {
  bytes: Uint8Array<ArrayBuffer>;
  uid: number | null;
  mode: number | null;
}

/**
 * Reads a file that somebody else may have put there: a regular one, up to a size. Pipes, devices and what grows while it is
 * read neither block nor fill the memory.
 *
 * @param path the file; links are followed
 * @param options.limit the most bytes it may have
 * @param options.isRegular whether its folder has told already that it is a regular file
 * @returns its bytes, and whose the file is that they came from
 * @throws {Deno.errors.NotFound} and other errors of the system; an error with a clause that says what is wrong with it
 *
 * @example
 * ```ts
 * import { readRegularFile } from "./read_regular_file.ts";
 * const path = await Deno.makeTempFile();
 * console.assert((await readRegularFile(path, { limit: 10 })).bytes.length === 0);
 * await Deno.remove(path);
 * ```
 */
export async function readRegularFile(
  path: string,
  { limit, isRegular }: { limit: number; isRegular?: boolean },
): Promise<RegularFile> {
  // Looked at first, since opening some devices does something; and again once it is open, since it may be another by then.
  if (!isRegular) requireSmallFile(await Deno.stat(path), limit);
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const info = await file.stat();
    requireSmallFile({ isFile: info.isFile(), size: info.size }, limit);
    const bytes = new Uint8Array(limit > info.size ? info.size + 1 : limit + 1);
    let length = 0;
    while (length < bytes.length) {
      const { bytesRead } = await file.read(bytes, length, bytes.length - length, null);
      length += bytesRead;
      // Room was left, so this was its end.
      if (bytesRead === 0 || length === info.size) break;
    }
    if (length > info.size) throw new Error("it grows while it is read");
    const owned = Deno.build.os !== "windows";
    return {
      bytes: bytes.subarray(0, length),
      uid: owned ? info.uid : null,
      mode: owned ? info.mode : null,
    };
  } finally {
    await file.close();
  }
}

/** Reads a text file as {@link readRegularFile} does; what is no UTF-8 is replaced. */
export async function readRegularText(path: string, options: { limit: number }): Promise<string> {
  return new TextDecoder().decode((await readRegularFile(path, options)).bytes);
}

function requireSmallFile({ isFile, size }: Pick<Deno.FileInfo, "isFile" | "size">, limit: number): void {
  if (!isFile) throw new Error("it is no regular file");
  if (size > limit) throw new Error(`it has ${size} bytes, and ${limit} are read at most`);
}
