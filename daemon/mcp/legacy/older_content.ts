import { isObject } from "../../../lib/json/mod.ts";
import type { JsonObject } from "../../../lib/schema/mod.ts";

/** Kinds of content that came later than the first revision: since when, and how an older host is told the same. */
const LATER: Readonly<Record<string, { since: string; told(block: JsonObject): JsonObject }>> = {
  audio: {
    since: "2025-03-26",
    told: ({ data, mimeType }) => ({
      type: "resource",
      resource: { uri: "mcpx:audio", ...(mimeType === undefined ? {} : { mimeType }), blob: data },
    }),
  },
  resource_link: {
    since: "2025-06-18",
    told: ({ uri, name, title, description }) => {
      const what = [title ?? name, description].filter((part) => typeof part === "string").join(": ");
      return { type: "text", text: what === "" ? String(uri) : `${what} (${String(uri)})` };
    },
  },
};

/**
 * A result whose content has kinds that the host's revision knows: bytes of audio as an embedded resource, links as text. Kinds that no
 * revision knows stay as they are.
 *
 * @param result of `tools/call` or `prompts/get`
 * @param version the host's revision
 *
 * @example
 * ```ts
 * import { olderContent } from "./older_content.ts";
 * const result = { content: [{ type: "resource_link", uri: "file:///a", name: "a" }] };
 * console.assert(JSON.stringify(olderContent(result, "2025-03-26")).includes('"text":"a (file:///a)"'));
 * console.assert(olderContent(result, "2025-06-18") === result);
 * ```
 */
export function olderContent(result: JsonObject, version: string): JsonObject {
  if (Object.values(LATER).every(({ since }) => version >= since)) return result;
  const { content, messages } = result;
  return {
    ...result,
    ...(Array.isArray(content) ? { content: content.map((block) => older(block, version)) } : {}),
    ...(Array.isArray(messages)
      ? {
        messages: messages.map((message) =>
          isObject(message) ? { ...message, content: older(message.content, version) } : message
        ),
      }
      : {}),
  };
}

function older(block: unknown, version: string): unknown {
  if (!isObject(block) || typeof block.type !== "string" || !Object.hasOwn(LATER, block.type)) return block;
  const later = LATER[block.type];
  if (!later || version >= later.since) return block;
  const { annotations } = block;
  return { ...later.told(block), ...(annotations === undefined ? {} : { annotations }) };
}
