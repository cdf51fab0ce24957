import { type Finding, renderFindings } from "../diagnose/mod.ts";
import { McpxError } from "../errors/mod.ts";
import { parseJson } from "../json/mod.ts";
import type { PoolRun } from "../pool/mod.ts";
import type { ScriptLimits, ScriptOutcome, ScriptPort, ScriptRequest } from "../sandbox/mod.ts";
import { coerceArguments, type JsonObject } from "../schema/mod.ts";
import { callTool } from "./call_tool.ts";
import type { Caller } from "./caller.ts";
import type { Engine } from "./engine.ts";
import { describeTool, searchCatalog } from "./list_tools.ts";
import { findScript } from "./script_path.ts";

/** What a run is asked with. */
export interface RunRequest {
  code?: string | undefined;
  script?: string | undefined;
  filename?: string | undefined;
  args?: JsonObject | undefined;
  textArguments?: [string, string][] | undefined;
  export?: string | undefined;
}

/** The document of a run. */
export interface RunDocument {
  ok: boolean;
  exitCode: number;
  durationMs: number;
  result?: unknown;
  results?: unknown[];
  logs?: { level: string; text: string; attributes?: unknown }[];
  error?: Record<string, unknown>;
  diagnostics?: unknown[];
  calls: number;
  notes?: string[];
}

/** A run whose source has been read. */
export interface SourceRequest extends Omit<RunRequest, "code" | "script"> {
  source: string;
  filename: string;
}

/**
 * Runs source in the sandbox; how it ended is in the document.
 *
 * @throws {McpxError} where nothing could be run: `sandbox-unavailable`
 */
export async function runScript(
  engine: Engine,
  request: SourceRequest,
  caller: Caller,
): Promise<RunDocument> {
  const { source, filename } = request;
  const mentioned = engine.visibleServers(caller).filter(({ definition }) =>
    source.includes(definition.namespace)
  );
  await Promise.all(
    mentioned.filter(({ cached }) => !cached).map(({ definition }) =>
      engine.readListings(caller, { only: definition.name })
    ),
  );
  const findings = caller.settings.get("diagnose.preflight")
    ? await engine.diagnosis.diagnose(engine, source, caller)
    : [];
  if (findings.some(({ fatal }) => fatal)) return refused(filename, findings);
  const poolRun = engine.pool.openRun();
  const results: unknown[] = [];
  const logs: NonNullable<RunDocument["logs"]> = [];
  const scriptRequest: ScriptRequest = {
    source,
    filename,
    args: JSON.stringify(scriptArguments(request)),
    ...(request.export === undefined ? {} : { exportName: request.export }),
    namespaces: engine.visibleServers(caller).map((entry) => ({
      namespace: entry.definition.namespace,
      names: engine.catalog.toolsOf(entry).flatMap(({ fn, tool }) =>
        fn === tool.name ? [fn] : [fn, tool.name]
      ),
    })),
    grants: { read: [], net: [], env: {}, run: [] },
    limits: scriptLimits(caller),
  };
  const port = scriptPort(engine, caller, poolRun, { results, logs });
  try {
    const outcome = await (await engine.runner()).run(scriptRequest, port, caller.signal);
    const news = engine.driftNews.take(mentioned.map(({ process }) => process.name));
    return document(outcome, { results, logs, findings, news });
  } finally {
    await poolRun.close();
  }
}

/** The source that a run is asked for, by code or by name. @throws {McpxError} `invalid-input`, `unknown-script` */
export async function readSource(
  engine: Engine,
  request: Pick<RunRequest, "code" | "script" | "filename">,
  caller: Caller,
): Promise<{ source: string; filename: string }> {
  if ((request.code === undefined) === (request.script === undefined)) {
    throw new McpxError("invalid-input", "Cannot run: give either `code` or `script`.", {
      data: { field: "code" },
    });
  }
  if (request.code !== undefined) return { source: request.code, filename: request.filename ?? "script.ts" };
  const found = await findScript(request.script ?? "", engine.scriptFolders(caller));
  return { source: found.source, filename: found.path };
}

