import type { ArgumentProblem } from "./check_arguments.ts";
import { repairValue } from "./repair_value.ts";
import type { ToolSchema } from "./tool_schema.ts";
import type { ScannedProperty, ScannedValue, ToolCallSite } from "./types.ts";
import { callSource, keySource, valueSource } from "./value_source.ts";

const LONGEST_PROPERTY = 80;
const LONGEST_UNREAD = 400;

/** What a call has to be changed into. */
export interface Repair {
  schema: ToolSchema;
  problems: readonly ArgumentProblem[];
  /** The callee, where it changes too. */
  callee?: string;
}

/**
 * Writes a call as it has to be: what was written stays, long values become the smallest of their type.
 *
 * @param source the script's source
 * @param call the call as the scanner found it
 * @param repair what is wrong and what is right
 * @returns the call's new source; undefined where it cannot be written in a short line
 */
export function fixCall(source: string, call: ToolCallSite, repair: Repair): string | undefined {
  if (repair.problems.some(({ kind, isSum }) => isSum && kind === "argument-type")) return undefined;
  const callee = repair.callee ?? source.slice(call.start, call.calleeEnd).replace(/\s+/g, "");
  if (/\/[/*]/.test(callee)) return undefined;
  const lead = call.awaitStart === undefined ? "" : "await ";
  const argument = call.argument;
  if (argument.kind === "other" || (argument.kind === "object" && argument.open)) {
    const changes = argument.kind === "object" ? argument.properties : [];
    const text = spliced(source, call, changes, repair);
    return text === undefined ? undefined : `${lead}${callee}${text}`;
  }
  const members: string[] = [];
  const written = argument.kind === "none"
    ? []
    : [...new Map(argument.properties.map((p) => [p.key, p])).values()];
  for (const property of written) members.push(memberSource(source, property, repair));
  const renamed = new Set(repair.problems.map((problem) => problem.suggestion));
  for (const name of repair.problems.flatMap((problem) => problem.missing ?? [])) {
    if (!renamed.has(name)) members.push(`${keySource(name)}: ${valueSource(repair.schema.minimal(name))}`);
  }
  return callSource(`${lead}${callee}`, members);
}

/** The property as it has to be; as it was where nothing is wrong with it and it is short. */
function memberSource(source: string, property: ScannedProperty, repair: Repair): string {
  const changed = changedMember(source, property, repair);
  if (changed !== undefined) return changed;
  const text = source.slice(property.start, property.end);
  if (text.length <= LONGEST_PROPERTY && !/[\r\n\u2028\u2029]/.test(text)) return text;
  return `${keySource(property.key)}: ${placeholder(property.key, property.value, repair.schema)}`;
}

function changedMember(source: string, property: ScannedProperty, repair: Repair): string | undefined {
  const problem = repair.problems.find((each) =>
    each.field === property.key && (each.kind === "argument-type" || each.kind === "unknown-argument")
  );
  if (problem === undefined) return undefined;
  if (problem.kind === "argument-type") {
    const given = property.value.kind === "literal"
      ? property.value.value
      : property.value.kind === "array"
      ? []
      : {};
    const whole = property.value.kind === "literal";
    const value = whole
      ? repairValue(repair.schema, property.key, given).value
      : repair.schema.minimal(property.key);
    return `${keySource(property.key)}: ${valueSource(value)}`;
  }
  if (problem.suggestion === undefined) return undefined;
  const value = property.value;
  const key = keySource(problem.suggestion);
  if (value.kind === "literal") {
    const fits = repair.schema.fits(problem.suggestion, value.value) !== "differs";
    const right = fits ? value.value : repairValue(repair.schema, problem.suggestion, value.value).value;
    return `${key}: ${valueSource(right)}`;
  }
  const text = source.slice(property.start, property.end);
  const bare = /^[\w$]+$/.test(text) ? text : /^(?:[\w$]+|"[^"\\]*"|'[^'\\]*')\s*:\s*(.+)$/s.exec(text)?.[1];
  const short = bare !== undefined && bare.length <= LONGEST_PROPERTY && !/[\r\n\u2028\u2029]/.test(bare);
  const suits = value.kind === "unknown" ||
    repair.schema.fits(problem.suggestion, value.kind === "array" ? [] : {}, false) !== "differs";
  return `${key}: ${short && suits ? bare : valueSource(repair.schema.minimal(problem.suggestion))}`;
}

/** The smallest value that stands for a long one: a string keeps its beginning. */
function placeholder(field: string, value: ScannedValue, schema: ToolSchema): string {
  if (value.kind === "literal" && typeof value.value === "string") {
    const short = valueSource(value.value);
    return schema.fits(field, value.value) === schema.fits(field, JSON.parse(short))
      ? short
      : JSON.stringify(value.value);
  }
  if (value.kind === "literal") return valueSource(value.value);
  const known = schema.fields.has(field);
  if (value.kind === "array" && (!known || schema.fits(field, [], false) !== "differs")) return "[]";
  return known ? valueSource(schema.minimal(field)) : value.kind === "object" ? "{}" : "null";
}

/** The text from the parenthesis on, with what is wrong replaced in place. */
function spliced(
  source: string,
  call: ToolCallSite,
  properties: readonly ScannedProperty[],
  repair: Repair,
): string | undefined {
  if (call.end - call.open > LONGEST_UNREAD) return undefined;
  let text = "";
  let from = call.open;
  for (const property of properties) {
    const changed = changedMember(source, property, repair);
    if (changed === undefined) continue;
    text += source.slice(from, property.start) + changed;
    from = property.end;
  }
  return text + source.slice(from, call.end);
}
