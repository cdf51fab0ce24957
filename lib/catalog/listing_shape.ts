import { isObject } from "../json/mod.ts";
import type { JsonObject } from "../schema/types.ts";

/** The members that a type names itself, without an index signature. */
type Named<Type> = keyof {
  [Key in keyof Type as string extends Key ? never : number extends Key ? never : Key]: true;
};

/** The one shape that says what a type says; what it cannot express does not type-check. */
type ShapeOf<Type> = [unknown] extends [Type] ? "any"
  : [Type] extends [string] ? "string"
  : [Type] extends [boolean] ? "boolean"
  : [Type] extends [number] ? "number"
  : [Type] extends [readonly (infer Item)[]] ? { readonly items: ShapeOf<Item> }
  : [Type] extends [object] ? [Named<Type>] extends [never] ? "object" : { readonly members: MembersOf<Type> }
  : "any";

/** A row for each member: leaving one out, inventing one, or misstating whether it may be absent is an error. */
export type MembersOf<Type> = {
  readonly [Key in Named<Type>]-?: undefined extends Type[Key & keyof Type]
    ? { readonly optional: ShapeOf<Exclude<Type[Key & keyof Type], undefined>> }
    : ShapeOf<Type[Key & keyof Type]>;
};

/** Any shape, as a program that walks one sees it. */
export type Shape =
  | "any"
  | "string"
  | "boolean"
  | "number"
  | "object"
  | { readonly items: Shape }
  | { readonly members: Members };

/** Rows of an object's shape. */
export interface Members {
  readonly [name: string]: Shape | { readonly optional: Shape };
}

/** A digest of a shape that does not depend on the order of its members. */
export function shapeDigest(shape: Members): string {
  const text = canonical(shape);
  return fnv(text, 0x811c9dc5) + fnv(text, 0x01000193);
}

function canonical(value: Shape | Members | Members[string]): string {
  if (typeof value === "string") return value;
  const rows: [string, Members[string]][] = Object.entries(value);
  return `{${rows.map(([name, row]) => `${name}:${canonical(row)}`).sort().join()}}`;
}

function fnv(text: string, seed: number): string {
  let hash = seed;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, "0");
}

/** What reading a value by a shape gave. */
export type ShapeReading =
  | { ok: true; value: unknown }
  | { ok: false; pointer: string; expected: string };

/**
 * Reads a value by a shape.
 *
 * Inside a list, members that may be absent and have the wrong type are left out, and entries that lack what they
 * need are dropped, each with a sentence: one bad entry never hides the rest. Members without a row are kept.
 *
 * @param shape what is expected
 * @param value anything
 * @param place where the value lies, and where sentences about it go
 * @returns the value, or where it does not fit
 */
export function readShape(shape: Shape, value: unknown, place: ShapePlace): ShapeReading {
  if (shape === "any") return { ok: true, value };
  if (shape === "object") return isObject(value) ? { ok: true, value } : misfit(place, "an object");
  if (typeof shape === "string") {
    const type: string = typeof value;
    return type === shape ? { ok: true, value } : misfit(place, `a ${shape}`);
  }
  if ("items" in shape) return readItems(shape.items, value, place);
  return readMembers(shape.members, value, place);
}

/** Where a value lies in the whole. */
export interface ShapePlace {
  readonly pointer: string;
  /** Whether it belongs to an entry of a list, which may be repaired or dropped. */
  readonly inList: boolean;
  readonly warnings: string[];
}

function misfit(place: ShapePlace, expected: string): ShapeReading {
  return { ok: false, pointer: place.pointer, expected };
}

function readItems(shape: Shape, value: unknown, place: ShapePlace): ShapeReading {
  if (!Array.isArray(value)) return misfit(place, "a list");
  const items: unknown[] = [];
  for (const [at, item] of value.entries()) {
    const reading = readShape(shape, item, { ...place, pointer: `${place.pointer}/${at}`, inList: true });
    if (reading.ok) items.push(reading.value);
    else {place.warnings.push(
        `${place.pointer}/${at} is left out: ${reading.pointer} is not ${reading.expected}.`,
      );}
  }
  return { ok: true, value: items };
}

function readMembers(members: Members, value: unknown, place: ShapePlace): ShapeReading {
  if (!isObject(value)) return misfit(place, "an object");
  const result: JsonObject = { ...value };
  for (const [name, row] of Object.entries(members)) {
    const optional = typeof row === "object" && "optional" in row;
    const pointer = `${place.pointer}/${name}`;
    const member = Object.hasOwn(value, name) ? value[name] : undefined;
    if (member === undefined && optional) continue;
    const reading = readShape(shapeOfRow(row), member, { ...place, pointer });
    if (reading.ok) result[name] = reading.value;
    else if (!optional || !place.inList) return reading;
    else {
      delete result[name];
      place.warnings.push(`${pointer} is left out: it is not ${reading.expected}.`);
    }
  }
  return { ok: true, value: result };
}

function shapeOfRow(row: Members[string]): Shape {
  return typeof row === "object" && "optional" in row ? row.optional : row;
}
