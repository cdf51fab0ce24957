import { isObject } from "../../json/mod.ts";
import { type Answer, judgePage, type UpstreamDraft } from "../../elicit/mod.ts";
import { McpxError } from "../../errors/mod.ts";
import type { JsonObject } from "../../schema/mod.ts";

/** What a server may ask of its client. */
export type AskMethod = "elicitation/create" | "sampling/createMessage";

/** Whether a method is one of those. */
export function isAsk(method: unknown): method is AskMethod {
  return method === "elicitation/create" || method === "sampling/createMessage";
}

/**
 * A server's request as a question.
 *
 * @param method what it asks for
 * @param params the request's own
 * @param asker who asks, and for which tool, prompt or resource
 */
export function draftOf(
  method: AskMethod,
  params: JsonObject,
  { namespace, subject }: { namespace: string; subject?: string },
): UpstreamDraft {
  const message = typeof params.message === "string" ? params.message : "";
  const facts = {
    from: "upstream" as const,
    request: { method, params },
    server: namespace,
    ...(subject === undefined ? {} : { tool: `${namespace}.${subject}` }),
    ...(isForHuman(params) ? { forHuman: true } : {}),
  };
  if (method === "sampling/createMessage") {
    return { ...facts, kind: "sampling", message: lastText(params), sampling: params };
  }
  if (params.mode === "url") {
    const url = urlOf(params);
    const judged = judgePage(url);
    return {
      ...facts,
      kind: "url",
      message,
      url,
      ...("warning" in judged ? { warning: judged.warning } : {}),
    };
  }
  return {
    ...facts,
    kind: "elicitation",
    message,
    schema: isObject(params.requestedSchema) ? params.requestedSchema : {},
  };
}

function urlOf({ url }: JsonObject): string {
  return typeof url === "string" ? url : "";
}

/** Why nobody is asked to open the page that a server's request is for, in a sentence; undefined where it can be asked. */
export function refusedPage(method: AskMethod, params: JsonObject, namespace: string): string | undefined {
  if (method !== "elicitation/create" || params.mode !== "url") return undefined;
  const url = urlOf(params);
  const judged = judgePage(url);
  if (!("refused" in judged)) return undefined;
  const shown = JSON.stringify(url.slice(0, 80));
  return `${namespace} wants ${shown} opened, and ${judged.refused}: nobody was asked, and it was told so.`;
}

/** What is asked of the model, for a person to read: the last message. */
function lastText({ messages }: JsonObject): string {
  const last: unknown = Array.isArray(messages) ? messages.at(-1) : undefined;
  const content = isObject(last) ? last.content : undefined;
  const blocks = Array.isArray(content) ? content : [content];
  const text = blocks.filter(isObject).map((block) =>
    typeof block.text === "string" ? block.text : `[${String(block.type)}]`
  );
  return `A model's completion for: ${text.join(" ").slice(0, 2000)}`;
}

/** An `audience` of `["user"]`, where annotations or `_meta` carry one. */
function isForHuman({ annotations, _meta }: JsonObject): boolean {
  return [annotations, _meta].some((holder) => {
    const audience = isObject(holder) ? holder.audience : undefined;
    return Array.isArray(audience) && audience.includes("user") && !audience.includes("assistant");
  });
}

/** An answer as the server takes it. @throws {McpxError} `unanswered` where it takes none but a completion */
export function resultOf(draft: UpstreamDraft, answer: Answer): JsonObject {
  if (draft.kind === "sampling") {
    if (answer.action === "accept") return answer.content ?? {};
    throw unanswered(draft, answer);
  }
  if (answer.action !== "accept" || draft.kind === "url") return { action: answer.action };
  return { action: "accept", content: answer.content ?? {} };
}

/** Why a server gets no answer. */
export function unanswered({ server, message }: UpstreamDraft, { action }: Answer): McpxError {
  return new McpxError(
    "unanswered",
    action === "decline"
      ? `The request of ${server} was declined: ${message}`
      : `Nobody answered ${server}: ${message}`,
  );
}
