import { gainedText } from "./text_flags.ts";
import type { ShapeField, ToolChange, ToolShape } from "./types.ts";
import { isWidened } from "./widened.ts";

const KEPT_TEXT = 500;

/** A change whose time the caller adds. */
export type UndatedChange = Omit<ToolChange, "when">;

/**
 * Compares two shapes of one tool.
 *
 * @param before the shape as it was
 * @param after the shape as it is
 * @returns what changed, arguments first, each with its verdict (Diagnose, "Verdicts")
 *
 * @example
 * ```ts
 * import { compareShapes } from "./compare_shapes.ts";
 * const shape = { fields: {}, hints: {}, description: "", textDigest: "0" };
 * const [change] = compareShapes(shape, { ...shape, fields: { a: { type: "string", required: true } } });
 * console.assert(change?.what === "`a` was added and is required" && change.verdict === "breaking");
 * ```
 */
export function compareShapes(before: ToolShape, after: ToolShape): UndatedChange[] {
  const changes = [...argumentChanges(before, after), ...hintChanges(before, after)];
  changes.push(...textChanges(before, after, changes.some(isNewlyRequired)));
  return changes;
}

function isNewlyRequired(change: UndatedChange): boolean {
  return change.verdict === "breaking" &&
    (change.kind === "argument-added" || change.kind === "argument-required");
}

function argumentChanges(before: ToolShape, after: ToolShape): UndatedChange[] {
  const changes: UndatedChange[] = [];
  for (const [field, now] of Object.entries(after.fields)) {
    const was = own(before.fields, field);
    if (was === undefined) {
      changes.push({
        kind: "argument-added",
        field,
        what: `\`${field}\` was added and is ${now.required ? "required" : "optional"}`,
        verdict: now.required ? "breaking" : "compatible",
      });
    } else changes.push(...fieldChanges(field, was, now));
  }
  for (const field of Object.keys(before.fields)) {
    if (own(after.fields, field) !== undefined) continue;
    changes.push({
      kind: "argument-removed",
      field,
      what: `\`${field}\` was removed`,
      verdict: after.closed ? "breaking" : "compatible",
    });
  }
  return changes;
}

function fieldChanges(field: string, was: ShapeField, now: ShapeField): UndatedChange[] {
  const changes: UndatedChange[] = [];
  if (was.type !== now.type) {
    changes.push({
      kind: "argument-retyped",
      field,
      what: `\`${field}\` changed from ${shorten(was.type, 120)} to ${shorten(now.type, 120)}`,
      verdict: isWidened(was.type, now.type) ? "compatible" : "breaking",
    });
  }
  if (was.required !== now.required) {
    changes.push({
      kind: now.required ? "argument-required" : "argument-optional",
      field,
      what: `\`${field}\` became ${now.required ? "required" : "optional"}`,
      verdict: now.required ? "breaking" : "compatible",
    });
  }
  return changes;
}

function hintChanges(before: ToolShape, after: ToolShape): UndatedChange[] {
  const changes: UndatedChange[] = [];
  for (const field of new Set([...Object.keys(before.hints), ...Object.keys(after.hints)])) {
    const was = before.hints[field];
    const now = after.hints[field];
    if (was === now) continue;
    const breaking = (field === "destructiveHint" && now === true) ||
      (field === "readOnlyHint" && was === true);
    const eased = (field === "destructiveHint" && was === true) || (field === "readOnlyHint" && now === true);
    changes.push({
      kind: "hint-changed",
      field,
      what: `\`${field}\` ${
        now === undefined ? "is no longer given" : now ? "was turned on" : "was turned off"
      }`,
      verdict: breaking ? "breaking" : "compatible",
      ...(eased ? { flags: ["the tool now claims to be less dangerous than it did"] } : {}),
    });
  }
  return changes;
}

function textChanges(before: ToolShape, after: ToolShape, withRequired: boolean): UndatedChange[] {
  const changes: UndatedChange[] = [];
  if (before.description !== after.description) {
    changes.push(textChange(before.description, after.description));
  }
  for (const [field, now] of Object.entries(after.fields)) {
    const was = own(before.fields, field);
    const text = now.description ?? "";
    if (was !== undefined && (was.description ?? "") !== text) {
      changes.push(textChange(was.description ?? "", text, field));
    }
  }
  const flags = gainedText(allText(before), allText(after));
  const argumentsChanged = namesOf(after) !== namesOf(before);
  if (
    changes.length === 0 &&
    (flags.length > 0 || (before.textDigest !== after.textDigest && !argumentsChanged))
  ) {
    const what = flags.length > 0
      ? "the descriptions gained text"
      : "the description changed beyond what is kept of it";
    changes.push({ kind: "description-changed", what, verdict: "compatible" });
  }
  const [first] = changes;
  if (first === undefined) return [];
  if (withRequired) flags.push("the description changed together with a new required argument");
  if (flags.length > 0) first.flags = flags;
  return changes;
}

function namesOf(shape: ToolShape): string {
  return JSON.stringify(Object.keys(shape.fields));
}

function textChange(was: string, now: string, field?: string): UndatedChange {
  return {
    kind: "description-changed",
    ...(field === undefined ? {} : { field }),
    what: field === undefined ? "the description changed" : `the description of \`${field}\` changed`,
    verdict: "compatible",
    before: shorten(was, KEPT_TEXT),
    after: shorten(now, KEPT_TEXT),
  };
}

function allText(shape: ToolShape): string {
  return [shape.description, ...Object.values(shape.fields).map((field) => field.description ?? "")].join(
    "\n",
  );
}

function own<T>(record: Record<string, T>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

function shorten(text: string, limit: number): string {
  return text.length > limit ? `${text.slice(0, limit - 1)}…` : text;
}
