import { type EndpointDialect, memberOf } from "./endpoint.ts";

/** The protocol of `POST …/chat/completions`, as many servers speak it. */
export const openaiDialect: EndpointDialect = {
  path: () => "/chat/completions",
  headers: (apiKey): Record<string, string> => apiKey === "" ? {} : { authorization: `Bearer ${apiKey}` },
  body: (model, { system, prompt, maxTokens }) => ({
    model,
    stream: false,
    max_tokens: maxTokens,
    messages: [
      ...(system === "" ? [] : [{ role: "system", content: system }]),
      { role: "user", content: prompt },
    ],
  }),
  text: (answer) => {
    const content = memberOf(answer, "choices", 0, "message", "content");
    return typeof content === "string" && content !== "" ? content : undefined;
  },
};
