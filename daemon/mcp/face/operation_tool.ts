import { isObject } from "../../../lib/json/mod.ts";
import { z } from "zod";
import { McpxError } from "../../../lib/errors/mod.ts";
import type { Caller, CallerEvent } from "../../../lib/engine/caller.ts";
import type { Engine } from "../../../lib/engine/engine.ts";
import { invoke } from "../../../lib/operations/invoke.ts";
import { type AnyOperation, OPERATIONS } from "../../../lib/operations/table.ts";
import type { JsonObject } from "../../../lib/schema/mod.ts";
import type { HostRequest } from "../host_request.ts";
import { DIAGNOSTICS_KEY } from "../wire/rpc_error.ts";
import { outlineOf, withoutNoise } from "./compact_schema.ts";
import { wantsLevel } from "./log_levels.ts";
import { progressTokenOf } from "./progress_token.ts";
import { rewriteResult, type UriRule, uriRule } from "./uris.ts";

/** The operations of the `code` mode, by their ids. */
const CODE_MODE = new Set([
  "search",
  "types",
  "call",
  "exec",
  "intent",
  "elicit.list",
  "elicit.answer",
  "task.get",
]);

/** The operations that a mode offers as tools. */
export function offeredOperations(options: { full: boolean; code: boolean; admin: boolean }): AnyOperation[] {
  const { full, code, admin } = options;
  return OPERATIONS.filter((operation) => {
    if (operation.notOn?.mcp !== undefined || (operation.admin !== undefined && !admin)) return false;
    return full || (code && CODE_MODE.has(operation.id));
  });
}

/** The MCP tool's name of an operation. */
export function operationToolName(operation: AnyOperation): string {
  return `mcpx_${operation.id.replace(/[^A-Za-z0-9]/g, "_")}`;
}

const definitions = new WeakMap<AnyOperation, JsonObject>();

/** The tool that an operation is, derived from its declaration. */
export function operationTool(operation: AnyOperation): JsonObject {
  const known = definitions.get(operation);
  if (known) return known;
  const { summary, description, effect } = operation;
  const made: JsonObject = {
    name: operationToolName(operation),
    description: description === undefined ? summary : `${summary} ${description}`,
    inputSchema: inputSchema(operation),
    outputSchema: outputSchema(operation),
    annotations: {
      readOnlyHint: effect === "read",
      ...(effect === "read" ? {} : { destructiveHint: effect === "destructive" }),
    },
  };
  definitions.set(operation, made);
  return made;
}

/** Runs an operation for a host and gives the result as a tool's. */
export async function callOperation(
  engine: Engine,
  operation: AnyOperation,
  request: HostRequest,
): Promise<JsonObject> {
  const given = request.params.arguments;
  if (given !== undefined && !isObject(given)) {
    return errorResult(
      new McpxError("invalid-input", "Cannot call the tool: `arguments` is not a JSON object."),
    );
  }
  const input = fillHidden(operation, isObject(given) ? given : {});
  const caller = hostCaller(request);
  try {
    const output: unknown = await invoke(operation, input, { engine, caller });
    return resultOf(operation, output, ruleOf(engine, caller, input));
  } catch (thrown) {
    const error = McpxError.from(thrown);
    if (error.code === "cancelled") throw error;
    return errorResult(error);
  }
}

/** The host as a caller: it hears of progress and logs, and can be asked where it said so. */
export function hostCaller(request: HostRequest): Caller {
  const { caller, answers } = request;
  return { ...caller, emit: relayEvents(request), ...(answers ? { answers } : {}) };
}

/** A failure that the model is meant to read: a result, not an error of the protocol. */
export function errorResult(error: McpxError): JsonObject {
  const findings = (error.diagnostics ?? []).flatMap((one) =>
    isObject(one) && typeof one.message === "string"
      ? [typeof one.fix === "string" ? `${one.message}\n  ${one.fix}` : one.message]
      : []
  ).filter((text) => !error.message.includes(text));
  const text = [
    error.message,
    ...findings,
    ...(error.hint === undefined ? [] : [error.hint]),
    ...(typeof error.data?.task === "string" ? [resultLater(error.data.task)] : []),
  ].join("\n");
  return {
    content: [{ type: "text", text }],
    isError: true,
    _meta: {
      "dev.mcpx/error": error.toBody(),
      ...(error.diagnostics ? { [DIAGNOSTICS_KEY]: error.diagnostics } : {}),
    },
  };
}