function scriptArguments(request: SourceRequest): JsonObject {
  if (!request.textArguments) return request.args ?? {};
  return { ...request.args, ...coerceArguments({}, request.textArguments) };
}

function scriptLimits({ settings }: Caller): ScriptLimits {
  const timeoutMs = settings.get("exec.timeout");
  return {
    timeoutMs,
    maxWaitMs: settings.get("exec.maxWait"),
    cpuSeconds: Math.max(1, Math.ceil((settings.get("exec.cpu") || timeoutMs) / 1000)),
    maxCalls: settings.get("exec.maxCalls"),
    maxConcurrentCalls: settings.get("exec.concurrency"),
    maxOutputBytes: settings.get("exec.maxOutput"),
    maxResultBytes: settings.get("exec.maxResult"),
  };
}

function scriptPort(
  engine: Engine,
  caller: Caller,
  poolRun: PoolRun,
  records: { results: unknown[]; logs: NonNullable<RunDocument["logs"]> },
): ScriptPort {
  const scripted: Caller = { ...caller, surface: "script" };
  return {
    call: async (call, signal) => {
      const sent = parseJson(call.arguments) as JsonObject;
      const answer = await callTool(
        engine,
        { tool: call.name, arguments: sent },
        { ...scripted, signal },
        poolRun,
      );
      return JSON.stringify({ value: answer.result, raw: answer.raw });
    },
    search: async (query, limit) =>
      JSON.stringify((await searchCatalog(engine, scripted, { query, limit, cached: true })).tools),
    describe: async (name) => JSON.stringify(await describeTool(engine, scripted, name)),
    emit: (json) => {
      const value = parseJson(json);
      records.results.push(value);
      caller.emit({ type: "emit", value });
    },
    log: ({ level, text, attributes }) => {
      const record = {
        level,
        text,
        ...(attributes === undefined ? {} : { attributes: parseJson(attributes) }),
      };
      records.logs.push(record);
      caller.emit({ type: "log", ...record });
    },
    artifact: async (name, bytes, mimeType) =>
      JSON.stringify(await engine.artifacts.put(name, bytes, mimeType)),
    paused: () => caller.work?.paused ?? false,
  };
}

/** The document of a script that would fail: nothing of it was run. */
function refused(filename: string, findings: readonly Finding[]): RunDocument {
  const fatal = findings.filter((finding) => finding.fatal);
  const lead = `Cannot run ${filename}: it would fail.`;
  const error = new McpxError("script-preflight", `${lead}\n${renderFindings(fatal)}`, {
    hint: "Nothing was run. --no-diagnose-preflight runs it all the same.",
  });
  return {
    ok: false,
    exitCode: error.exit,
    durationMs: 0,
    error: { ...error.toBody() },
    diagnostics: [...findings],
    calls: 0,
  };
}

function document(
  outcome: ScriptOutcome,
  { results, logs, findings, news }: {
    results: unknown[];
    logs: NonNullable<RunDocument["logs"]>;
    findings: readonly Finding[];
    news: readonly string[];
  },
): RunDocument {
  const { diagnostics = [], ...error } = outcome.error ?? {};
  const explained = [...findings, ...diagnostics];
  const notes = [...outcome.notes, ...news];
  return {
    ok: outcome.ok,
    exitCode: outcome.error ? new McpxError(outcome.error.code, outcome.error.message).exit : 0,
    durationMs: Math.round(outcome.durationMs),
    ...(outcome.result === undefined ? {} : { result: parseJson(outcome.result) }),
    ...(results.length > 0 ? { results } : {}),
    ...(logs.length > 0 ? { logs } : {}),
    ...(outcome.error ? { error } : {}),
    ...(explained.length > 0 ? { diagnostics: explained } : {}),
    calls: outcome.calls,
    ...(notes.length > 0 ? { notes } : {}),
  };
}
