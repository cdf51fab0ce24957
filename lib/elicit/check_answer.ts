import { isRawNumber } from "../json/mod.ts";
import { fitsPattern, type JsonObject, validateValue } from "../schema/mod.ts";
import { type FormField, formFields } from "./form_fields.ts";

/** One thing that is wrong with an answer. */
export interface AnswerProblem {
  /** The field; empty for the answer as a whole. */
  field: string;
  /** What is wrong, in words that follow the field. */
  message: string;
}

/** An answer's content, checked. */
export type CheckedAnswer =
  | { ok: true; content: JsonObject }
  | { ok: false; problems: AnswerProblem[] };

/**
 * Checks an answer's content against the schema that was asked with: every field fits, none is missing that is required and has no
 * default, and there is none that was not asked for. Defaults fill what was left out.
 *
 * @param schema what was asked with
 * @param content the values
 * @returns the content to send, or what is wrong with it, every field that is
 *
 * @example
 * ```ts
 * import { checkAnswer } from "./check_answer.ts";
 * const schema = { type: "object", properties: { age: { type: "integer", minimum: 0 } }, required: ["age"] };
 * const wrong = checkAnswer(schema, { age: "three" });
 * console.assert(!wrong.ok && wrong.problems[0]?.field === "age");
 * ```
 */
export function checkAnswer(schema: unknown, content: JsonObject): CheckedAnswer {
  const fields = formFields(schema);
  const known = new Map(fields.map((field) => [field.name, field]));
  const problems: AnswerProblem[] = [];
  for (const name of Object.keys(content)) {
    if (known.has(name)) continue;
    const names = [...known.keys()].map((each) => `\`${each}\``).join(", ");
    problems.push({
      field: name,
      message: names === ""
        ? "was not asked for: it asks for no values"
        : `was not asked for: it asks for ${names}`,
    });
  }
  const filled: JsonObject = {};
  for (const field of fields) {
    const value = Object.hasOwn(content, field.name) ? content[field.name] : field.default;
    if (value === undefined) {
      if (field.required) problems.push({ field: field.name, message: "is required" });
      continue;
    }
    const wrong = fieldProblem(field, value);
    if (wrong !== undefined) problems.push({ field: field.name, message: wrong });
    else define(filled, field.name, value);
  }
  return problems.length > 0 ? { ok: false, problems } : { ok: true, content: filled };
}

/**
 * The fields of a checked answer whose pattern could not be held against them: it is none, or goes back on what it has read.
 *
 * @param schema what was asked with
 * @param content the answer
 */
export function uncheckedFields(schema: unknown, content: JsonObject): string[] {
  return formFields(schema).flatMap(({ name, schema: { pattern } }) => {
    const value = Object.hasOwn(content, name) ? content[name] : undefined;
    const isUnchecked = typeof pattern === "string" && typeof value === "string" &&
      fitsPattern(pattern, value) === undefined;
    return isUnchecked ? [name] : [];
  });
}

/** What is wrong with one field's value, in words that follow its name. */
export function fieldProblem(field: FormField, value: unknown): string | undefined {
  if (field.options) {
    const values = field.options.map((option) => option.value);
    if (field.type === "choice" && !values.some((option) => option === value)) {
      return `must be ${values.length === 1 ? "" : "one of "}${listed(values)}`;
    }
    if (field.type === "choices") {
      if (!Array.isArray(value)) return "must be a list";
      const foreign = value.find((item) => !values.some((option) => option === item));
      if (foreign !== undefined) return `may hold ${listed(values)}, and holds ${JSON.stringify(foreign)}`;
      if (new Set(value).size < value.length) return "holds a value twice";
      return validateValue({ ...field.schema, items: undefined }, value)[0]?.message;
    }
  }
  if (isRawNumber(value) && !Number.isFinite(Number(value.rawJSON))) return "is more than a number can be";
  const [wrong] = validateValue(field.schema, value);
  if (wrong) return wrong.pointer === "" ? wrong.message : `${wrong.message} (at ${wrong.pointer})`;
  return typeof value === "string" ? formatProblem(field.schema.format, value) : undefined;
}

function listed(values: readonly string[]): string {
  const shown = values.slice(0, 12).map((value) => JSON.stringify(value)).join(", ");
  return values.length > 12 ? `${shown} and ${values.length - 12} more` : shown;
}

function formatProblem(format: unknown, text: string): string | undefined {
  switch (format) {
    case "email":
      return /^[^\s@]{1,256}@[^\s@.]+(?:\.[^\s@.]+)*$/u.test(text) ? undefined : "must be an email address";
    case "uri":
      return URL.canParse(text) && !/\s/.test(text) ? undefined : "must be a URL with its scheme";
    case "date":
      return isDate(text) ? undefined : "must be a date, YYYY-MM-DD";
    case "date-time":
      return isDateTime(text) ? undefined : "must be a date and time, YYYY-MM-DDThh:mm:ssZ";
    default:
      return undefined;
  }
}

function isDate(text: string): boolean {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text) ?? [];
  if (year === undefined) return false;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.getUTCMonth() + 1 === Number(month) &&
    date.getUTCDate() === Number(day);
}

function isDateTime(text: string): boolean {
  const [, date, hours, minutes, seconds] =
    /^(\d{4}-\d{2}-\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.\d+)?(?:[Zz]|[+-]\d{2}:\d{2})$/.exec(text) ?? [];
  return date !== undefined && isDate(date) && Number(hours) < 24 && Number(minutes) < 60 &&
    Number(seconds) <= 60;
}

/** Sets an own member whatever its name, `__proto__` included. */
function define(holder: JsonObject, name: string, value: unknown): void {
  Object.defineProperty(holder, name, { value, enumerable: true, configurable: true, writable: true });
}
