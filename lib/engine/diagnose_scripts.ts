import { type Finding, MOST_FINDINGS, renderFindings } from "../diagnose/mod.ts";
import { McpxError } from "../errors/mod.ts";
import { readRecipe, type RecipeProblem } from "../recipes/mod.ts";
import type { Caller } from "./caller.ts";
import type { Engine } from "./engine.ts";
import type { ServerProblem } from "./summaries.ts";
import { findScript, listScripts } from "./script_path.ts";

/** What is diagnosed: source, a script of that name, or every script on the search path. */
export interface DiagnoseRequest {
  code?: string | undefined;
  script?: string | undefined;
  filename?: string | undefined;
  all?: boolean | undefined;
}

/** The findings on one script. */
export interface ScriptFindings {
  /** Its name or file. */
  script: string;
  findings: Finding[];
  /** Where it is a recipe: what is wrong in its header and with its references. */
  recipe?: RecipeProblem[] | undefined;
}

/** What a diagnosis gives; `exitCode` is 1 where something would fail. */
export interface DiagnoseDocument {
  exitCode: number;
  scripts: ScriptFindings[];
  /** Servers that the scripts mention and that could not be read: their calls were not checked. */
  problems: ServerProblem[];
  /** The findings as text, or a sentence that there are none. */
  text: string;
}

/**
 * Diagnoses scripts without running them.
 *
 * @throws {McpxError} `invalid-input`, `unknown-script`
 */
export async function diagnoseScripts(
  engine: Engine,
  request: DiagnoseRequest,
  caller: Caller,
): Promise<DiagnoseDocument> {
  const sources = await readSources(engine, request, caller);
  const problems = await readMentioned(engine, sources, caller);
  const scripts: ScriptFindings[] = [];
  for (const { name, source } of sources) {
    const findings = await engine.diagnosis.diagnose(engine, source, caller);
    const recipe = readRecipe(name, source)?.problems ?? [];
    scripts.push({ script: name, findings, ...(recipe.length > 0 ? { recipe: [...recipe] } : {}) });
  }
  return {
    exitCode: scripts.some(({ findings, recipe }) => recipe || findings.some(({ fatal }) => fatal)) ? 1 : 0,
    scripts,
    problems,
    text: textOf(scripts),
  };
}

/** Reads the servers that are mentioned and were never read. */
async function readMentioned(
  engine: Engine,
  sources: readonly { source: string }[],
  caller: Caller,
): Promise<ServerProblem[]> {
  const mentioned = engine.visibleServers(caller).filter(({ definition }) =>
    !definition.disabled && sources.some(({ source }) => source.includes(definition.namespace))
  );
  const problems = await Promise.all(
    mentioned.map(({ definition }) => engine.readListings(caller, { only: definition.name })),
  );
  return problems.flat();
}

async function readSources(
  engine: Engine,
  request: DiagnoseRequest,
  caller: Caller,
): Promise<{ name: string; source: string }[]> {
  const given =
    [request.code !== undefined, request.script !== undefined, request.all === true].filter((is) => is)
      .length;
  if (given !== 1) {
    throw new McpxError("invalid-input", "Cannot diagnose: name one script, give its code, or ask for all.", {
      data: { field: "script" },
    });
  }
  if (request.code !== undefined) return [{ name: request.filename ?? "script.ts", source: request.code }];
  const folders = engine.scriptFolders(caller);
  if (request.script !== undefined) {
    const { path, source } = await findScript(request.script, folders, engine.scriptRules);
    return [{ name: path, source }];
  }
  return (await listScripts(folders, engine.scriptRules)).map(({ path, source }) => ({ name: path, source }));
}

/** The findings of each script; one alone needs no heading, and those without any are counted. */
function textOf(scripts: readonly ScriptFindings[]): string {
  const [only] = scripts;
  if (!only) return "There is no script on the search path.";
  const found = scripts.filter(({ findings, recipe }) => findings.length > 0 || recipe);
  if (scripts.length === 1) {
    return found.length === 0 ? `${only.script}: every call fits.` : textOfScript(only);
  }
  const fitting = scripts.length - found.length;
  const texts = found.map((one) => `${one.script}:\n${textOfScript(one)}`);
  if (fitting > 0) texts.push(`${fitting === 1 ? "One script" : `${fitting} scripts`}: every call fits.`);
  return texts.join("\n\n");
}

function textOfScript({ findings, recipe = [] }: ScriptFindings): string {
  const lines = recipe.map(({ line, message, hint }) =>
    `line ${line}: ${message}${hint === undefined ? "" : ` (${hint})`}`
  );
  return [...lines, ...(findings.length > 0 ? [textOfFindings(findings)] : [])].join("\n");
}

function textOfFindings(findings: readonly Finding[]): string {
  const text = renderFindings(findings);
  return findings.length < MOST_FINDINGS
    ? text
    : `${text}\nThere may be more: a script gets ${MOST_FINDINGS} findings at most.`;
}
