import {
  type CatalogTool,
  checkStructured,
  extractBinary,
  indentedJson,
  previewText,
  unwrapResult,
} from "../catalog/mod.ts";
import { McpxError } from "../errors/mod.ts";
import { coerceArguments, type JsonObject, validateValue } from "../schema/mod.ts";
import type { PoolRun } from "../pool/mod.ts";
import type { ArtifactRef } from "../store/mod.ts";
import type { Caller } from "./caller.ts";
import type { Engine } from "./engine.ts";

/** What a call is asked with. */
export interface ToolCallRequest {
  tool: string;
  arguments?: JsonObject | undefined;
  textArguments?: [string, string][] | undefined;
  preview?: boolean | undefined;
}

/** What a call answers. */
export interface ToolCallAnswer {
  result: unknown;
  /** What the envelope says beside its structured content. */
  extra?: unknown[];
  raw: unknown;
  artifacts?: ArtifactRef[];
  notes?: string[];
}

/**
 * Calls a tool and unwraps what it answers.
 *
 * @throws {McpxError} `tool-error` when the tool reports an error, `result-schema` with `output.strict`, and what
 * {@link Engine.request} throws
 */
export async function callTool(
  engine: Engine,
  request: ToolCallRequest,
  caller: Caller,
  run?: PoolRun,
): Promise<ToolCallAnswer> {
  const tool = await engine.resolveTool(request.tool, caller);
  const sent = callArguments(tool, request);
  try {
    const envelope = await engine.callRaw(tool, sent, caller, run);
    const answer = await shapeAnswer(engine, tool, envelope, caller, request.preview ?? false);
    return engine.driftNews.none || caller.surface === "script" ? answer : withNews(engine, tool, answer);
  } catch (thrown) {
    throw await engine.diagnosis.explain(engine, { tool, sent, error: McpxError.from(thrown) }, caller);
  }
}

/** The answer, with what changed in the server's tools where nobody was told of it yet. */
function withNews(engine: Engine, tool: CatalogTool, answer: ToolCallAnswer): ToolCallAnswer {
  const news = engine.driftNews.take([engine.catalog.server(tool.server).process.name]);
  return news.length === 0 ? answer : { ...answer, notes: [...answer.notes ?? [], ...news] };
}

function callArguments(tool: CatalogTool, request: ToolCallRequest): JsonObject {
  if (!request.textArguments) return request.arguments ?? {};
  if (request.arguments) {
    throw new McpxError("invalid-input", "Cannot take both a JSON object and key=value arguments.", {
      hint: "Give one JSON object, or key=value words only.",
    });
  }
  return coerceArguments(tool.tool.inputSchema ?? {}, request.textArguments);
}

async function shapeAnswer(
  engine: Engine,
  tool: CatalogTool,
  envelope: JsonObject,
  caller: Caller,
  preview: boolean,
): Promise<ToolCallAnswer> {
  const mismatches = checkStructured(tool.tool.outputSchema, envelope, validateValue)
    .map(({ pointer, message }) => `${pointer}: ${message}`);
  const [mismatch] = mismatches;
  if (mismatch !== undefined && caller.settings.get("output.strict")) {
    throw new McpxError(
      "result-schema",
      `Cannot take the result of ${tool.namespace}.${tool.fn}: ${mismatch}`,
      {
        data: { raw: envelope },
        hint: "Call without --output-strict to get it as it is.",
      },
    );
  }
  const artifacts: ArtifactRef[] = [];
  const odd: string[] = [];
  const raw = await extractBinary(envelope, async (name, base64, mimeType) => {
    const kept = await whatIsKept(engine.artifacts.putBase64(name, base64, mimeType));
    if (kept.ref) artifacts.push(kept.ref);
    else odd.push(`${kept.problem ?? `The data of ${name} is not base64.`} It is passed on as it came.`);
    return kept.ref;
  });
  const unwrapped = unwrapResult(raw);
  if (unwrapped.isError) throw toolError(tool, raw, unwrapped);
  const limit = caller.settings.get("output.preview");
  const notes = [...mismatches, ...odd, ...unwrapped.notes];
  // To an MCP host blocks go as they came: it knows what to do with an image.
  const whole = caller.surface === "mcp" ? envelope : raw;
  const answer = { result: unwrapped.value, extra: unwrapped.extra, raw: whole, artifacts, notes };
  return compact(preview ? await previewed(engine, tool, answer, limit) : answer);
}

/** An `isError` result as an error: all its parts stay with it. */
function toolError(
  tool: CatalogTool,
  raw: JsonObject,
  { text, value }: { text: string; value: unknown },
): McpxError {
  const name = `${tool.namespace}.${tool.fn}`;
  return new McpxError("tool-error", text === "" ? `${name} reported an error without a text.` : text, {
    data: {
      tool: name,
      value,
      ...(raw.structuredContent === undefined ? {} : { structuredContent: raw.structuredContent }),
      raw,
    },
  });
}

async function previewed(
  engine: Engine,
  tool: CatalogTool,
  answer: Required<ToolCallAnswer>,
  limit: number,
): Promise<Required<ToolCallAnswer>> {
  const isText = typeof answer.result === "string";
  const text = isText ? answer.result as string : indentedJson(answer.result);
  const bytes = new TextEncoder().encode(text);
  if (bytes.length <= limit) return answer;
  const { ref, problem } = await whatIsKept(
    engine.artifacts.put(`${tool.fn}-result`, bytes, isText ? "text/plain" : "application/json"),
  );
  if (!ref) return { ...answer, notes: [...answer.notes, `${problem} The result is given whole.`] };
  return {
    result: { preview: previewText(text, limit).text, bytes: bytes.length, artifact: ref },
    extra: [],
    raw: null,
    artifacts: [...answer.artifacts, ref],
    notes: [...answer.notes, `The result has ${bytes.length} bytes: the whole is in ${ref.path}.`],
  };
}

/** A call has taken effect by the time its result is stored: where that fails, the result is given another way. */
async function whatIsKept(
  storing: Promise<ArtifactRef | undefined>,
): Promise<{ ref?: ArtifactRef; problem?: string }> {
  try {
    const ref = await storing;
    return ref ? { ref } : {};
  } catch (error) {
    if (error instanceof McpxError && (error.code === "state-unwritable" || error.code === "too-large")) {
      return { problem: error.message };
    }
    throw error;
  }
}

function compact(answer: Required<ToolCallAnswer>): ToolCallAnswer {
  return {
    result: answer.result,
    ...(answer.extra.length > 0 ? { extra: answer.extra } : {}),
    raw: answer.raw,
    ...(answer.artifacts.length > 0 ? { artifacts: answer.artifacts } : {}),
    ...(answer.notes.length > 0 ? { notes: answer.notes } : {}),
  };
}
