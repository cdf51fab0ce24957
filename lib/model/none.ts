import { McpxError } from "../errors/mod.ts";
import type { Provider } from "./types.ts";

/** The provider of those who configured none: it never has an answer. */
export const noProvider: Provider = {
  name: "no model",
  generate: () =>
    Promise.reject(
      new McpxError("model-unavailable", "Cannot ask a model: model.provider is none.", {
        hint: 'Set "model": { "provider": "openai", "baseUrl": …, "name": … } in the user\'s own file.',
      }),
    ),
};
