import { type FormField, formFields, isNumber } from "./form_fields.ts";
import { HIDDEN } from "./secret_names.ts";
import type { Answer, Question } from "./types.ts";

const EXAMPLES: Readonly<Record<string, string>> = {
  email: "someone@example.org",
  uri: "https://example.org/",
  date: "2026-01-31",
  "date-time": "2026-01-31T12:00:00Z",
};

/**
 * The command that answers a question, with a value of the right type for every field that it needs.
 *
 * @example
 * ```ts
 * import { answerCommand } from "./show_question.ts";
 * const schema = { properties: { name: { type: "string" } }, required: ["name"] };
 * console.assert(answerCommand({ id: "elc-1", kind: "elicitation", schema }) === "mcpx elicit answer elc-1 name='<name>'");
 * ```
 */
export function answerCommand(question: Pick<Question, "id" | "kind" | "schema">): string {
  const fields = formFields(question.schema);
  const needed = fields.filter((field) => field.required && field.default === undefined);
  const written = needed.length > 0 ? needed : fields.slice(0, 1);
  const values = written.map((field): [string, unknown] => [field.name, exampleValue(field)]);
  const pairs = values.flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((one): [string, string] => [name, wordOf(one)])
  );
  const words = pairs.some(isMisread)
    ? [quoted(JSON.stringify(Object.fromEntries(values)))]
    : pairs.map(([name, text]) => `${quoted(name)}=${quoted(text)}`);
  return ["mcpx", "elicit", "answer", question.id, ...words].join(" ");
}

/** A value that a field takes, as far as its schema tells. */
function exampleValue({ name, type, schema, options = [], default: fallback }: FormField): unknown {
  switch (type) {
    case "choice":
      return fallback ?? options[0]?.value ?? "";
    case "choices": {
      const least = typeof schema.minItems === "number" ? Math.max(1, schema.minItems) : 1;
      return options.slice(0, least).map(({ value }) => value);
    }
    case "boolean":
      return true;
    case "integer":
    case "number":
      return fallback ?? (isNumber(schema.minimum) ? schema.minimum : 1);
    case "string":
      return fallback ?? EXAMPLES[String(schema.format)] ?? `<${name}>`;
    default:
      return "<JSON>";
  }
}

/** A value as a word: text as it is, anything else as JSON, a number with all its digits. */
function wordOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value) ?? "";
}

/** What a command line would take for a flag, for another name, or for a file's. */
function isMisread([name, text]: [string, string]): boolean {
  return name.startsWith("-") || name.includes("=") || name === "" || text.startsWith("@");
}

function quoted(text: string): string {
  return /^[\w.,:@/+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** One line for each field: its name, what it takes, its bounds, its default. */
export function fieldLines(schema: unknown): string[] {
  return formFields(schema).map((field) => {
    const values = field.options?.slice(0, 30).map(({ value, title }) =>
      title === value ? value : `${value} (${title})`
    );
    const takes = values
      ? `${field.type === "choices" ? "some of" : "one of"} ${values.join(", ")}`
      : [field.type === "other" ? "JSON" : field.type, ...field.constraints].join(", ");
    const bounds = values && field.constraints.length > 0 ? ` (${field.constraints.join(", ")})` : "";
    const fallback = field.default === undefined || field.secret
      ? ""
      : `; default ${JSON.stringify(field.default)}`;
    const says = field.description ?? field.title;
    return `${field.name}: ${takes}${bounds}${field.required ? "" : "; optional"}${fallback}${
      says === undefined ? "" : `; ${says}`
    }`;
  });
}

/** A question as it is kept and shown: what its fields hold that are secrets is hidden, wherever it stands. */
export function withoutSecretValues(question: Question): Question {
  const secrets = new Set(formFields(question.schema).filter(({ secret }) => secret).map(({ name }) => name));
  if (secrets.size === 0) return question;
  return {
    ...question,
    ...(question.schema ? { schema: withoutDefaults(question.schema, secrets) } : {}),
    ...(question.answer ? { answer: hidden(question.answer, secrets) } : {}),
    ...(question.default ? { default: hidden(question.default, secrets) } : {}),
  };
}

function hidden(answer: Answer, secrets: ReadonlySet<string>): Answer {
  if (answer.action !== "accept" || !answer.content) return answer;
  const content = Object.fromEntries(
    Object.entries(answer.content).map(([name, value]) => [name, secrets.has(name) ? HIDDEN : value]),
  );
  return { action: "accept", content };
}

function withoutDefaults(
  schema: NonNullable<Question["schema"]>,
  secrets: ReadonlySet<string>,
): NonNullable<Question["schema"]> {
  const { properties } = schema;
  if (typeof properties !== "object" || properties === null) return schema;
  return {
    ...schema,
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, property]) => {
        if (!secrets.has(name) || typeof property !== "object" || property === null) return [name, property];
        const { default: _secret, ...rest } = property as Record<string, unknown>;
        return [name, rest];
      }),
    ),
  };
}
