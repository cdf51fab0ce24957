/** What a model is asked to write. */
export interface GenerateRequest {
  system: string;
  prompt: string;
  maxTokens: number;
}

/** Somebody who writes text on request. There is no loop and no tool here: whoever asks owns those. */
export interface Provider {
  /** For notes: `the model qwen at 127.0.0.1:11434`. */
  readonly name: string;
  /**
   * Gives the text that the model answers.
   *
   * @param signal aborted when nobody wants the answer any more
   * @throws {McpxError} `model-unavailable` with the reason, `cancelled`
   */
  generate(request: GenerateRequest, signal: AbortSignal): Promise<string>;
}
