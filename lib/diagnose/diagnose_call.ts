import { nearest } from "../catalog/nearest.ts";
import type { JsonObject, JsonSchema } from "../schema/types.ts";
import { listed, MOST_OF_A_KIND, typeMessage } from "./check_arguments.ts";
import { explainingChange } from "./explaining_change.ts";
import { namedArguments } from "./named_arguments.ts";
import { repairValue } from "./repair_value.ts";
import { ToolSchema } from "./tool_schema.ts";
import type { ChangeKind, Finding, ToolChange } from "./types.ts";
import { calleeSource, callSource, keySource, valueSource } from "./value_source.ts";

/** What a server answered to a call that failed. */
export type FailedAnswer =
  | { kind: "rpc-error"; code: number; message: string }
  /** A result with `isError`, and the text of its content. */
  | { kind: "tool-error"; text: string };

/** A failed call and what is known of its tool. */
export interface FailedCall {
  /** The namespace that was called. */
  namespace: string;
  /** The function that was called. */
  fn: string;
  /** The schema as last read; the call is not explained where it never was. */
  inputSchema: JsonSchema | undefined;
  /** What was sent. */
  arguments: JsonObject;
  /** What came back. */
  answer: FailedAnswer;
  /** What is recorded about the tool, oldest first. */
  changes?: readonly ToolChange[];
}

const INVALID_PARAMS = -32602;
/** Words by which a text complains about what it was given; `expected` in `unexpected` is none. */
const COMPLAINT =
  /\b(?:required|missing|invalid|expected|unrecogni[sz]ed|not allowed|not permitted|must (?:be|have|not|match|provide)|should be|validation|unknown (?:argument|parameter|field|property|key)|unexpected (?:keyword )?(?:argument|parameter|field|property|key|type)|extra (?:inputs?|fields?)|additional propert(?:y|ies))\b/i;
const ORDINARY: ReadonlySet<string> = new Set(
  "argument arguments code data error expected field input message name object params path schema string type value"
    .split(" "),
);
const LONGEST_TEXT = 100_000;
/** Findings on one failed call beyond this many say nothing new. */
const MOST_FINDINGS = 10;

/**
 * Whether an answer complains about arguments at all: of codes only those outside -32099 to -32000, and of other codes than
 * -32602 and of results with `isError` only texts that say so.
 *
 * @param answer what the server answered
 */
export function blamesArguments(answer: FailedAnswer): boolean {
  if (answer.kind === "rpc-error") {
    if (answer.code === INVALID_PARAMS) return true;
    if (answer.code >= -32099 && answer.code <= -32000) return false;
  }
  return COMPLAINT.test(textOf(answer));
}

function textOf(answer: FailedAnswer): string {
  return (answer.kind === "rpc-error" ? answer.message : answer.text).slice(0, LONGEST_TEXT);
}

/**
 * Explains a failed call by its arguments, where an answer of the server gives reason to.
 *
 * Only an answer about arguments is explained: never a code from -32099 to -32000, and of other codes and of results
 * with `isError` only texts that complain about input. What the server named is preferred.
 *
 * @param call the call, the answer, and what is known of the tool
 * @returns the findings, most often one; empty where the arguments were not at fault
 * (Diagnose, "Findings on a failed call")
 *
 * @example
 * ```ts
 * import { explainCall } from "./diagnose_call.ts";
 * const [finding] = explainCall({
 *   namespace: "demo",
 *   fn: "echo",
 *   inputSchema: { properties: { message: { type: "string" } }, required: ["message"] },
 *   arguments: {},
 *   answer: { kind: "rpc-error", code: -32602, message: "Invalid params" },
 * });
 * console.assert(finding?.fix === 'await demo.echo({ message: "" })');
 * ```
 */
export function explainCall(call: FailedCall): Finding[] {
  if (call.inputSchema === undefined || !blamesArguments(call.answer)) return [];
  const certain = call.answer.kind === "rpc-error" && call.answer.code === INVALID_PARAMS;
  const schema = new ToolSchema(call.inputSchema);
  const named = namedArguments(textOf(call.answer), [
    ...new Set([...schema.fields.keys(), ...Object.keys(call.arguments)]),
  ]);
  const faults = faultsOf(call.arguments, schema);
  const words = new Set(named);
  const chosen = faults.filter((fault) => words.has(fault.field));
  // A complaint uses some words whether or not arguments are called so: facts go before those.
  const meant = faults.length === 0 ? named : named.filter((field) => !ORDINARY.has(field));
  if (chosen.length === 0) chosen.push(...namedWithoutFault(meant, call.arguments, schema, certain));
  if (chosen.length === 0) chosen.push(...faults.filter((fault) => certain || fault.kind !== "unknown"));
  // What was sent under a wrong name is what is missing under the right one.
  const meantFor = new Set(chosen.filter(({ kind }) => kind === "missing").map(({ field }) => field));
  chosen.push(
    ...faults.filter((fault) =>
      fault.suggestion !== undefined && meantFor.has(fault.suggestion) && !chosen.includes(fault)
    ),
  );
  return findingsOf(chosen, call, schema);
}

interface Fault {
  kind: "missing" | "unsent" | "type" | "unknown" | "refused";
  field: string;
  suggestion?: string;
}

