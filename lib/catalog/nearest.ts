/**
 * Finds the names that a mistyped one most likely meant.
 *
 * @param name what was written
 * @param candidates what could have been meant
 * @param max how many at most; default 3
 * @returns the nearest first, at most a third of the name away; equal distances in the order of the alphabet
 *
 * @example
 * ```ts
 * import { nearest } from "./nearest.ts";
 * console.assert(nearest("serach", ["search", "read"])[0] === "search");
 * ```
 */
export function nearest(name: string, candidates: Iterable<string>, max = 3): string[] {
  const written = fold(name);
  const allowed = Math.max(1, Math.floor(written.length / 3));
  const found: { candidate: string; distance: number }[] = [];
  for (const candidate of new Set(candidates)) {
    const folded = fold(candidate);
    const distance = folded === written ? 0 : editDistance(written, folded, allowed);
    if (distance <= allowed && distance < Math.max(written.length, folded.length)) {
      found.push({ candidate, distance });
    }
  }
  return found
    .sort((a, b) =>
      a.distance - b.distance || (a.candidate < b.candidate ? -1 : a.candidate > b.candidate ? 1 : 0)
    )
    .slice(0, Math.max(0, max))
    .map(({ candidate }) => candidate);
}

/** Case and the choice of `-`, `_`, `.` or a space are no difference. */
function fold(name: string): string {
  return name.slice(0, 200).toLowerCase().replace(/[-_.\s]+/g, "_");
}

/**
 * Counts the insertions, deletions, replacements and swaps of neighbours between two texts.
 *
 * @param a one text
 * @param b the other
 * @param limit the largest distance of interest: anything farther gives `limit + 1`
 * @returns the distance (optimal string alignment), or `limit + 1`
 */
export function editDistance(a: string, b: string, limit: number): number {
  if (a === b) return 0;
  if (Math.abs(a.length - b.length) > limit) return limit + 1;
  let start = 0;
  let endA = a.length;
  let endB = b.length;
  while (start < endA && start < endB && a.charCodeAt(start) === b.charCodeAt(start)) start++;
  while (endA > start && endB > start && a.charCodeAt(endA - 1) === b.charCodeAt(endB - 1)) {
    endA--;
    endB--;
  }
  if (limit === 1 && Math.max(endA, endB) - start > 2) return 2;
  return distanceOf(a.slice(start, endA), b.slice(start, endB), limit);
}

function distanceOf(a: string, b: string, limit: number): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    let least = row;
    for (let column = 1; column <= b.length; column++) {
      const same = a.charCodeAt(row - 1) === b.charCodeAt(column - 1);
      let cost = Math.min(
        at(last, column) + 1,
        at(current, column - 1) + 1,
        at(last, column - 1) + (same ? 0 : 1),
      );
      const swapped = row > 1 && column > 1 && a.charCodeAt(row - 1) === b.charCodeAt(column - 2) &&
        a.charCodeAt(row - 2) === b.charCodeAt(column - 1);
      if (swapped) cost = Math.min(cost, at(beforeLast, column - 2) + 1);
      current.push(cost);
      if (cost < least) least = cost;
    }
    if (least > limit) return limit + 1;
    beforeLast = last;
    last = current;
  }
  return Math.min(at(last, b.length), limit + 1);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Infinity;
}
