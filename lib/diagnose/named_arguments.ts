const MOST_NAMES = 1000;

/**
 * The arguments that a text names as a whole word, in the order in which the text does.
 *
 * @param text what a server said
 * @param names names of arguments
 * @returns the names found; `id` is not found in `user_id`, in `user-id` or in `identity`
 *
 * @example
 * ```ts
 * import { namedArguments } from "./named_arguments.ts";
 * console.assert(namedArguments("user_id is required", ["id", "user_id"]).join() === "user_id");
 * ```
 */
export function namedArguments(text: string, names: readonly string[]): string[] {
  const found: [number, string][] = [];
  for (const name of names.slice(0, MOST_NAMES)) {
    const at = wholeWord(text, name);
    if (at !== -1) found.push([at, name]);
  }
  return found.sort(([a], [b]) => a - b).map(([, name]) => name);
}

function wholeWord(text: string, name: string): number {
  if (name === "") return -1;
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + name.length)) {
    if (!joins(text, at - 1) && !joins(text, at + name.length)) return at;
  }
  return -1;
}

/** Whether the character would make the word a longer one. */
function joins(text: string, at: number): boolean {
  return /[\p{L}\p{N}_$-]/u.test(text.charAt(at));
}
