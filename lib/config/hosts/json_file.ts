import { applyEdits, findNodeAtLocation, getNodeValue, modify, type Node, parseTree } from "jsonc-parser";
import { McpxError } from "../../errors/mod.ts";
import { isObject } from "../fields.ts";
import { parseConfigText } from "../read.ts";

/** Parses another host's JSON, leniently. @throws {McpxError} `invalid-config` with file, line and column */
export function parseJsonFile(text: string, path: string): Record<string, unknown> {
  return parseConfigText(text.replace(/^\ufeff/, ""), { path, real: path, kind: "explicit" }, "").value;
}

/** The object at a path of keys, where there is one. */
export function objectAt(value: unknown, keys: readonly string[]): Record<string, unknown> | undefined {
  let at: unknown = value;
  for (const key of keys) at = isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined;
  return isObject(at) ? at : undefined;
}

/**
 * Sets or removes members of an object in JSON text; comments, order and indentation of the rest stay.
 *
 * @param text the present text; nothing or only space for a new file
 * @param keys where the object stands; it is made where there is none
 * @param members by name; `undefined` removes one
 * @returns the new text
 * @throws {McpxError} `invalid-config` when the present text cannot be parsed
 */
export function editJsonFile(
  text: string | undefined,
  keys: readonly string[],
  members: Readonly<Record<string, unknown>>,
): string {
  const bom = text?.startsWith("\ufeff") ? "\ufeff" : "";
  let edited = text?.slice(bom.length) ?? "";
  if (edited.trim() === "") edited = "{}\n";
  const value = parseJsonFile(edited, "the file");
  const parent = keys.length > 0 && objectAt(value, keys) === undefined
    ? firstForeign(value, keys)
    : undefined;
  if (parent) {
    throw new McpxError(
      "invalid-config",
      `Cannot add a server: ${parent} is there already and is no object.`,
      {
        hint: `Make ${parent} an object.`,
      },
    );
  }
  for (const [name, member] of Object.entries(members)) {
    const path = [...keys, name];
    edited = member === undefined ? removed(edited, path) : set(edited, path, member);
  }
  return bom + edited;
}

function removed(text: string, path: readonly string[]): string {
  const root = parseTree(text, [], { allowTrailingComma: true });
  if (root === undefined || findNodeAtLocation(root, [...path]) === undefined) return text;
  return applyEdits(text, modify(text, [...path], undefined, {}));
}

/** Sets one member without touching a character of its neighbours. */
function set(text: string, path: readonly string[], member: unknown): string {
  const root = parseTree(text, [], { allowTrailingComma: true });
  let at = root;
  for (const [depth, key] of path.entries()) {
    if (at === undefined) break;
    const next = findNodeAtLocation(at, [key]);
    if (next === undefined) {
      const value = path.slice(depth + 1).reduceRight<unknown>(
        (inner, outer) => ({ [outer]: inner }),
        member,
      );
      return inserted(text, at, { key, value, depth: depth + 1 });
    }
    at = next;
  }
  if (at === undefined) return text;
  const { indent, eol } = layoutOf(text);
  if (JSON.stringify(getNodeValue(at)) === JSON.stringify(member)) return text;
  const written = indented(member, indent, path.length).replaceAll("\n", eol);
  return text.slice(0, at.offset) + written + text.slice(at.offset + at.length);
}

function inserted(
  text: string,
  object: Node,
  { key, value, depth }: { key: string; value: unknown; depth: number },
): string {
  const { indent, eol } = layoutOf(text);
  const end = object.offset + object.length - 1;
  const last = object.children?.at(-1);
  const written = `${indent.repeat(depth)}${JSON.stringify(key)}: ${indented(value, indent, depth)}`
    .replaceAll("\n", eol);
  if (last === undefined) {
    const inside = text.slice(object.offset + 1, end).trimEnd();
    return `${text.slice(0, object.offset + 1)}${inside}${eol}${written}${eol}${indent.repeat(depth - 1)}` +
      text.slice(end);
  }
  const lastEnd = last.offset + last.length;
  const between = text.slice(lastEnd, end);
  const trailing = hasComma(between);
  const kept = between.trimEnd();
  const close = /[\r\n]/.test(between.slice(kept.length))
    ? between.slice(kept.length)
    : eol + indent.repeat(depth - 1);
  return text.slice(0, lastEnd) + (trailing ? "" : ",") + kept + eol + written + (trailing ? "," : "") +
    close +
    text.slice(end);
}

/** Whether a comma stands outside the comments. */
function hasComma(text: string): boolean {
  return text.replace(/\/\*[\s\S]*?\*\/|\/\/[^\r\n]*/g, "").includes(",");
}

function indented(value: unknown, indent: string, depth: number): string {
  return JSON.stringify(value, null, indent).replaceAll("\n", "\n" + indent.repeat(depth));
}

/** The first key on the way that holds something other than an object. */
function firstForeign(value: Record<string, unknown>, keys: readonly string[]): string | undefined {
  let at: unknown = value;
  for (const [depth, key] of keys.entries()) {
    if (!isObject(at)) return keys.slice(0, depth).join(".");
    if (!Object.hasOwn(at, key)) return undefined;
    at = at[key];
  }
  return isObject(at) ? undefined : keys.join(".");
}

function layoutOf(text: string): { indent: string; eol: string } {
  return { indent: /^[ \t]+(?=["/])/m.exec(text)?.[0] ?? "  ", eol: text.includes("\r\n") ? "\r\n" : "\n" };
}
