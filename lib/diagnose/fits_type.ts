import { isRawNumber } from "../json/mod.ts";
import { isObject } from "../json/mod.ts";

const DEEPEST = 40;
/** A schema that refers to itself has more paths than anybody can follow: beyond these many steps nothing is decided. */
const MOST_STEPS = 5000;

interface Comparison {
  resolve: Resolve;
  whole: boolean;
  deep: boolean;
  /** How many schemas may still be looked at. */
  left: number;
}

/** How surely a value is of a schema's type: `unknown` where the schema says nothing that can be decided here. */
export type Fit = "fits" | "differs" | "unknown";

/** Follows a reference inside the document; undefined where it leads nowhere. */
export type Resolve = (reference: string) => unknown;

/**
 * Compares a value with the types, enums and constants of a schema; bounds and patterns are not looked at, and what is nested only
 * with `deep`.
 *
 * @param schema the schema of one value
 * @param value a JSON value; where `whole` is false, a list or an object stands for any of its kind
 * @param options how references are followed, whether the value is known in full, and whether to look into it
 *
 * @example
 * ```ts
 * import { fitsType } from "./fits_type.ts";
 * console.assert(fitsType({ type: "integer" }, "5", { resolve: () => undefined }) === "differs");
 * ```
 */
export function fitsType(
  schema: unknown,
  value: unknown,
  options: { resolve: Resolve; whole?: boolean; deep?: boolean },
): Fit {
  const { resolve, whole = true, deep = false } = options;
  return fit(schema, value, { resolve, whole, deep, left: MOST_STEPS }, 0);
}

function fit(schema: unknown, value: unknown, comparison: Comparison, depth: number): Fit {
  if (schema === true) return "fits";
  if (schema === false) return "differs";
  if (!isObject(schema) || depth > DEEPEST || comparison.left-- <= 0) return "unknown";
  const own = (key: string): unknown => Object.hasOwn(schema, key) ? schema[key] : undefined;
  if (value === null && own("nullable") === true) return "fits";
  const fits: Fit[] = [
    ownType(own("type"), value),
    ownValues(own("enum"), own("const"), value, comparison.whole),
  ];
  if (comparison.deep) fits.push(...membersFit(schema, value, comparison, depth));
  const reference = own("$ref");
  if (typeof reference === "string") {
    const target = comparison.resolve(reference);
    fits.push(target === undefined ? "unknown" : fit(target, value, comparison, depth + 1));
  }
  for (const member of listOf(own("allOf"))) fits.push(fit(member, value, comparison, depth + 1));
  for (const key of ["anyOf", "oneOf"]) {
    const members = listOf(own(key));
    if (members.length > 0) {
      fits.push(any(members.map((member) => fit(member, value, comparison, depth + 1))));
    }
  }
  if (fits.includes("differs")) return "differs";
  return fits.includes("unknown") ? "unknown" : "fits";
}

/** How the items of a list, or the members of an object, fit what the schema says of them. */
function membersFit(
  schema: { readonly [key: string]: unknown },
  value: unknown,
  comparison: Comparison,
  depth: number,
): Fit[] {
  const own = (key: string): unknown => Object.hasOwn(schema, key) ? schema[key] : undefined;
  const member = (of: unknown, inner: unknown): Fit[] =>
    of === undefined ? [] : [fit(of, inner, comparison, depth + 1)];
  if (Array.isArray(value)) {
    const items = own("items");
    const first = listOf(Array.isArray(items) ? items : own("prefixItems"));
    const rest = Array.isArray(items) ? own("additionalItems") : items;
    return value.flatMap((inner, index) => member(index < first.length ? first[index] : rest, inner));
  }
  if (!isObject(value)) return [];
  const properties = own("properties");
  const declared = isObject(properties) ? properties : {};
  const missing = listOf(own("required")).some((name) =>
    typeof name === "string" && !Object.hasOwn(value, name)
  );
  const fits: Fit[] = missing ? ["differs"] : [];
  for (const [name, inner] of Object.entries(value)) {
    fits.push(...member(Object.hasOwn(declared, name) ? declared[name] : own("additionalProperties"), inner));
  }
  return fits;
}

function any(fits: Fit[]): Fit {
  if (fits.includes("fits")) return "fits";
  return fits.includes("unknown") ? "unknown" : "differs";
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function ownType(type: unknown, value: unknown): Fit {
  if (type === undefined) return "fits";
  const words = Array.isArray(type) ? type : [type];
  return any(words.map((word) => typeof word === "string" ? isOfType(word, value) : "unknown"));
}

function isOfType(word: string, value: unknown): Fit {
  const number = typeof value === "number" || isRawNumber(value);
  const tests: Record<string, boolean> = {
    string: typeof value === "string",
    number,
    integer: number && (typeof value !== "number" || Number.isInteger(value)),
    boolean: typeof value === "boolean",
    null: value === null,
    array: Array.isArray(value),
    object: isObject(value),
  };
  if (!Object.hasOwn(tests, word)) return "unknown";
  return tests[word] ? "fits" : "differs";
}

function ownValues(allowed: unknown, fixed: unknown, value: unknown, whole: boolean): Fit {
  const values = fixed === undefined ? allowed : [fixed];
  if (!Array.isArray(values)) return "fits";
  const nested = typeof value === "object" && value !== null;
  if (nested) {
    if (values.every((each) => typeof each !== "object" || each === null)) return "differs";
    return whole && values.some((each) => JSON.stringify(each) === JSON.stringify(value))
      ? "fits"
      : "unknown";
  }
  return values.includes(value) ? "fits" : "differs";
}
