import { RPC, RpcError } from "../wire/rpc_error.ts";

/** Which page of which list. */
export interface PageRequest {
  /** The list's member, such as `tools`: a cursor of one list is none of another. */
  list: string;
  cursor: unknown;
  /** Entries in a page; 0 puts all into one. */
  size: number;
}

/**
 * One page of a list.
 *
 * @throws {RpcError} -32602 for a cursor that was not given out
 *
 * @example
 * ```ts
 * import { pageOf } from "./pages.ts";
 * const first = pageOf(["a", "b", "c"], { list: "tools", cursor: undefined, size: 2 });
 * const second = pageOf(["a", "b", "c"], { list: "tools", cursor: first.nextCursor, size: 2 });
 * console.assert(second.items.join() === "c" && second.nextCursor === undefined);
 * ```
 */
export function pageOf<T>(
  all: readonly T[],
  page: PageRequest,
): { items: readonly T[]; nextCursor?: string } {
  const { list, cursor, size } = page;
  const start = cursor === undefined ? 0 : readCursor(list, cursor);
  if (start > 0 && start >= all.length) throw badCursor();
  if (size === 0 || start + size >= all.length) return { items: start === 0 ? all : all.slice(start) };
  const end = start + size;
  return { items: all.slice(start, end), nextCursor: new TextEncoder().encode(`${list}:${end}`).toBase64() };
}

function readCursor(list: string, cursor: unknown): number {
  if (typeof cursor !== "string") throw badCursor();
  let text: string;
  try {
    text = new TextDecoder().decode(Uint8Array.fromBase64(cursor));
  } catch {
    throw badCursor();
  }
  const [name, end = ""] = text.split(":");
  if (name !== list || !/^[1-9]\d{0,8}$/.test(end)) throw badCursor();
  return Number(end);
}

function badCursor(): RpcError {
  return new RpcError(RPC.invalidParams, "The cursor is not one that was given out.");
}
