import { inert, type Paint } from "./style.ts";

/**
 * Shows a question to a person: who asks what, what each field takes, and the command that answers it.
 *
 * @param value an `elicit show` document
 */
export function renderQuestion(value: unknown, paint: Paint): string {
  const { question, fields, command } = record(value);
  const { id, kind, server, message, url, warning, state, audience, reason, answeredBy, answer, expiresAt } =
    record(
      question,
    );
  const lines = [
    `${paint("bold", `${asker(kind, server)} asks`)}: ${text(message)}`,
    ...(url === undefined ? [] : [text(url)]),
    ...(warning === undefined ? [] : [text(warning)]),
    ...fieldList(fields, paint),
    `${paint("dim", "question:")} ${text(id)} (${text(kind)}), ${text(state)}`,
  ];
  if (state === "pending") {
    lines.push(`${paint("dim", "for:")} ${audience === "human" ? "a human" : "an agent"}: ${text(reason)}`);
    lines.push(`${paint("dim", "until:")} ${text(expiresAt)}`);
  } else lines.push(`${paint("dim", "by:")} ${text(answeredBy)}`);
  const content = record(answer).content;
  if (content !== undefined) lines.push(`${paint("dim", "answer:")} ${JSON.stringify(content)}`);
  if (command !== undefined) lines.push(`${paint("dim", "answer it:")} ${text(command)}`);
  return lines.map((line) => `${inert(line)}\n`).join("");
}

/** One line after an answer was taken. */
export function renderSettled(value: unknown): string {
  const { id, state } = record(record(value).question);
  return inert(`${text(id)} is ${text(state)}.\n`);
}

/** A question in a stream of them, on one line or more. */
export function renderListed(value: unknown, paint: Paint): string {
  const { id, kind, server, message, state, command, audience } = record(value);
  const line = `${text(id)}  ${text(state)}  ${paint("bold", asker(kind, server))}: ${
    text(message).replace(/\s+/g, " ")
  }`;
  return inert(
    command === undefined
      ? `${line}\n`
      : `${line} (for ${audience === "human" ? "a human" : "an agent"})\n    ${text(command)}\n`,
  );
}

/** What belongs to a request that waits: the fields, who is to answer, how, and how to collect the result. */
export function renderWaiting(data: Readonly<Record<string, unknown>>, paint: Paint): string[] {
  const question = record(data.question);
  const lines = fieldList(data.fields, paint);
  if (question.warning !== undefined) lines.unshift(text(question.warning));
  if (question.url !== undefined) lines.unshift(text(question.url));
  if (question.audience !== undefined) {
    lines.push(
      `${paint("dim", "for:")} ${question.audience === "human" ? "a human" : "an agent"}: ${
        text(question.reason)
      }`,
    );
  }
  const rows: [string, unknown][] = [["answer it", data.answer], ["then", data.collect]];
  for (const [name, value] of rows) {
    if (value !== undefined) lines.push(`${paint("dim", `${name}:`)} ${text(value)}`);
  }
  return lines.map(inert);
}

function fieldList(fields: unknown, paint: Paint): string[] {
  return Array.isArray(fields) ? fields.map((line) => `  ${paint("dim", "·")} ${text(line)}`) : [];
}

function asker(kind: unknown, server: unknown): string {
  const own = ["confirmation", "disambiguation", "recipe-form"].includes(text(kind));
  return own || server === undefined ? "mcpx" : text(server);
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
}

function text(value: unknown): string {
  return value === undefined || value === null
    ? ""
    : typeof value === "string"
    ? value
    : JSON.stringify(value);
}
