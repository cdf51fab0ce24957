import { type Finding, renderFindings } from "../diagnose/mod.ts";
import { McpxError } from "../errors/mod.ts";
import { parseJson } from "../json/mod.ts";
import type { ScriptLimits, ScriptOutcome, ScriptRequest } from "../sandbox/mod.ts";
import { coerceArguments, type JsonObject } from "../schema/mod.ts";
import type { Caller, CallerEvent } from "./caller.ts";
import type { Engine } from "./engine.ts";
import { findScript } from "./script_path.ts";
import { askApproval } from "./scripts/approve.ts";
import { DryRun, type PlannedCall } from "./scripts/dry_run.ts";
import { readHooks } from "./scripts/hooks.ts";
import { type PermissionReport, type PermissionRequest, readPermissions } from "./scripts/permissions.ts";
import { makeScratchFolder } from "./scripts/scratch_folder.ts";
import { type RunRecords, scriptPort } from "./scripts/script_port.ts";
import { checkTypes } from "./scripts/type_check.ts";

/** What a run is asked with. */
export interface RunRequest extends PermissionRequest {
  code?: string | undefined;
  script?: string | undefined;
  filename?: string | undefined;
  args?: JsonObject | undefined;
  textArguments?: [string, string][] | undefined;
  export?: string | undefined;
  /** Make no call that may change something; say which would be made. */
  dryRun?: boolean | undefined;
  /** After a dry run, run for real once somebody says yes. */
  approve?: boolean | undefined;
  /** Check the script against the tools' types first. */
  typecheck?: boolean | undefined;
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
  /** What it was allowed beside calling tools, where it asked for something. */
  permissions?: PermissionReport;
  /** The calls that a dry run did not make. */
  planned?: PlannedCall[];
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
  const misfit = request.typecheck ? await checkTypes(engine, { source, filename }, caller) : undefined;
  if (misfit) return notRun(misfit, findings);
  if (request.dryRun !== true && request.approve !== true) {
    return await runOnce(engine, request, { caller, findings });
  }
  const dryRun = new DryRun(engine, caller);
  if (request.approve !== true) return await runOnce(engine, request, { caller, findings, dryRun });
  // What the run will say is not said twice.
  const told: CallerEvent[] = [];
  const quiet: Caller = {
    ...caller,
    emit: (event) => {
      if (event.type === "emit" || event.type === "log") told.push(event);
      else caller.emit(event);
    },
  };
  const document = await runOnce(engine, request, { caller: quiet, findings, dryRun });
  if (!document.ok || dryRun.isWhole) {
    for (const event of told) caller.emit(event);
    return document;
  }
  await askApproval(engine, { filename, notes: dryRun.notes() }, caller);
  return await runOnce(engine, request, { caller, findings });
}

/** A run that is about to start. */
interface RunContext {
  caller: Caller;
  findings: readonly Finding[];
  dryRun?: DryRun;
}

async function runOnce(
  engine: Engine,
  request: SourceRequest,
  { caller, findings, dryRun }: RunContext,
): Promise<RunDocument> {
  const { source, filename } = request;
  const permissions = await readPermissions(engine, request, caller);
  const { hooks, notes } = await readHooks(caller, engine.scriptRules);
  // What a script does by itself over the network or by a command cannot be held back and shown: a dry run does without.
  const grants = dryRun ? { ...permissions.grants, net: [], run: [] } : permissions.grants;
  const withheld = grants.net.length + grants.run.length <
    permissions.grants.net.length + permissions.grants.run.length;
  if (dryRun && withheld) dryRun.withheld = true;
  await using scratch = permissions.write
    ? await makeScratchFolder(await engine.scripts.scratchFolder())
    : undefined;
  const poolRun = engine.pool.openRun();
  const records: RunRecords = { results: [], logs: [] };
  const scriptRequest: ScriptRequest = {
    source,
    filename,
    args: JSON.stringify(scriptArguments(request, scratch?.path)),
    ...(request.export === undefined ? {} : { exportName: request.export }),
    namespaces: engine.visibleServers(caller).map((entry) => ({
      namespace: entry.definition.namespace,
      names: engine.catalog.toolsOf(entry).flatMap(({ fn, tool }) =>
        fn === tool.name ? [fn] : [fn, tool.name]
      ),
    })),
    grants: { ...grants, ...(scratch ? { write: scratch.path } : {}) },
    hooks,
    limits: scriptLimits(caller),
  };
  const port = scriptPort({ engine, caller, poolRun, records, ...(dryRun ? { dryRun } : {}) });
  try {
    const outcome = await (await engine.scripts.runner()).run(scriptRequest, port, caller.signal);
    const mentioned = engine.visibleServers(caller).filter(({ definition }) =>
      source.includes(definition.namespace)
    );
    const news = [
      ...notes,
      ...permissions.notes,
      ...(withheld ? ["A dry run is given neither net nor run."] : []),
      ...(dryRun?.notes() ?? []),
      ...engine.driftNews.take(mentioned.map(({ process }) => process.name)),
    ];
    return {
      ...document(outcome, { ...records, findings, news }),
      ...(permissions.report ? { permissions: permissions.report } : {}),
      ...(dryRun ? { planned: dryRun.planned } : {}),
    };
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
  const found = await findScript(request.script ?? "", engine.scriptFolders(caller), engine.scriptRules);
  return { source: found.source, filename: found.path };
}

/** @throws {McpxError} `invalid-input` for an argument of the scratch folder's name */
function scriptArguments(request: SourceRequest, scratch: string | undefined): JsonObject {
  const { args, textArguments } = request;
  const given = textArguments ? { ...args, ...coerceArguments({}, textArguments) } : args ?? {};
  if (scratch === undefined) return given;
  if (Object.hasOwn(given, "scratch")) {
    throw new McpxError("invalid-input", "Cannot run: `args.scratch` is where its scratch folder is named.", {
      data: { field: "args.scratch" },
    });
  }
  return { ...given, scratch };
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
    maxArtifactBytes: settings.get("exec.maxArtifacts"),
    maxScratchBytes: settings.get("exec.maxScratch"),
  };
}

/** The document of a script that would fail: nothing of it was run. */
function refused(filename: string, findings: readonly Finding[]): RunDocument {
  const fatal = findings.filter((finding) => finding.fatal);
  const lead = `Cannot run ${filename}: it would fail.`;
  const error = new McpxError("script-preflight", `${lead}\n${renderFindings(fatal)}`, {
    hint: "Nothing was run. --no-diagnose-preflight runs it all the same.",
  });
  return notRun(error, findings);
}

/** The document of a script of which nothing was run. */
function notRun(error: McpxError, findings: readonly Finding[]): RunDocument {
  return {
    ok: false,
    exitCode: error.exit,
    durationMs: 0,
    error: { ...error.toBody() },
    ...(findings.length > 0 ? { diagnostics: [...findings] } : {}),
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
