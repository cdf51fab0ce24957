import { parameterProblem } from "./parameter_value.ts";
import type { ParameterType, RecipeParameter, RecipeProblem } from "./types.ts";

const TYPES: readonly ParameterType[] = [
  "string",
  "number",
  "integer",
  "boolean",
  "array",
  "object",
  "json",
];
const NAME = /^[\p{ID_Start}$_][\p{ID_Continue}$]*/u;
const ENUM = /^"(?:[^"\\]|\\.)*"(?:\s*\|\s*"(?:[^"\\]|\\.)*")*/;
const EXAMPLE = "// @param days:number = 30   how old counts as stale";

/** A parameter, or why the line declares none. */
export type ReadParameter = { parameter: RecipeParameter } | { problem: RecipeProblem };

/**
 * Reads what follows `@param`: `name:type = default   description`.
 *
 * @param text the rest of the line
 * @param line its number, for the problem
 */
export function readParameter(text: string, line: number): ReadParameter {
  const refuse = (message: string, hint = EXAMPLE): ReadParameter => ({ problem: { line, message, hint } });
  const name = NAME.exec(text)?.[0];
  if (name === undefined) return refuse("A @param line does not begin with a name.");
  if (name === "__proto__") return refuse("A parameter cannot be called __proto__.");
  const colon = /^\s*:\s*/.exec(text.slice(name.length))?.[0];
  if (colon === undefined) {
    return /^\s*\?/.test(text.slice(name.length))
      ? refuse(`The parameter ${name} cannot be left out by \`?\`: give it a default.`)
      : refuse(`The parameter ${name} has no type.`);
  }
  const afterColon = text.slice(name.length + colon.length);
  const enumText = ENUM.exec(afterColon)?.[0];
  const typeText = enumText ?? /^[^\s=]*/.exec(afterColon)?.[0] ?? "";
  const type = enumText === undefined ? TYPES.find((known) => known === typeText) : "enum";
  if (type === undefined) {
    return refuse(
      `The parameter ${name} has the type ${JSON.stringify(typeText)}, which is none.`,
      `Types: ${TYPES.join(", ")}, or "one"|"other".`,
    );
  }
  const values = enumText === undefined ? undefined : enumWords(enumText);
  if (enumText !== undefined && values === undefined) {
    return refuse(`The parameter ${name} has a word that is no JSON string.`);
  }
  const rest = afterColon.slice(typeText.length);
  const shape = { name, type, ...(values ? { values } : {}), line };
  const equals = /^\s*=\s*/.exec(rest)?.[0];
  if (equals === undefined) return { parameter: { ...shape, description: rest.trim() } };
  const given = rest.slice(equals.length);
  const read = readDefault(given, type);
  if (read === undefined) return refuse(`The default of ${name} is no JSON value.`);
  const problem = parameterProblem(shape, read.value);
  if (problem !== undefined) return refuse(`The default of ${name} does not fit: ${problem}.`);
  return {
    parameter: { ...shape, description: given.slice(read.length).trim(), default: { value: read.value } },
  };
}

function enumWords(text: string): string[] | undefined {
  try {
    return [...text.matchAll(/"(?:[^"\\]|\\.)*"/g)].map(([word]) => String(JSON.parse(word)));
  } catch {
    return undefined;
  }
}

/** Reads a JSON value at the beginning of a text; a bare word is a string where the type is one. */
function readDefault(text: string, type: ParameterType): { value: unknown; length: number } | undefined {
  const length = valueLength(text);
  if (length === 0) return undefined;
  const written = text.slice(0, length);
  const bare = (type === "string" || type === "enum") && !written.startsWith('"');
  if (bare) return { value: written, length };
  try {
    return { value: JSON.parse(written), length };
  } catch {
    return undefined;
  }
}

/** Where the value at the beginning of a text ends: at its closing quote or bracket, else at white space. */
function valueLength(text: string): number {
  const first = text.charAt(0);
  if (first !== '"' && first !== "[" && first !== "{") return /^\S*/.exec(text)?.[0].length ?? 0;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at);
    if (char === '"') {
      const end = /^"(?:[^"\\]|\\.)*"/.exec(text.slice(at))?.[0].length;
      if (end === undefined) return text.length;
      at += end - 1;
    } else if (char === "[" || char === "{") depth++;
    else if (char === "]" || char === "}") depth--;
    if (depth === 0) return at + 1;
  }
  return text.length;
}
