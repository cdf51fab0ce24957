import { isObject } from "../json/mod.ts";
import type { JsonObject } from "../schema/types.ts";

/** Where bytes went that a result carried. */
export interface BinaryReference {
  id: string;
  path: string;
  bytes: number;
  mimeType: string;
}

/** Stores base64 text as bytes; `undefined` where it is no base64, and the block stays as it came. */
export type StoreBinary = (
  name: string,
  base64: string,
  mimeType: string,
) => BinaryReference | undefined | Promise<BinaryReference | undefined>;

/**
 * Puts a reference in the place of every image, audio and blob of a result, so that base64 goes no further.
 *
 * The block keeps all else that it had; `data` or `blob` gives way to `artifact`. It reads the `content` of a
 * tool's result and the `contents` of a resource.
 *
 * @param envelope a result as it came; it is left as it is
 * @param store stores the bytes and says where
 * @returns a new envelope, or the same one where it carried no bytes
 *
 * @example
 * ```ts
 * import { extractBinary } from "./extract_binary.ts";
 * const image = { type: "image", mimeType: "image/png", data: "AAAA" };
 * const slim = await extractBinary({ content: [image] }, (name, base64, mimeType) => (
 *   { id: "a1", path: `/tmp/${name}`, bytes: base64.length * 3 / 4, mimeType }
 * ));
 * console.assert(!JSON.stringify(slim).includes("AAAA"));
 * ```
 */
export async function extractBinary(envelope: JsonObject, store: StoreBinary): Promise<JsonObject> {
  let result = envelope;
  for (const list of ["content", "contents"] as const) {
    const blocks = envelope[list];
    if (!Array.isArray(blocks)) continue;
    const slim: unknown[] = [];
    for (const [at, block] of blocks.entries()) slim.push(await slimBlock(block, at + 1, store));
    if (slim.some((block, at) => block !== blocks[at])) result = { ...result, [list]: slim };
  }
  return result;
}

async function slimBlock(block: unknown, position: number, store: StoreBinary): Promise<unknown> {
  if (!isObject(block)) return block;
  if (block.type === "image" || block.type === "audio") {
    return await slimMember(block, { member: "data", stem: `${block.type}-${position}` }, store);
  }
  if (block.type === "resource" && isObject(block.resource)) {
    const stem = nameOfUri(block.resource.uri) ?? `resource-${position}`;
    const resource = await slimMember(block.resource, { member: "blob", stem }, store);
    return resource === block.resource ? block : { ...block, resource };
  }
  if (block.type === undefined) {
    const stem = nameOfUri(block.uri) ?? `resource-${position}`;
    return await slimMember(block, { member: "blob", stem }, store);
  }
  return block;
}

async function slimMember(
  holder: JsonObject,
  place: { member: "data" | "blob"; stem: string },
  store: StoreBinary,
): Promise<JsonObject> {
  const { [place.member]: base64, ...rest } = holder;
  if (typeof base64 !== "string") return holder;
  const mimeType = typeof holder.mimeType === "string" ? holder.mimeType : "application/octet-stream";
  const name = place.stem.includes(".") ? place.stem : `${place.stem}.${extensionOf(mimeType)}`;
  const artifact = await store(name, base64, mimeType);
  return artifact === undefined ? holder : { ...rest, artifact };
}

/** The last part of a URI's path, as a harmless file name. */
function nameOfUri(uri: unknown): string | undefined {
  if (typeof uri !== "string") return undefined;
  const last = uri.slice(-2000).replace(/[?#].*$/s, "").split("/").at(-1) ?? "";
  const name = last.replace(/[^A-Za-z0-9._-]+/g, "_").replace(/^[._-]+/, "").slice(-80);
  return name === "" ? undefined : name;
}

const EXTENSIONS: Readonly<Record<string, string>> = {
  "image/jpeg": "jpg",
  "image/svg+xml": "svg",
  "audio/mpeg": "mp3",
  "audio/x-wav": "wav",
  "text/plain": "txt",
  "application/octet-stream": "bin",
};

function extensionOf(mimeType: string): string {
  const type = mimeType.replace(/;.*$/s, "").trim().toLowerCase();
  if (Object.hasOwn(EXTENSIONS, type)) return EXTENSIONS[type] ?? "bin";
  return /^[a-z]+\/([a-z0-9]{1,8})$/.exec(type)?.[1] ?? "bin";
}
