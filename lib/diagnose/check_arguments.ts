import { nearest } from "../catalog/nearest.ts";
import { explainingChange } from "./explaining_change.ts";
import { kindOfValue } from "./json_value.ts";
import { readJson } from "./repair_value.ts";
import type { ToolSchema } from "./tool_schema.ts";
import type {
  ChangeKind,
  Finding,
  ScannedArgument,
  ScannedProperty,
  ScannedValue,
  ToolChange,
} from "./types.ts";

/** What is wrong with one call's arguments. */
export interface ArgumentProblem
  extends Pick<Finding, "kind" | "message" | "changed" | "suggestion" | "fatal"> {
  field: string;
  /** Every argument that is missing, for `missing-argument`. */
  missing?: string[];
  /** Whether it stands for others too, which are not told one by one. */
  isSum?: true;
}

/** Of one kind of fault in one call, those beyond this many are told together, and nothing is suggested for them. */
export const MOST_OF_A_KIND = 20;

const MADE_REQUIRED: readonly ChangeKind[] = ["argument-added", "argument-required"];

/**
 * Compares the arguments as written with what a tool takes.
 *
 * @param argument the top of the call's argument
 * @param schema the tool's input
 * @param changes what is recorded about the tool, oldest first
 * @returns what does not fit: the missing first, then the others as they were written
 */
export function checkArguments(
  argument: ScannedArgument,
  schema: ToolSchema,
  changes: readonly ToolChange[],
): ArgumentProblem[] {
  if (argument.kind === "other") return [];
  const properties = argument.kind === "none" ? [] : argument.properties;
  const problems: ArgumentProblem[] = [];
  if (argument.kind === "none" || !argument.open) {
    problems.push(...missing(properties, argument.kind, schema, changes));
  }
  const given = new Set(properties.map((property) => property.key));
  // A name that is repeated counts as written last.
  const last = new Map(properties.map((property) => [property.key, property]));
  const further = { "argument-type": [] as string[], "unknown-argument": [] as string[] };
  const found = { "argument-type": 0, "unknown-argument": 0 };
  for (const property of last.values()) {
    const kind = faultOf(property, schema);
    if (kind === undefined) continue;
    if (++found[kind] > MOST_OF_A_KIND) further[kind].push(property.key);
    else {
      problems.push(
        kind === "argument-type"
          ? wrongType(property, schema, changes)
          : unknownArgument(property, given, schema, changes),
      );
    }
  }
  return [...problems, ...together(further)];
}

/** What is wrong with one argument as it is written. */
function faultOf(
  { key, value }: ScannedProperty,
  schema: ToolSchema,
): "argument-type" | "unknown-argument" | undefined {
  if (!schema.fields.has(key)) {
    return schema.declaresArguments || schema.closed ? "unknown-argument" : undefined;
  }
  if (value.kind === "unknown") return undefined;
  return schema.fits(key, givenBy(value), value.kind === "literal") === "differs"
    ? "argument-type"
    : undefined;
}

/** What is known of a value as it is written: a literal whole, of a list or an object only that it is one. */
function givenBy(value: Exclude<ScannedValue, { kind: "unknown" }>): unknown {
  return value.kind === "literal" ? value.value : value.kind === "array" ? [] : {};
}

/** The arguments beyond those that are told one by one. */
function together(further: Record<"argument-type" | "unknown-argument", string[]>): ArgumentProblem[] {
  const { "argument-type": mistyped, "unknown-argument": unknown } = further;
  return [
    ...mistyped.slice(0, 1).map((field): ArgumentProblem => ({
      kind: "argument-type",
      field,
      message: `so it is with ${listed(mistyped)}: their types are others`,
      isSum: true,
      fatal: true,
    })),
    ...unknown.slice(0, 1).map((field): ArgumentProblem => ({
      kind: "unknown-argument",
      field,
      message: `nor are there arguments ${listed(unknown)}`,
      isSum: true,
      fatal: false,
    })),
  ];
}

function missing(
  properties: readonly ScannedProperty[],
  kind: "none" | "object",
  schema: ToolSchema,
  changes: readonly ToolChange[],
): ArgumentProblem[] {
  const given = new Set(properties.map((property) => property.key));
  let names = schema.required.filter((name) => !given.has(name));
  if (names.length === 0 && given.size === 0 && schema.required.length === 0 && schema.argumentsRequired) {
    names = Object.keys(schema.minimalArguments());
  }
  const [first] = names;
  if (first === undefined) return [];
  const changed = explainingChange(changes, MADE_REQUIRED, names);
  const field = names.find((name) => changed?.what.includes(`\`${name}\``)) ?? first;
  const needed = `${listed(names)} ${names.length === 1 ? "is" : "are"} required`;
  const lead = changed === undefined
    ? "the argument object is not optional"
    : "the argument object is no longer optional";
  return [{
    kind: "missing-argument",
    field,
    missing: names,
    message: kind === "none" ? `${lead}: ${needed}` : `${needed} and missing`,
    ...(changed === undefined ? {} : { changed }),
    fatal: true,
  }];
}

/** Names in a row, as a sentence has them. */
export function listed(names: readonly string[]): string {
  if (names.length > 8) return `${names.slice(0, 8).join(", ")} and ${names.length - 8} more`;
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

function wrongType(
  { key: field, value }: ScannedProperty,
  schema: ToolSchema,
  changes: readonly ToolChange[],
): ArgumentProblem {
  const changed = explainingChange(changes, ["argument-retyped"], [field]);
  return {
    kind: "argument-type",
    field,
    message: typeMessage(field, value.kind === "unknown" ? undefined : givenBy(value), schema),
    ...(changed === undefined ? {} : { changed }),
    fatal: true,
  };
}

/** What is wrong with a value's type, and what would be right where that is known. */
export function typeMessage(field: string, value: unknown, schema: ToolSchema): string {
  const type = schema.fields.get(field)?.type ?? "unknown";
  const wanted = type.length > 120 ? `${type.slice(0, 119)}…` : type;
  const read = typeof value === "string" ? readJson(value) : undefined;
  if (typeof value === "string" && read !== undefined && schema.accepts(field, read)) {
    return typeof read === "object" && read !== null
      ? `${field} must be ${wanted}, and is a string that holds JSON: give the ${
        Array.isArray(read) ? "list" : "object"
      } itself`
      : `${field} must be ${wanted}, and is the string ${JSON.stringify(value)}: leave out the quotes`;
  }
  const is = typeof value === "string" && value.length <= 40 ? JSON.stringify(value) : kindOfValue(value);
  return `${field} must be ${wanted}, and is ${is}`;
}

function unknownArgument(
  property: ScannedProperty,
  given: ReadonlySet<string>,
  schema: ToolSchema,
  changes: readonly ToolChange[],
): ArgumentProblem {
  const field = property.key;
  const free = [...schema.fields.keys()].filter((name) => !given.has(name));
  const [suggestion] = nearest(field, free, 1);
  const changed = explainingChange(changes, ["argument-removed"], [field]);
  return {
    kind: "unknown-argument",
    field,
    message: `there is no argument ${field}${
      suggestion === undefined ? "" : `: did you mean ${suggestion}?`
    }`,
    ...(changed === undefined ? {} : { changed }),
    ...(suggestion === undefined ? {} : { suggestion }),
    fatal: false,
  };
}
