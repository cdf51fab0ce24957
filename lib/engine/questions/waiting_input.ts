import {
  answerCommand,
  askerOf,
  briefMessage,
  fieldLines,
  type Question,
  withoutSecretValues,
} from "../../elicit/mod.ts";
import { McpxError } from "../../errors/mod.ts";

const MOST_FIELDS = 50;

/**
 * What a caller is told whose request waits for an answer that nobody at hand can give: the question with its schema, the command
 * that answers it, and the one that collects the result.
 *
 * @param questions the open ones, the newest last
 * @param task the task that the request goes on as
 */
export function waitingInput(questions: readonly Question[], task: string): McpxError {
  const question = questions.at(-1);
  if (!question) return new McpxError("waiting-input", `Task ${task} waits for an answer.`);
  const collect = `mcpx task result ${task}`;
  return new McpxError("waiting-input", `${askerOf(question)} asks: ${briefMessage(question.message)}`, {
    hint: `${answerCommand(question)}   then   ${collect}`,
    data: {
      question: shown(question),
      ...(question.schema ? { fields: briefFields(question) } : {}),
      answer: answerCommand(question),
      task,
      collect,
      ...(questions.length > 1 ? { waitingFor: questions.map(({ id }) => id) } : {}),
    },
  });
}

/** The fields in words, as many as can be read in passing. */
function briefFields({ id, schema }: Question): string[] {
  const lines = fieldLines(schema);
  if (lines.length <= MOST_FIELDS) return lines;
  return [...lines.slice(0, MOST_FIELDS), `and ${lines.length - MOST_FIELDS} more: mcpx elicit show ${id}`];
}

function shown(question: Question): Partial<Question> {
  const { state: _pending, answer: _none, ...rest } = withoutSecretValues(question);
  return rest;
}
