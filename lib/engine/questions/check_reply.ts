import { checkAnswer, type Question, readAnswer } from "../../elicit/mod.ts";
import { McpxError } from "../../errors/mod.ts";
import type { JsonObject } from "../../schema/mod.ts";
import type { Replier, Reply } from "./broker_types.ts";
import { completionOf } from "./completion_answer.ts";

/** Refuses what an agent may not answer. @throws {McpxError} `forbidden` */
export function refuseAgent(question: Question, by: Replier): void {
  if (question.audience === "human") {
    throw new McpxError(
      "forbidden",
      `Cannot take an agent's answer to ${question.id}: it is for a human (${question.reason}).`,
      { hint: `A person answers it in a shell: mcpx elicit show ${question.id}`, data: { id: question.id } },
    );
  }
  if (question.session !== by.session) {
    throw new McpxError("forbidden", `Cannot answer ${question.id}: another session's call raised it.`, {
      hint: `A person answers it in a shell: mcpx elicit show ${question.id}`,
      data: { id: question.id },
    });
  }
}

/** The content of an accepted answer, checked. @throws {McpxError} `invalid-input` with every field that is wrong */
export function contentOf(question: Question, reply: Reply): { content?: JsonObject } {
  const given = reply.content ??
    (reply.textContent ? readAnswer(question.schema, reply.textContent) : {});
  if (question.kind === "sampling") return { content: completionOf(question, given) };
  const checked = checkAnswer(question.schema ?? {}, given);
  if (checked.ok) return question.kind === "url" ? {} : { content: checked.content };
  throw refusedAnswer(question, checked.problems);
}

/** An answer that does not fit; the question stays open. */
function refusedAnswer(
  { id }: Question,
  problems: readonly { field: string; message: string }[],
): McpxError {
  const sentences = problems.map(({ field, message }) => field === "" ? message : `\`${field}\` ${message}`);
  return new McpxError("invalid-input", `Cannot take the answer to ${id}: ${sentences.join("; ")}.`, {
    hint: `mcpx elicit show ${id}`,
    data: { field: problems[0]?.field ?? "", problems: [...problems], id },
  });
}
