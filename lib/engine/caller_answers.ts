import type { JsonObject } from "../schema/types.ts";

/**
 * Answers what a server asks of its client while one of the caller's requests runs, message for message: what the server
 * sends arrives whole, and so does what comes back.
 */
export interface CallerAnswers {
  /** Whether it can answer such a request: a form, a URL to visit, a message to write, the roots. */
  can(method: string, params: JsonObject): boolean;
  /**
   * Asks, and gives the answer as it came.
   *
   * @param onProgress told of the progress that the other side makes, where `params` ask for it and its era has it
   * @throws {McpxError} what the other side answers, `cancelled`
   */
  ask(
    method: string,
    params: JsonObject,
    signal: AbortSignal,
    onProgress?: (params: JsonObject) => void,
  ): Promise<JsonObject>;
}
