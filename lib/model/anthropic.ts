import { type EndpointDialect, memberOf } from "./endpoint.ts";

const VERSION = "2023-06-01";

/** The protocol of `POST …/v1/messages`. */
export const anthropicDialect: EndpointDialect = {
  path: (base) => base.endsWith("/v1") ? "/messages" : "/v1/messages",
  headers: (apiKey) => ({ "anthropic-version": VERSION, ...(apiKey === "" ? {} : { "x-api-key": apiKey }) }),
  body: (model, { system, prompt, maxTokens }) => ({
    model,
    stream: false,
    max_tokens: maxTokens,
    ...(system === "" ? {} : { system }),
    messages: [{ role: "user", content: prompt }],
  }),
  text: (answer) => {
    const blocks = memberOf(answer, "content");
    if (!Array.isArray(blocks)) return undefined;
    const text = blocks.filter((block) => memberOf(block, "type") === "text")
      .map((block) => String(memberOf(block, "text") ?? "")).join("");
    return text === "" ? undefined : text;
  },
};
