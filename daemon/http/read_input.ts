import type { Engine } from "../../lib/engine/engine.ts";
import { McpxError } from "../../lib/errors/mod.ts";
import { parseJson } from "../../lib/json/mod.ts";
import { operationFields } from "../../lib/operations/fields.ts";
import type { AnyOperation } from "../../lib/operations/table.ts";

/** Turns a query into an operation's raw input, by the kinds of its fields. */
export function readQuery(operation: AnyOperation, query: URLSearchParams): Record<string, unknown> {
  const kinds = new Map(operationFields(operation).map((field) => [field.name, field.kind]));
  const input: Record<string, unknown> = {};
  for (const name of new Set(query.keys())) {
    const values = query.getAll(name);
    if (values.length > 1 && kinds.get(name) !== "list") {
      throw new McpxError(
        "invalid-input",
        `Cannot run ${operation.id}: \`${name}\` is given ${values.length} times.`,
        { data: { field: name } },
      );
    }
    input[name] = kinds.get(name) === "list" ? values : queryValue(kinds.get(name), values[0] ?? "");
  }
  return input;
}

/** What is not of its kind stays text, and the operation's own check says so. */
function queryValue(kind: string | undefined, text: string): unknown {
  if (kind === "boolean") {
    return text === "true" || text === "1" || text === ""
      ? true
      : text === "false" || text === "0"
      ? false
      : text;
  }
  if ((kind === "integer" || kind === "number") && /^-?\d+(\.\d+)?$/.test(text)) return Number(text);
  if (kind !== "json") return text;
  try {
    return parseJson(text);
  } catch (cause) {
    throw new McpxError("invalid-input", "Cannot read the query: a value is not JSON.", { cause });
  }
}

/** How much body is taken, and for how long. */
export interface BodyLimits {
  maxBytes: number;
  timeoutMs: number;
}

/** The limits of bodies that the settings name. */
export function bodyLimits({ settings }: Pick<Engine, "settings">): BodyLimits {
  return { maxBytes: settings.base.get("http.maxBody"), timeoutMs: settings.base.get("http.bodyTimeout") };
}

/**
 * Reads a JSON body of bounded size that arrives within bounded time.
 *
 * @throws {McpxError} `unsupported-media-type`, `too-large`, `body-timeout`, `invalid-input` with the position, `cancelled`
 */
export async function readBody(request: Request, limits: BodyLimits): Promise<unknown> {
  const { maxBytes } = limits;
  const declared = Number(request.headers.get("content-length") ?? "0");
  if (declared > maxBytes) throw tooLarge(maxBytes);
  if (!request.body) return undefined;
  const { chunks, size } = await readChunks(request.body, limits);
  if (size === 0) return undefined;
  const type = request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase() ?? "";
  if (type !== "application/json" && !type.endsWith("+json")) {
    throw new McpxError(
      "unsupported-media-type",
      `Cannot take a body of type ${type || "unknown"}: it must be application/json.`,
    );
  }
  return parseBody(chunks.length === 1 && chunks[0] ? chunks[0] : joined(chunks, size));
}

async function readChunks(
  body: ReadableStream<Uint8Array>,
  { maxBytes, timeoutMs }: BodyLimits,
): Promise<{ chunks: Uint8Array[]; size: number }> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = body.getReader();
  const { promise: late, resolve } = Promise.withResolvers<"late">();
  const timer = setTimeout(() => resolve("late"), timeoutMs);
  try {
    for (;;) {
      const read = await Promise.race([reader.read(), late]);
      if (read === "late") throw tooSlow(timeoutMs);
      if (read.done) return { chunks, size };
      size += read.value.length;
      if (size > maxBytes) throw tooLarge(maxBytes);
      chunks.push(read.value);
    }
  } catch (cause) {
    // What is left is nobody's; where the connection is gone, so is the body.
    void reader.cancel().catch(() => undefined);
    if (cause instanceof McpxError) throw cause;
    throw new McpxError("cancelled", "Cancelled: the connection was closed before the body had arrived.", {
      cause,
    });
  } finally {
    clearTimeout(timer);
  }
}

function parseBody(bytes: Uint8Array): unknown {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new McpxError("invalid-input", "Cannot read the body: it is not UTF-8.", { cause });
  }
  if (text.trim() === "") return undefined;
  try {
    return parseJson(text);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new McpxError("invalid-input", `Cannot read the body: it is not JSON (${reason}).`, { cause });
  }
}

function joined(chunks: readonly Uint8Array[], size: number): Uint8Array {
  const all = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
}

function tooLarge(maxBytes: number): McpxError {
  return new McpxError(
    "too-large",
    `Cannot take the body: it is larger than http.maxBody (${maxBytes} bytes).`,
    {
      hint: "mcpx settings set http.maxBody 128MiB",
    },
  );
}

function tooSlow(timeoutMs: number): McpxError {
  return new McpxError(
    "body-timeout",
    `Cannot take the body: it did not arrive within http.bodyTimeout (${timeoutMs} ms).`,
    { hint: "mcpx settings set http.bodyTimeout 2m" },
  );
}
