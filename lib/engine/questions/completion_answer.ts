import { checkAnswer, type Question, SAMPLING_SCHEMA } from "../../elicit/mod.ts";
import { McpxError } from "../../errors/mod.ts";
import type { JsonObject } from "../../schema/mod.ts";

/**
 * A `sampling/createMessage` result: as it was given, or made of the text that somebody wrote.
 *
 * @throws {McpxError} `invalid-input` where it is neither
 */
export function completionOf(question: Question, given: JsonObject): JsonObject {
  if (Object.hasOwn(given, "content") || Object.hasOwn(given, "role")) {
    const { role, content, model } = given;
    const blocks = Array.isArray(content) ? content : [content];
    const fits = (role === "assistant" || role === "user") && typeof model === "string" &&
      blocks.every((block) => typeof block === "object" && block !== null && "type" in block);
    if (fits) return given;
    throw new McpxError(
      "invalid-input",
      `Cannot take the answer to ${question.id}: a whole result has \`role\`, \`content\` and \`model\`.`,
      { hint: `mcpx elicit answer ${question.id} text='…'`, data: { field: "content", id: question.id } },
    );
  }
  const checked = checkAnswer(SAMPLING_SCHEMA, given);
  if (!checked.ok) {
    const [wrong] = checked.problems;
    throw new McpxError(
      "invalid-input",
      `Cannot take the answer to ${question.id}: \`${wrong?.field}\` ${wrong?.message}.`,
      {
        hint: `mcpx elicit answer ${question.id} text='…'`,
        data: { field: wrong?.field ?? "", id: question.id },
      },
    );
  }
  const { text, model } = checked.content;
  return {
    role: "assistant",
    content: { type: "text", text },
    model: typeof model === "string" ? model : "a-person",
    stopReason: "endTurn",
  };
}
