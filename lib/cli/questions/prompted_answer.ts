import { McpxError } from "../../errors/mod.ts";
import type { Question } from "../../elicit/types.ts";
import { type Api, readText } from "../api.ts";
import { askPerson } from "./ask_person.ts";
import { clackPrompter } from "./clack_prompter.ts";

/**
 * Lets the person at the terminal answer a question that they named without an answer.
 *
 * @param id the question
 * @returns JSON text of the answer's body
 * @throws {McpxError} what the daemon says of the question, `cancelled` when they break off
 */
export async function promptedAnswer(
  id: string,
  { api, headers, signal }: { api: Api; headers: Record<string, string>; signal: AbortSignal },
): Promise<string> {
  const response = await api.request({
    method: "GET",
    path: `/v1/elicit/${encodeURIComponent(id)}`,
    headers: { ...headers, accept: "application/json" },
  }, signal);
  const body: { question?: Question; error?: { code?: unknown; message?: unknown } } = JSON.parse(
    await readText(response),
  );
  if (!body.question) throw McpxError.fromBody(body.error ?? {});
  // What takes no answer any more is the daemon's to refuse, in its own words.
  if (body.question.state !== "pending") return "{}";
  const reply = await askPerson(body.question, clackPrompter(signal));
  if (reply === undefined) throw new McpxError("cancelled", "Cancelled: the question stays open.");
  return JSON.stringify(reply);
}
