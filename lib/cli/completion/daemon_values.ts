import { askApi, isRecord } from "../ask_api.ts";
import type { CommandContext } from "../context.ts";
import { HOST_IDS } from "../local_commands.ts";
import type { Candidate } from "./complete.ts";

/** Which operation lists the values of a source, and which member of a row is the value. */
const LISTS: Readonly<Record<string, { id: string; value: string }>> = {
  tool: { id: "tool.list", value: "name" },
  namespace: { id: "server.list", value: "namespace" },
  server: { id: "server.entries", value: "name" },
  prompt: { id: "prompt.list", value: "name" },
  resource: { id: "resource.list", value: "uri" },
  question: { id: "elicit.list", value: "id" },
  task: { id: "task.list", value: "id" },
  recipe: { id: "recipe.list", value: "name" },
  script: { id: "script.list", value: "name" },
};

/** A person waits at a shell prompt for this. */
const PATIENCE_MS = 1500;

/**
 * Asks a daemon that runs already for values; none is started, and a failure is no value.
 *
 * @param source the input's `completion`
 * @param words the words of the line so far, the last one unfinished
 */
export async function daemonValues(
  cx: CommandContext,
  source: string,
  words: readonly string[],
): Promise<Candidate[]> {
  if (source === "settingValue") return settingValues(cx, words);
  if (source === "host") return HOST_IDS.map((value) => ({ value }));
  if (source === "setting") return cx.manifest.settings.map((row) => ({ value: row.path, note: row.help }));
  try {
    if (source === "argument") return await argumentNames(cx, words);
    const list = LISTS[source];
    const operation = cx.manifest.operations.find((one) => one.id === list?.id);
    if (!list || !operation) return [];
    const cached = operation.inputs.some((input) => input.name === "cached") ? "?cached=true" : "";
    const rows = firstList(await ask(cx, { path: operation.path + cached }));
    return rows.flatMap((row) => {
      const value = row[list.value];
      const note = row.description ?? row.summary;
      return typeof value === "string" ? [{ value, ...(typeof note === "string" ? { note } : {}) }] : [];
    });
  } catch {
    return []; // a shell that completes has no use for an error
  }
}

/** `key=` for each argument that is not given yet, or the values of the key that is being written. */
async function argumentNames(cx: CommandContext, words: readonly string[]): Promise<Candidate[]> {
  const current = words.at(-1) ?? "";
  const subject = subjectOf(words.slice(0, -1));
  if (subject === undefined) return [];
  const given = pairsOf(words.slice(0, -1));
  const equals = current.indexOf("=");
  if (equals < 0) {
    return (await namesOf(cx, subject)).filter(({ value }) => !given.has(value)).map(({ value, note }) => ({
      value: `${value}=`,
      ...(note === undefined ? {} : { note }),
    }));
  }
  const key = current.slice(0, equals);
  const values = await argumentValues(cx, subject, { key, typed: current.slice(equals + 1), given });
  return values.map((value) => ({ value: `${key}=${value}` }));
}

/** What the arguments on a line belong to. */
interface Subject {
  kind: "recipe" | "prompt" | "tool";
  name: string;
}

function subjectOf(words: readonly string[]): Subject | undefined {
  const bare = words.filter((word) => !word.startsWith("-"));
  if (bare[0] === "recipes" && bare[2] !== undefined) return { kind: "recipe", name: bare[2] };
  const name = words.find((word) => /^[^-=]+\.[^=]+$/.test(word));
  if (name === undefined) return undefined;
  return { kind: bare[0] === "prompts" ? "prompt" : "tool", name };
}

function pairsOf(words: readonly string[]): Map<string, string> {
  return new Map(words.flatMap((word): [string, string][] => {
    const at = word.indexOf("=");
    return at < 1 || word.startsWith("-") ? [] : [[word.slice(0, at), word.slice(at + 1)]];
  }));
}

async function namesOf(cx: CommandContext, { kind, name }: Subject): Promise<Candidate[]> {
  if (kind === "prompt") {
    const prompt = firstList(await ask(cx, { path: "/v1/prompts?cached=true" })).find((one) =>
      one.name === name
    );
    const list = Array.isArray(prompt?.arguments) ? prompt.arguments.filter(isRecord) : [];
    return list.map((one) => candidateOf(String(one.name), one));
  }
  return Object.entries(await propertiesOf(cx, { kind, name })).map(([key, one]) => candidateOf(key, one));
}

/** The server that owns a prompt or a tool is asked what fits; a recipe's header says it. */
async function argumentValues(
  cx: CommandContext,
  subject: Subject,
  { key, typed, given }: { key: string; typed: string; given: ReadonlyMap<string, string> },
): Promise<string[]> {
  if (subject.kind === "recipe") {
    const property = (await propertiesOf(cx, subject))[key];
    if (!isRecord(property)) return [];
    if (Array.isArray(property.enum)) return property.enum.map(String);
    return property.type === "boolean" ? ["true", "false"] : [];
  }
  const body = {
    of: subject.name,
    name: key,
    value: typed,
    context: { arguments: Object.fromEntries(given) },
  };
  const answer = await ask(cx, { method: "POST", path: "/v1/complete", body });
  return isRecord(answer) && Array.isArray(answer.values) ? answer.values.map(String) : [];
}

async function propertiesOf(cx: CommandContext, { kind, name }: Subject): Promise<Record<string, unknown>> {
  const path = kind === "recipe"
    ? `/v1/recipes/${encodeURIComponent(name)}`
    : `/v1/describe?tool=${encodeURIComponent(name)}`;
  const answer = await ask(cx, { path });
  const schema = isRecord(answer) ? answer.inputSchema : undefined;
  return isRecord(schema) && isRecord(schema.properties) ? schema.properties : {};
}

function candidateOf(value: string, described: unknown): Candidate {
  const note = isRecord(described) ? described.description : undefined;
  return { value, ...(typeof note === "string" ? { note } : {}) };
}

/** The values that the setting before on the line may have. */
function settingValues(cx: CommandContext, words: readonly string[]): Candidate[] {
  const row = cx.manifest.settings.find(({ path }) => words.includes(path));
  const values = row?.enum ?? (row?.kind === "bool" ? ["true", "false"] : []);
  return values.map((value) => ({ value }));
}

async function ask(
  cx: CommandContext,
  question: { method?: "POST"; path: string; body?: unknown },
): Promise<unknown> {
  return await askApi({ ...cx, quiet: true }, { method: "GET", ...question }, {
    existingOnly: true,
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
}

function firstList(answer: unknown): Record<string, unknown>[] {
  if (!isRecord(answer)) return [];
  const list = Object.values(answer).find(Array.isArray);
  return (list ?? []).filter(isRecord);
}