/** What is wrong by the schema alone. */
function faultsOf(sent: JsonObject, schema: ToolSchema): Fault[] {
  const faults: Fault[] = [];
  let required = schema.required;
  if (required.length === 0 && Object.keys(sent).length === 0 && schema.argumentsRequired) {
    required = Object.keys(schema.minimalArguments());
  }
  for (const field of required) {
    if (!isGiven(sent, field)) faults.push({ kind: "missing", field });
  }
  let unknown = 0;
  for (const field of Object.keys(sent)) {
    if (schema.fields.has(field)) {
      if (isGiven(sent, field) && schema.fits(field, sent[field]) === "differs") {
        faults.push({ kind: "type", field });
      }
    } else if (schema.closed || schema.declaresArguments) {
      const [suggestion] = ++unknown > MOST_OF_A_KIND ? [] : nearest(
        field,
        [...schema.fields.keys()].filter((name) => !isGiven(sent, name)),
        1,
      );
      faults.push({ kind: "unknown", field, ...(suggestion === undefined ? {} : { suggestion }) });
    }
  }
  return faults;
}

function isGiven(sent: JsonObject, field: string): boolean {
  return Object.hasOwn(sent, field) && sent[field] !== undefined;
}

/** What the server named although the schema has nothing against it: the schema that is known may be the old one. */
function namedWithoutFault(
  named: readonly string[],
  sent: JsonObject,
  schema: ToolSchema,
  certain: boolean,
): Fault[] {
  const declared = named.filter((field) => schema.fields.has(field));
  const unsent = declared.filter((field) => !isGiven(sent, field));
  if (unsent.length > 0) return unsent.slice(0, 1).map((field) => ({ kind: "unsent", field }));
  return certain ? declared.slice(0, 1).map((field) => ({ kind: "refused", field })) : [];
}

const EXPLAINS: Record<Fault["kind"], readonly ChangeKind[]> = {
  missing: ["argument-added", "argument-required"],
  unsent: ["argument-added", "argument-required"],
  type: ["argument-retyped"],
  unknown: ["argument-removed"],
  refused: ["argument-retyped", "argument-added", "argument-required"],
};

function findingsOf(faults: readonly Fault[], call: FailedCall, schema: ToolSchema): Finding[] {
  const fix = faults.some((fault) => fault.kind !== "refused") ? fixed(faults, call, schema) : undefined;
  const missing = faults.filter((fault) => fault.kind === "missing");
  const groups: [Fault, string][] = faults
    .filter((fault) => fault.kind !== "missing")
    .slice(0, MOST_FINDINGS)
    .map((fault) => [fault, messageOf(fault, call, schema)]);
  const [first] = missing;
  if (first !== undefined) {
    const names = missing.map((fault) => fault.field);
    const verb = names.length === 1 ? "is required but was not sent" : "are required but were not sent";
    groups.unshift([first, `the call was rejected and ${listed(names)} ${verb}`]);
  }
  return groups.slice(0, MOST_FINDINGS).map(([fault, message]) => {
    const fields = fault.kind === "missing" ? missing.map((each) => each.field) : [fault.field];
    const changed = explainingChange(call.changes ?? [], EXPLAINS[fault.kind], fields);
    return {
      kind: "invalid-params",
      tool: `${call.namespace}.${call.fn}`,
      field: fields.find((name) => changed?.what.includes(`\`${name}\``)) ?? fault.field,
      message,
      ...(changed === undefined ? {} : { changed }),
      ...(fault.suggestion === undefined ? {} : { suggestion: fault.suggestion }),
      ...(fix === undefined ? {} : { fix }),
      fatal: true,
    };
  });
}

function messageOf(fault: Fault, call: FailedCall, schema: ToolSchema): string {
  const { field } = fault;
  if (fault.kind === "type") {
    return `the call was rejected and ${typeMessage(field, call.arguments[field], schema)}`;
  }
  if (fault.kind === "unsent") {
    return `the call was rejected and the server names ${field}, which was not sent`;
  }
  if (fault.kind === "refused") return `the call was rejected and the server names ${field}`;
  const hint = fault.suggestion === undefined ? "" : `: did you mean ${fault.suggestion}?`;
  return `the call was rejected and there is no argument ${field}${hint}`;
}

/** The call with the arguments that were sent, each fault put right. */
function fixed(faults: readonly Fault[], call: FailedCall, schema: ToolSchema): string | undefined {
  const members = new Map<string, unknown>();
  const byField = new Map(faults.map((fault) => [fault.field, fault]));
  for (const [field, value] of Object.entries(call.arguments)) {
    const fault = byField.get(field);
    if (fault?.kind === "type") members.set(field, repairValue(schema, field, value).value);
    else if (fault?.kind !== "unknown") members.set(field, value);
    else if (fault.suggestion !== undefined) members.set(fault.suggestion, value);
  }
  for (const fault of faults) {
    const absent = fault.kind === "missing" || fault.kind === "unsent";
    if (absent && (members.get(fault.field) ?? undefined) === undefined) {
      members.set(fault.field, schema.minimal(fault.field));
    }
  }
  const sources = [...members].map(([field, value]) => `${keySource(field)}: ${valueSource(value)}`);
  return callSource(`await ${calleeSource(call.namespace, call.fn)}`, sources);
}
