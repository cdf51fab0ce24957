import { isObject } from "../../../lib/json/mod.ts";
import { renderFindings } from "../../../lib/diagnose/mod.ts";
import type { CatalogTool } from "../../../lib/catalog/mod.ts";
import type { Engine } from "../../../lib/engine/engine.ts";
import { McpxError } from "../../../lib/errors/mod.ts";
import type { JsonObject } from "../../../lib/schema/mod.ts";
import type { HostRequest } from "../host_request.ts";
import { DIAGNOSTICS_KEY } from "../wire/rpc_error.ts";

/** A server's own tool that a host calls. */
export interface HostCall {
  engine: Engine;
  tool: CatalogTool;
  request: HostRequest;
}

/** What a server answered with `isError`, and behind it, where its arguments explain that, the findings. */
export async function explainResult(call: HostCall, result: JsonObject): Promise<JsonObject> {
  if (result.isError !== true) return result;
  const content = Array.isArray(result.content) ? result.content : [];
  const text = content.flatMap((block) =>
    isObject(block) && typeof block.text === "string" ? [block.text] : []
  )
    .join("\n");
  const findings = await call.engine.diagnosis.findings(
    call.engine,
    { tool: call.tool, sent: sentIn(call), error: new McpxError("tool-error", text) },
    call.request.caller,
  );
  if (findings.length === 0) return result;
  return {
    ...result,
    content: [...content, { type: "text", text: renderFindings(findings) }],
    _meta: { ...isObject(result._meta) ? result._meta : {}, [DIAGNOSTICS_KEY]: findings },
  };
}

/** The error that a server answered with, and behind it, where its arguments explain that, the findings. */
export function explainError(call: HostCall, error: McpxError): Promise<McpxError> {
  const failed = { tool: call.tool, sent: sentIn(call), error };
  return call.engine.diagnosis.explain(call.engine, failed, call.request.caller);
}

function sentIn({ request }: HostCall): JsonObject {
  return isObject(request.params.arguments) ? request.params.arguments : {};
}
