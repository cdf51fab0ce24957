import { isObject, isRawNumber, parseJson } from "../json/mod.ts";
import { headerValue } from "../mcp/wire/modern/header_value.ts";

/** The id of a request, with every digit that it has; null where it has none that an answer can carry. */
export type MessageId = string | number | { rawJSON: string } | null;

/** The members of a message that a bridge looks at; a batch has none of them. */
export interface BridgeMessage {
  jsonrpc?: unknown;
  id?: unknown;
  method?: unknown;
  result?: unknown;
  error?: unknown;
  params?: {
    name?: unknown;
    uri?: unknown;
    taskId?: unknown;
    requestId?: unknown;
    _meta?: Record<string, unknown>;
  } | null;
}

const VERSION_KEY = "io.modelcontextprotocol/protocolVersion";

/** Reads a line; text that is no JSON is `undefined`, JSON that is neither an object nor a list is `null`. */
export function readMessage(text: string): BridgeMessage | null | undefined {
  try {
    const value: unknown = parseJson(text);
    return typeof value === "object" && !isRawNumber(value) ? value : null;
  } catch {
    return undefined; // said to the host by the caller, as JSON-RPC has it
  }
}

/** Whether nothing comes back for a message: a notification, or an answer to a request of the server's. */
export function wantsNoAnswer(message: BridgeMessage): boolean {
  if (Array.isArray(message)) return false;
  if (typeof message.method === "string") return message.id === undefined;
  return message.method === undefined && (message.result !== undefined || message.error !== undefined);
}

/** Whether the protocol speaks in an answer of the daemon's, and not what stands in front of it. */
export function isAnswer(message: BridgeMessage): boolean {
  return Array.isArray(message) || message.jsonrpc === "2.0";
}

/** The id that an answer to a message carries. */
export function answerId({ id }: BridgeMessage): MessageId {
  return typeof id === "string" || typeof id === "number" || isRawNumber(id) ? id : null;
}

/** What two messages of one id have in common, and no others. */
export function idKey(id: unknown): string | undefined {
  return JSON.stringify(id);
}

/** The ids that want an answer each: a request's own, or those of the requests in a batch. */
export function awaitedIds(message: BridgeMessage): Map<string, MessageId> {
  const awaited = new Map<string, MessageId>();
  for (const one of partsOf(message)) {
    const id = answerId(one);
    const isInBatch = one !== message;
    if (isInBatch && (typeof one.method !== "string" || id === null)) continue;
    awaited.set(idKey(id) ?? "null", id);
  }
  return awaited;
}

/** The ids that a message of the daemon's answers. */
export function answeredIds(message: BridgeMessage): string[] {
  return partsOf(message).filter(({ method }) => method === undefined).flatMap(({ id }) => idKey(id) ?? []);
}

/** The messages of a batch, or the one that it is. */
function partsOf(message: BridgeMessage): BridgeMessage[] {
  const parts: unknown[] = Array.isArray(message) ? message : [message];
  return parts.filter(isObject);
}

/** The version that a modern request carries with it. */
export function versionOf(message: BridgeMessage): string | undefined {
  const version = message.params?._meta?.[VERSION_KEY];
  return typeof version === "string" ? version : undefined;
}

/** The revision that an answer to `initialize` settles on. */
export function negotiatedVersion(answer: BridgeMessage | null | undefined): string | undefined {
  const result = answer?.result;
  if (typeof result !== "object" || result === null || !("protocolVersion" in result)) return undefined;
  return typeof result.protocolVersion === "string" ? result.protocolVersion : undefined;
}

/** The headers that repeat a modern message. */
export function modernHeaders(message: BridgeMessage): Record<string, string> {
  const named = message.params?.name ?? message.params?.uri ?? message.params?.taskId;
  return {
    ...(typeof message.method === "string" ? { "mcp-method": headerValue(message.method) } : {}),
    ...(typeof named === "string" ? { "mcp-name": headerValue(named) } : {}),
  };
}
