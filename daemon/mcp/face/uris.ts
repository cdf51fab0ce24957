import { isObject } from "../../../lib/json/mod.ts";
import type { JsonObject } from "../../../lib/schema/mod.ts";

const PREFIX = "mcpx://";

/** How one server's URIs are written towards hosts. */
export interface UriRule {
  /** A URI of the server's as hosts see it. */
  out(uri: string): string;
  /** Whether the two are the same, so that nothing has to be rewritten. */
  readonly isIdentity: boolean;
}

/** The rule of a server: behind `mcpx://<namespace>/`, or unchanged where its names carry no prefix. */
export function uriRule(definition: { namespace: string; prefix: "namespace" | "none" }): UriRule {
  if (definition.prefix === "none") return { out: (uri) => uri, isIdentity: true };
  return { out: (uri) => `${PREFIX}${definition.namespace}/${uri}`, isIdentity: false };
}

/** The namespace and the rest of a `mcpx://` URI; nothing for another URI. */
export function splitUri(uri: string): { namespace: string; rest: string } | undefined {
  if (!uri.startsWith(PREFIX)) return undefined;
  const tail = uri.slice(PREFIX.length);
  const slash = tail.indexOf("/");
  return slash < 0
    ? { namespace: tail, rest: "" }
    : { namespace: tail.slice(0, slash), rest: tail.slice(slash + 1) };
}

/** A result with the `uri` members that the protocol defines rewritten, and nothing else touched. */
export function rewriteResult(method: string, result: JsonObject, rule: UriRule): JsonObject {
  if (rule.isIdentity) return result;
  switch (method) {
    case "tools/call":
    case "tasks/result":
      return withList(result, "content", (block) => rewriteBlock(block, rule));
    case "prompts/get":
      return withList(result, "messages", (message) => {
        if (!isObject(message)) return message;
        const { content } = message;
        if (Array.isArray(content)) return withList(message, "content", (block) => rewriteBlock(block, rule));
        return content === undefined ? message : { ...message, content: rewriteBlock(content, rule) };
      });
    case "resources/read":
      return withList(result, "contents", (one) => withUri(one, rule));
    case "tasks/get":
    case "notifications/tasks":
      return isObject(result.result)
        ? { ...result, result: rewriteResult("tools/call", result.result, rule) }
        : result;
    default:
      return result;
  }
}

/** An entry with its own URI rewritten. */
export function withUri(value: unknown, rule: UriRule, member = "uri"): unknown {
  if (rule.isIdentity || !isObject(value) || typeof value[member] !== "string") return value;
  return { ...value, [member]: rule.out(value[member]) };
}

function rewriteBlock(block: unknown, rule: UriRule): unknown {
  if (!isObject(block)) return block;
  if (block.type === "resource_link") return withUri(block, rule);
  if (block.type === "resource" && isObject(block.resource)) {
    return { ...block, resource: withUri(block.resource, rule) };
  }
  return block;
}

function withList(value: JsonObject, member: string, change: (item: unknown) => unknown): JsonObject {
  const list = value[member];
  return Array.isArray(list) ? { ...value, [member]: list.map(change) } : value;
}
