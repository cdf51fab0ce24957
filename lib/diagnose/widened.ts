const PAIRS: Record<string, string> = { "(": ")", "[": "]", "{": "}", "<": ">" };

/**
 * Whether everything that fitted one type, as the flattening writes it, still fits another.
 *
 * @param before the type as it was, such as `"a" | "b"`
 * @param after the type as it is, such as `string`
 * @returns true only where the texts make it certain
 *
 * @example
 * ```ts
 * import { isWidened } from "./widened.ts";
 * console.assert(isWidened("integer", "number | null") && !isWidened("string", '"a" | "b"'));
 * ```
 */
export function isWidened(before: string, after: string): boolean {
  const now = membersOf(after);
  if (now.includes("unknown")) return true;
  return membersOf(before).every((member) => now.some((candidate) => accepts(candidate, member)));
}

function accepts(candidate: string, member: string): boolean {
  if (candidate === member) return true;
  if (candidate === "string") return member.startsWith('"');
  if (candidate === "number") return member === "integer" || /^-?\d/.test(member);
  if (candidate === "integer") return /^-?\d+$/.test(member);
  if (candidate === "boolean") return member === "true" || member === "false";
  return false;
}

/** The members of a union, split at the `|` that stand in no brackets and no quotes. */
function membersOf(type: string): string[] {
  const members: string[] = [];
  const open: string[] = [];
  let start = 0;
  for (let i = 0; i < type.length; i++) {
    const char = type.charAt(i);
    if (char === '"') {
      i++;
      while (i < type.length && type.charAt(i) !== '"') i += type.charAt(i) === "\\" ? 2 : 1;
    } else if (PAIRS[char] !== undefined) open.push(PAIRS[char]);
    else if (char === open.at(-1)) open.pop();
    else if (char === "|" && open.length === 0) {
      members.push(type.slice(start, i).trim());
      start = i + 1;
    }
  }
  members.push(type.slice(start).trim());
  return members;
}