/** What a command line fills by itself: large results come as a preview and an artifact. */
function fillHidden(operation: AnyOperation, given: JsonObject): JsonObject {
  const hasPreview = operation.cli.fields?.preview?.hidden === true;
  return hasPreview && given.preview === undefined ? { ...given, preview: true } : given;
}

/** How the server writes its URIs whose tool is called, where one is. */
function ruleOf({ catalog }: Engine, { settings }: Caller, { tool }: JsonObject): UriRule | undefined {
  if (typeof tool !== "string") return undefined;
  try {
    return uriRule(catalog.server(catalog.resolve(tool, settings.get("servers.groups")).server).definition);
  } catch {
    return undefined; // no tool's name, which the operation has said already
  }
}

/** How an agent gets what a task gives. */
function resultLater(task: string): string {
  return `It goes on as task ${task}: mcpx_task_get {"id":"${task}"} gives its state, and the result once it is done.`;
}

function resultOf(operation: AnyOperation, output: unknown, rule: UriRule | undefined): JsonObject {
  if (!isObject(output)) return { content: [{ type: "text", text: JSON.stringify(output) }] };
  if (isObject(output.task) && operation.task) return startedResult(output, output.task);
  if (operation.id === "call") return callResult(output, rule);
  const failed = output.ok === false;
  return {
    content: [{ type: "text", text: JSON.stringify(output) }],
    structuredContent: output,
    ...(failed ? { isError: true } : {}),
  };
}

/** What was asked for as a task has no result yet. */
function startedResult({ raw: _none, ...output }: JsonObject, { id }: JsonObject): JsonObject {
  return { content: [{ type: "text", text: resultLater(String(id)) }], structuredContent: output };
}

/** A called tool's own content blocks stay content blocks, images among them; what they link to can be read here. */
function callResult({ raw, ...output }: JsonObject, rule: UriRule | undefined): JsonObject {
  const blocks = isObject(raw) && Array.isArray(raw.content) && raw.content.length > 0
    ? raw.content
    : undefined;
  const result = {
    content: blocks ?? [{ type: "text", text: textOf(output.result) }],
    structuredContent: output,
  };
  return rule ? rewriteResult("tools/call", result, rule) : result;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value) ?? "";
}

/** Progress and logs of an operation as the notifications that the host asked for. */
function relayEvents(request: HostRequest): (event: CallerEvent) => void {
  const progressToken = progressTokenOf(request.params);
  const reporting = new Set<string | undefined>();
  let progress = 0;
  return (event) => {
    if (event.type === "progress" && progressToken !== undefined) {
      // Progress must only grow. What one server reports is passed on; once several do, reports are counted.
      reporting.add(event.server);
      const isFurther = reporting.size === 1 && event.progress !== undefined && event.progress > progress;
      progress = isFurther ? event.progress ?? progress : progress + 1;
      const total = isFurther ? event.total : undefined;
      const message = [event.server, event.message].filter((part) => part !== undefined).join(": ");
      request.notify("notifications/progress", {
        progressToken,
        progress,
        ...(total === undefined ? {} : { total }),
        ...(message === "" || request.version === "2024-11-05" ? {} : { message }),
      });
    } else if (event.type === "log") {
      const level = event.level === "warn" ? "warning" : event.level;
      if (!wantsLevel(request.logLevel, level)) return;
      request.notify("notifications/message", {
        level,
        logger: event.server ?? "mcpx",
        data: event.text,
      });
    }
  };
}

function inputSchema(operation: AnyOperation): JsonObject {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(operation.input, {
    io: "input",
    unrepresentable: "any",
  });
  const fields = operation.cli.fields ?? {};
  const properties = Object.fromEntries(
    Object.entries(schema.properties ?? {})
      .filter(([name]) => !fields[name]?.hidden || fields[name]?.onMcp)
      .map(([name, property]) => [name, withoutNoise(property)]),
  );
  return { ...schema, type: "object", properties };
}

function outputSchema(operation: AnyOperation): JsonObject {
  const schema = outlineOf(z.toJSONSchema(operation.output, { io: "output", unrepresentable: "any" }));
  if (operation.id !== "call" || !isObject(schema.properties)) return schema;
  const { raw: _raw, ...properties } = schema.properties;
  const required = Array.isArray(schema.required) ? schema.required.filter((name) => name !== "raw") : [];
  return { ...schema, properties, required };
}
