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

/**
 * Reads a JSON body of bounded size.
 *
 * @throws {McpxError} `unsupported-media-type`, `too-large`, `invalid-input` with the position
 */
export async function readBody(request: Request, maxBytes: number): Promise<unknown> {
  const declared = Number(request.headers.get("content-length") ?? "0");
  if (declared > maxBytes) throw tooLarge(maxBytes);
  if (!request.body) return undefined;
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body) {
    size += chunk.length;
    if (size > maxBytes) throw tooLarge(maxBytes);
    chunks.push(chunk);
  }
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
