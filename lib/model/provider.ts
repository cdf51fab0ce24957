import { anthropicDialect } from "./anthropic.ts";
import { type EndpointOptions, endpointProvider } from "./endpoint.ts";
import { noProvider } from "./none.ts";
import { openaiDialect } from "./openai.ts";
import { type SamplingPort, samplingProvider } from "./sampling.ts";
import type { Provider } from "./types.ts";

/** Which provider, and what it needs. */
export interface ProviderOptions extends EndpointOptions {
  /** `none`, `sampling`, `openai` or `anthropic`. */
  provider: string;
  /** How the caller's host is asked; absent where it has none. */
  sampling?: SamplingPort;
}

/**
 * The provider that the settings name.
 *
 * @throws {McpxError} `model-unavailable` where they are incomplete
 *
 * @example
 * ```ts
 * import { modelProvider } from "./provider.ts";
 * const base = { baseUrl: "http://127.0.0.1:11434/v1", model: "qwen", apiKey: "", timeoutMs: 30_000 };
 * console.assert(modelProvider({ provider: "openai", ...base }).name === "the model qwen at 127.0.0.1:11434");
 * ```
 */
export function modelProvider(options: ProviderOptions): Provider {
  switch (options.provider) {
    case "sampling":
      return samplingProvider(options.sampling, options);
    case "openai":
      return endpointProvider(options, openaiDialect);
    case "anthropic":
      return endpointProvider(options, anthropicDialect);
    default:
      return noProvider;
  }
}
