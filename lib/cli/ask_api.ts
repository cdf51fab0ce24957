import { McpxError } from "../errors/mod.ts";
import { parseJson } from "../json/lossless.ts";
import { readText } from "./api.ts";
import { prepareConnection } from "./connect.ts";
import type { CommandContext } from "./context.ts";

/** One question to the daemon's API, answered as data. */
export interface ApiQuestion {
  method: "GET" | "POST";
  /** Path and query. */
  path: string;
  body?: unknown;
}

/** How the daemon is reached. */
export interface AskOptions {
  /** Ask only a daemon that runs already. */
  existingOnly: boolean;
  signal: AbortSignal;
}

/**
 * Asks the daemon one thing, for a command that is more than one operation.
 *
 * @returns the answer; nothing where only an existing daemon would do and none runs
 * @throws {McpxError} what the daemon answers, or why it cannot be reached
 */
export async function askApi(
  cx: CommandContext,
  question: ApiQuestion,
  { existingOnly, signal }: AskOptions,
): Promise<unknown> {
  const connection = await prepareConnection(cx, { existingOnly });
  const reached = await connection.open(signal);
  if (!reached) return undefined;
  try {
    const response = await reached.api.request({
      method: question.method,
      path: question.path,
      headers: { ...reached.headers, ...connection.headers },
      ...(question.method === "POST" ? { body: JSON.stringify(question.body ?? {}) } : {}),
    }, signal);
    const answer = parseJson(await readText(response));
    if (isRecord(answer) && isRecord(answer.error) && response.status >= 400) {
      throw McpxError.fromBody(answer.error);
    }
    return answer;
  } finally {
    await reached.api.close();
  }
}

/** Whether a value is an object with members. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
