import { readText } from "../api.ts";
import { prepareConnection } from "../connect.ts";
import type { CommandContext } from "../context.ts";
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
  if (source === "setting") return cx.manifest.settings.map((row) => ({ value: row.path, note: row.help }));
  try {
    if (source === "argument") return await argumentNames(cx, words);
    const list = LISTS[source];
    const operation = cx.manifest.operations.find((one) => one.id === list?.id);
    if (!list || !operation) return [];
    const cached = operation.inputs.some((input) => input.name === "cached") ? "?cached=true" : "";
    const rows = firstList(await ask(cx, operation.path + cached));
    return rows.flatMap((row) => {
      const value = row[list.value];
      const note = row.description ?? row.summary;
      return typeof value === "string" ? [{ value, ...(typeof note === "string" ? { note } : {}) }] : [];
    });
  } catch {
    return []; // a shell that completes has no use for an error
  }
}

/** `key=` for each argument of the tool or recipe on the line, or the values of the key that is being written. */
async function argumentNames(cx: CommandContext, words: readonly string[]): Promise<Candidate[]> {
  const current = words.at(-1) ?? "";
  const path = describedBy(words.slice(0, -1));
  if (path === undefined) return [];
  const answer = await ask(cx, path);
  const schema = isRecord(answer) ? answer.inputSchema : undefined;
  const properties = isRecord(schema) && isRecord(schema.properties) ? schema.properties : {};
  const equals = current.indexOf("=");
  if (equals < 0) {
    return Object.entries(properties).map(([name, one]) => ({
      value: `${name}=`,
      ...(isRecord(one) && typeof one.description === "string" ? { note: one.description } : {}),
    }));
  }
  const key = current.slice(0, equals);
  const property = properties[key];
  const values = isRecord(property) && Array.isArray(property.enum)
    ? property.enum
    : isRecord(property) && property.type === "boolean"
    ? [true, false]
    : [];
  return values.map((value) => ({ value: `${key}=${String(value)}` }));
}

/** The route that describes what the line is about. */
function describedBy(words: readonly string[]): string | undefined {
  const bare = words.filter((word) => !word.startsWith("-"));
  if (bare[0] === "recipes" && bare[2] !== undefined) return `/v1/recipes/${encodeURIComponent(bare[2])}`;
  const tool = words.find((word) => /^[^-=]+\.[^=]+$/.test(word));
  return tool === undefined ? undefined : `/v1/describe?tool=${encodeURIComponent(tool)}`;
}

async function ask(cx: CommandContext, path: string): Promise<unknown> {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const connection = await prepareConnection({ ...cx, quiet: true }, { existingOnly: true });
  const reached = await connection.open(signal);
  if (!reached) return undefined;
  try {
    const headers = { ...reached.headers, ...connection.headers };
    return JSON.parse(await readText(await reached.api.request({ method: "GET", path, headers }, signal)));
  } finally {
    await reached.api.close();
  }
}

function firstList(answer: unknown): Record<string, unknown>[] {
  if (!isRecord(answer)) return [];
  const list = Object.values(answer).find(Array.isArray);
  return (list ?? []).filter(isRecord);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
