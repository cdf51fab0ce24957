import { McpxError } from "../errors/mod.ts";
import type { CliIo } from "./io.ts";

/**
 * Decodes the bytes of a text file: UTF-8, or UTF-16 with its byte order mark; the mark itself is dropped.
 *
 * @param bytes the whole content
 * @param name what is being read, for the error
 * @returns the text
 * @throws {McpxError} `usage` when the bytes are not text
 */
export function decodeText(bytes: Uint8Array, name: string): string {
  const encoding = bytes[0] === 0xff && bytes[1] === 0xfe
    ? "utf-16le"
    : bytes[0] === 0xfe && bytes[1] === 0xff
    ? "utf-16be"
    : "utf-8";
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch (error) {
    throw new McpxError("usage", `Cannot read ${name}: it is not ${encoding.toUpperCase()} text.`, {
      cause: error,
    });
  }
}

/** The texts that a command line names besides itself: files, and standard input once. */
export class TextSource {
  readonly #io: Pick<CliIo, "readStdin" | "cwd">;
  #stdinTaken = false;

  constructor(io: Pick<CliIo, "readStdin" | "cwd">) {
    this.#io = io;
  }

  /** Standard input to its end; a second reader is refused. */
  async stdin(): Promise<string> {
    if (this.#stdinTaken) {
      throw new McpxError("usage", "Cannot read standard input twice: - was given two times.");
    }
    this.#stdinTaken = true;
    return decodeText(await this.#io.readStdin(), "standard input");
  }

  /** A file, by a path from the working directory. */
  async file(path: string): Promise<string> {
    const absolute = path.startsWith("/") ? path : `${this.#io.cwd}/${path}`;
    let bytes: Uint8Array;
    try {
      bytes = await Deno.readFile(absolute);
    } catch (error) {
      throw new McpxError("usage", `Cannot read ${path}: ${readFailure(error)}.`, { cause: error });
    }
    return decodeText(bytes, path);
  }
}

function readFailure(error: unknown): string {
  if (error instanceof Deno.errors.NotFound) return "there is no such file";
  if (error instanceof Deno.errors.IsADirectory) return "it is a folder";
  if (error instanceof Deno.errors.PermissionDenied) return "it may not be read";
  return error instanceof Error ? error.message : String(error);
}
