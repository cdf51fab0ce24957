import { isRawNumber } from "../json/mod.ts";

/**
 * Tells whether two JSON values are the same, the order of members aside.
 *
 * @param a one value
 * @param b the other
 * @returns whether they are the same; nesting of any depth is compared without recursion
 */
export function sameJson(a: unknown, b: unknown): boolean {
  const open: [unknown, unknown][] = [[a, b]];
  for (let pair = open.pop(); pair; pair = open.pop()) {
    const [left, right] = pair;
    if (Object.is(left, right) || left === right) continue;
    if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) {
      return false;
    }
    if (isRawNumber(left) || isRawNumber(right)) {
      if (!isRawNumber(left) || !isRawNumber(right) || left.rawJSON !== right.rawJSON) return false;
      continue;
    }
    if (Array.isArray(left) !== Array.isArray(right)) return false;
    const members = new Map(Object.entries(right));
    const entries = Object.entries(left);
    if (entries.length !== members.size) return false;
    for (const [key, value] of entries) {
      if (!members.has(key)) return false;
      open.push([value, members.get(key)]);
    }
  }
  return true;
}
