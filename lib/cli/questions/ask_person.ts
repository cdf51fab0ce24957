import { askerOf } from "../../elicit/asker.ts";
import { fieldProblem } from "../../elicit/check_answer.ts";
import { type FormField, formFields } from "../../elicit/form_fields.ts";
import { readAnswer } from "../../elicit/read_answer.ts";
import type { Question } from "../../elicit/types.ts";
import { McpxError } from "../../errors/mod.ts";
import type { JsonObject } from "../../schema/types.ts";
import type { Prompter } from "./prompter.ts";

/** What a person said to a question. */
export type PersonsReply = { action: "accept"; content: JsonObject } | { action: "decline" | "cancel" };

const LEAVE_OUT = "\u0000";

/**
 * Puts a question to the person at the terminal: who asks and what, then field by field.
 *
 * @returns undefined when they break off
 */
export async function askPerson(
  question: Question & { problem?: string },
  prompter: Prompter,
): Promise<PersonsReply | undefined> {
  const who = askerOf(question);
  const about = [
    question.message,
    ...(question.url === undefined ? [] : [question.url]),
    ...(question.warning === undefined ? [] : [question.warning]),
    ...(question.problem === undefined ? [] : [question.problem]),
  ];
  prompter.note(about.join("\n"), `${who} asks`);
  const fields = formFields(question.schema);
  const [only] = fields;
  if (question.kind === "confirmation" && only && fields.length === 1) {
    const yes = await prompter.confirm(only.description ?? only.name, false);
    return yes === undefined ? undefined : { action: "accept", content: { [only.name]: yes } };
  }
  const accept = question.kind === "url" ? "I have opened the page" : "Answer";
  const action = await prompter.choose("What do you say?", [
    { value: "accept", title: accept },
    { value: "decline", title: "No: decline" },
    { value: "cancel", title: "Nothing: cancel" },
  ]);
  if (action === undefined) return undefined;
  if (action !== "accept") return { action: action === "decline" ? "decline" : "cancel" };
  const content = await askFields(fields, prompter);
  return content && { action: "accept", content };
}

async function askFields(fields: FormField[], prompter: Prompter): Promise<JsonObject | undefined> {
  const needed = fields.filter(({ required }) => required);
  const others = fields.filter(({ required }) => !required);
  const content: JsonObject = {};
  for (const field of needed) if (!await askField(field, content, prompter)) return undefined;
  if (others.length > 0 && needed.length > 0) {
    const more = await prompter.confirm(`Fill in ${others.length} more that may be left out?`, false);
    if (more === undefined) return undefined;
    if (!more) return content;
  }
  for (const field of others) if (!await askField(field, content, prompter)) return undefined;
  return content;
}

/** Asks for one field and puts what it gets into `content`; false when the person breaks off. */
async function askField(field: FormField, content: JsonObject, prompter: Prompter): Promise<boolean> {
  const message = [field.title ?? field.name, field.description, field.constraints.join(", ")]
    .filter((part) => part !== undefined && part !== "").join(": ");
  const put = (value: unknown): true => {
    Object.defineProperty(content, field.name, { value, enumerable: true, configurable: true });
    return true;
  };
  const leaveOut = field.required ? [] : [{ value: LEAVE_OUT, title: "(leave out)" }];
  if (field.type === "boolean" || field.type === "choice") {
    const options = field.options ?? [{ value: "true", title: "Yes" }, { value: "false", title: "No" }];
    const initial = field.default === undefined ? undefined : String(field.default);
    const chosen = await prompter.choose(message, [...options, ...leaveOut], initial);
    if (chosen === undefined) return false;
    if (chosen === LEAVE_OUT) return true;
    return put(field.type === "boolean" ? chosen === "true" : chosen);
  }
  if (field.type === "choices") {
    for (let wrong: string | undefined = "";;) {
      const initial = Array.isArray(field.default)
        ? field.default.filter((one) => typeof one === "string")
        : [];
      const chosen = await prompter.chooseSome(
        wrong ? `${message} (${wrong})` : message,
        field.options ?? [],
        initial,
      );
      if (chosen === undefined) return false;
      if (chosen.length === 0 && !field.required) return true;
      wrong = fieldProblem(field, chosen);
      if (wrong === undefined) return put(chosen);
    }
  }
  const initial = typeof field.default === "string" || typeof field.default === "number"
    ? String(field.default)
    : undefined;
  const text = await prompter.text({
    message: field.required ? message : `${message} (empty leaves it out)`,
    ...(initial === undefined ? {} : { initial }),
    secret: field.secret,
    check: (typed) => typed === "" && !field.required ? undefined : textProblem(field, typed),
  });
  if (text === undefined) return false;
  return text === "" && !field.required ? true : put(valueOf(field, text));
}

function valueOf(field: FormField, text: string): unknown {
  return readAnswer({ properties: { [field.name]: field.schema } }, [[field.name, text]])[field.name];
}

function textProblem(field: FormField, text: string): string | undefined {
  try {
    return fieldProblem(field, valueOf(field, text));
  } catch (thrown) {
    return McpxError.from(thrown).message;
  }
}
