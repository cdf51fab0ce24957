import { McpxError } from "../errors/mod.ts";
import { coerceArguments, type JsonObject } from "../schema/mod.ts";
import { type FormField, formFields } from "./form_fields.ts";

const YES = ["yes", "y", "on", "1"];
const NO = ["no", "n", "off", "0"];

/**
 * Reads `key=value` words as the content of an answer: `age=3` is a number where a number is asked for, a choice may be named by its
 * title, and a list is one key several times, or its values with commas between.
 *
 * @param schema what was asked with
 * @param pairs keys and texts, in the order written
 * @returns the content, still to be checked
 * @throws {McpxError} `invalid-input`, naming the field, where a text fits none of its types
 *
 * @example
 * ```ts
 * import { readAnswer } from "./read_answer.ts";
 * const schema = { properties: { age: { type: "integer" }, ok: { type: "boolean" } } };
 * console.assert(JSON.stringify(readAnswer(schema, [["age", "3"], ["ok", "yes"]])) === '{"age":3,"ok":true}');
 * ```
 */
export function readAnswer(schema: unknown, pairs: readonly (readonly [string, string])[]): JsonObject {
  const fields = new Map(formFields(schema).map((field) => [field.name, field]));
  const words = [...Map.groupBy(pairs, ([name]) => name)].flatMap(([name, group]) => {
    const field = fields.get(name);
    const texts = group.map(([, text]) => text);
    return (field ? plainTexts(field, texts) : texts).map((text): [string, string] => [name, text]);
  });
  try {
    return coerceArguments(flatSchema(fields), words);
  } catch (thrown) {
    const error = McpxError.from(thrown);
    const field = fields.get(String(error.data?.key));
    if (!field?.secret) throw error;
    throw new McpxError(error.code, `Cannot use ${field.name}: it takes ${String(error.data?.expected)}.`, {
      data: { field: field.name },
    });
  }
}

/** Types alone: whether values are among the choices is for the check to say, with the field's own words. */
function flatSchema(fields: ReadonlyMap<string, FormField>): JsonObject {
  const properties: JsonObject = {};
  for (const { name, type, schema } of fields.values()) {
    const plain = type === "choice"
      ? { type: "string" }
      : type === "choices"
      ? { type: "array", items: { type: "string" } }
      : schema;
    Object.defineProperty(properties, name, { value: plain, enumerable: true });
  }
  return { type: "object", properties };
}

function plainTexts({ type, options = [] }: FormField, texts: readonly string[]): readonly string[] {
  const valueOf = (text: string): string =>
    options.some(({ value }) => value === text) ? text : options.find(({ title }) => title === text)?.value ??
      options.find(({ title, value }) => same(title, text) || same(value, text))?.value ?? text;
  const [only = ""] = texts;
  if (type === "boolean" && texts.length === 1) {
    const word = only.trim().toLowerCase();
    return [
      YES.includes(word) || word === "true" ? "true" : NO.includes(word) || word === "false" ? "false" : only,
    ];
  }
  if (type === "choice") return texts.map(valueOf);
  if (type !== "choices") return texts;
  if (texts.length > 1) return texts.map(valueOf);
  if (only.trimStart().startsWith("[")) return texts;
  const parts = only === ""
    ? []
    : options.some(({ value, title }) => value === only || title === only)
    ? [only]
    : only.split(",").map((part) => part.trim());
  return [JSON.stringify(parts.map(valueOf))];
}

function same(one: string, other: string): boolean {
  return one.toLowerCase() === other.trim().toLowerCase();
}
