import { hashTail } from "../catalog/names.ts";
import type { NamedTarget } from "./reference_plan.ts";

/** Type names that the emitted text uses itself. */
const TAKEN = new Set(["Tools", "Promise", "Record"]);
const KEYWORD_SEGMENT = /^(?:\$defs|definitions|properties|items|prefixItems|anyOf|oneOf|allOf|\d+)$/;
const LONGEST = 60;

/** A target that wishes for a name. */
export interface NameWish {
  target: NamedTarget;
  /** The name of the document itself, for a reference to its root. */
  rootName: string;
}

/**
 * Names for the types of one namespace: one per identity, the same whatever the order of the tools.
 *
 * Where two different types wish for one name, each has a hash tail.
 *
 * @returns identity -> name
 */
export function nameTypes(wishes: readonly NameWish[]): Map<string, string> {
  const byName = new Map<string, Set<string>>();
  for (const { target, rootName } of wishes) {
    const name = wishedName(target.pointer, rootName);
    byName.set(name, (byName.get(name) ?? new Set()).add(target.identity));
  }
  const used = new Set<string>();
  const names = new Map<string, string>();
  for (const name of [...byName.keys()].sort()) {
    const identities = [...byName.get(name) ?? []].filter((identity) => !names.has(identity)).sort();
    for (const identity of identities) {
      let chosen = identities.length === 1 ? name : `${name}_${hashTail(identity)}`;
      for (let again = 1; used.has(chosen); again++) chosen = `${name}_${hashTail(`${again}\0${identity}`)}`;
      used.add(chosen);
      names.set(identity, chosen);
    }
  }
  return names;
}

function wishedName(pointer: string, rootName: string): string {
  if (pointer === "") return rootName;
  const telling = pointer.split("/").filter((segment) => segment !== "" && !KEYWORD_SEGMENT.test(segment));
  return pascalCase(
    telling.slice(pointer.startsWith("/$defs") || pointer.startsWith("/definitions") ? 0 : -1).join("_"),
  );
}

/**
 * Text as a type name: letters and digits of ASCII, each word's first letter large.
 *
 * @example
 * ```ts
 * import { pascalCase } from "./type_names.ts";
 * console.assert(pascalCase("create_issue") === "CreateIssue");
 * ```
 */
export function pascalCase(text: string): string {
  const words = text.slice(0, 4 * LONGEST).split(/[^A-Za-z0-9]+/).filter((word) => word !== "");
  const joined = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("").slice(0, LONGEST);
  if (joined === "") return "Type";
  return /^\d/.test(joined) || TAKEN.has(joined) ? `T${joined}` : joined;
}
