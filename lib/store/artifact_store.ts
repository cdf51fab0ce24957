import { decodeBase64, encodeHex } from "./encoding.ts";
import { extname, join } from "node:path";
import { McpxError } from "../errors/mod.ts";
import { ensurePrivateFolder } from "./private_folder.ts";
import { UsableFolder } from "./usable_folder.ts";
import { writeFileAtomic } from "./atomic_file.ts";

/** A stored piece of content, as results and scripts name it. */
export interface ArtifactRef {
  /** `art-` and sixteen hex digits. */
  id: string;
  /** The name that was given, made safe for a file. */
  name: string;
  path: string;
  mimeType: string;
  bytes: number;
}

/** The limits of an artifact store, read at each use. */
export interface ArtifactLimits {
  quotaBytes: number;
  ttlMs: number;
}

const EXTENSIONS: Record<string, string> = {
  "application/json": ".json",
  "application/pdf": ".pdf",
  "audio/mpeg": ".mp3",
  "audio/wav": ".wav",
  "image/gif": ".gif",
  "image/jpeg": ".jpg",
  "image/png": ".png",
  "image/svg+xml": ".svg",
  "image/webp": ".webp",
  "text/csv": ".csv",
  "text/html": ".html",
  "text/markdown": ".md",
  "text/plain": ".txt",
};

/** Content that is too large or too binary to pass along, kept as files in one folder. */
export class ArtifactStore {
  readonly #folder: UsableFolder;
  readonly #limits: () => ArtifactLimits;
  readonly #now: () => number;

  constructor(
    folder: string,
    options: { limits: () => ArtifactLimits; now?: () => number; onUnusable?: (message: string) => void },
  ) {
    const { onUnusable = (): void => undefined } = options;
    this.#folder = new UsableFolder(folder, { what: "The folder of artifacts", onUnusable, temporary: true });
    this.#limits = options.limits;
    this.#now = options.now ?? Date.now;
  }

  /**
   * Stores bytes.
   *
   * @param name a name for people; anything that is no file name is replaced
   * @throws {McpxError} `too-large` above the quota, `state-unwritable`
   */
  async put(name: string, bytes: Uint8Array, mimeType: string): Promise<ArtifactRef> {
    const { quotaBytes } = this.#limits();
    if (bytes.length > quotaBytes) {
      throw new McpxError(
        "too-large",
        `Cannot store ${name}: ${bytes.length} bytes are more than artifact.quota (${quotaBytes}).`,
      );
    }
    const id = `art-${encodeHex(crypto.getRandomValues(new Uint8Array(8)))}`;
    const file = fileName(name, mimeType);
    const path = join(await this.#path(), id, file);
    await writeFileAtomic(path, bytes, { sync: false });
    await this.#collect(quotaBytes);
    return { id, name: file, path, mimeType, bytes: bytes.length };
  }

  /** Stores base64 content as MCP carries it; `undefined` where the text is no base64. */
  async putBase64(name: string, base64: string, mimeType: string): Promise<ArtifactRef | undefined> {
    const bytes = decodeBase64(base64);
    return bytes && await this.put(name, bytes, mimeType);
  }

  /** What is stored, oldest first. */
  async list(): Promise<(ArtifactRef & { createdAt: string })[]> {
    const home = await this.#path();
    await ensurePrivateFolder(home);
    const found: (ArtifactRef & { createdAt: string })[] = [];
    for await (const folder of Deno.readDir(home)) {
      if (!folder.isDirectory || !/^art-[0-9a-f]{16}$/.test(folder.name)) continue;
      for await (const file of Deno.readDir(join(home, folder.name))) {
        if (!file.isFile || file.name.endsWith(".tmp")) continue;
        const path = join(home, folder.name, file.name);
        const info = await Deno.stat(path);
        found.push({
          id: folder.name,
          name: file.name,
          path,
          mimeType: mimeTypeOf(file.name),
          bytes: info.size,
          createdAt: (info.mtime ?? new Date(0)).toISOString(),
        });
      }
    }
    return found.sort((a, b) => a.createdAt < b.createdAt ? -1 : a.createdAt > b.createdAt ? 1 : 0);
  }

  /** One artifact. @throws {McpxError} `unknown-artifact` */
  async get(id: string): Promise<ArtifactRef & { createdAt: string }> {
    const found = (await this.list()).find((ref) => ref.id === id);
    if (found) return found;
    throw new McpxError("unknown-artifact", `Cannot find ${id}: there is no artifact of that id.`, {
      hint: "mcpx artifact list",
    });
  }

  /** Removes one artifact. @throws {McpxError} `unknown-artifact` */
  async delete(id: string): Promise<void> {
    await this.get(id);
    await Deno.remove(join(await this.#path(), id), { recursive: true });
  }

  /** Removes the temporary folder, where one had to stand in. */
  async close(): Promise<void> {
    await this.#folder[Symbol.asyncDispose]();
  }

  async #path(): Promise<string> {
    const path = await this.#folder.path();
    if (path !== undefined) return path;
    throw new McpxError("state-unwritable", "Cannot keep artifacts: there is no folder for them.");
  }

  /** Removes what is too old, then the oldest until the rest fits the quota. */
  async #collect(quotaBytes: number): Promise<void> {
    const refs = await this.list();
    let total = refs.reduce((sum, ref) => sum + ref.bytes, 0);
    const oldest = this.#now() - this.#limits().ttlMs;
    for (const ref of refs) {
      if (Date.parse(ref.createdAt) >= oldest && total <= quotaBytes) continue;
      await Deno.remove(join(await this.#path(), ref.id), { recursive: true });
      total -= ref.bytes;
    }
  }
}

function fileName(name: string, mimeType: string): string {
  const base =
    (name.split(/[\\/]/).pop() ?? "").replace(/[^\w.\-]+/g, "_").replace(/^\.+/, "").slice(0, 100) ||
    "artifact";
  return extname(base) === "" ? base + (EXTENSIONS[(mimeType.split(";")[0] ?? "").trim()] ?? ".bin") : base;
}

function mimeTypeOf(file: string): string {
  const extension = extname(file).toLowerCase();
  return Object.keys(EXTENSIONS).find((type) => EXTENSIONS[type] === extension) ?? "application/octet-stream";
}
