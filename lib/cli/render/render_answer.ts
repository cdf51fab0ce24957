import { renderFinding } from "../../diagnose/render.ts";
import type { Finding } from "../../diagnose/types.ts";
import { parseJson } from "../../json/lossless.ts";
import { memberTexts, prettyJson } from "./json_text.ts";
import { renderQuestion, renderSettled } from "./render_question.ts";
import { inert, type Paint } from "./style.ts";
import { renderTable } from "./table.ts";

/** How answers are shown. */
export interface RenderOptions {
  paint: Paint;
  plain: boolean;
  /** Width of the terminal; absent where stdout is none. */
  width?: number;
  /** Text from elsewhere may hold anything where no terminal reads it. */
  terminal: boolean;
  /** Whether every column and whole descriptions are shown. */
  verbose?: boolean;
}

/** What goes where. */
export interface Rendered {
  stdout: string;
  /** Sentences for stderr. */
  notes: string[];
}

/**
 * Shows an answer to a person, as the operation's hint says (see `ManifestOperation.render`).
 *
 * @param hint the hint
 * @param text JSON text of the answer
 */
export function renderAnswer(hint: string, text: string, options: RenderOptions): Rendered {
  const [kind = "auto", member = "", columns = ""] = hint.split(":");
  if (kind === "result") return renderResult(memberTexts(text), options);
  if (kind === "run") return renderRun(memberTexts(text), options);
  if (kind === "candidates") {
    return { stdout: candidatesOf(memberTexts(text), options), notes: reasonOf(memberTexts(text)) };
  }
  if (kind === "json") return { stdout: prettyJson(text) + "\n", notes: [] };
  const value = parseJson(text);
  const notes = notesOf(value);
  const show = (stdout: string): Rendered => ({ stdout, notes });
  switch (kind) {
    case "text":
      return show(ended(shown(stringOf(memberOf(value, member)), options)));
    case "table": {
      const rows = memberOf(value, member);
      notes.push(...errorsOf(rows, columns));
      if (listOf(rows).length === 0) {
        notes.push(`There are no ${member === "" ? "entries" : wordsOf(member)}.`);
      }
      return show(tableOf(rows, columns === "" ? [] : columns.split(","), options));
    }
    case "messages":
      return show(messagesOf(value, options));
    case "contents":
      return show(contentsOf(value, options));
    case "fields":
      return show(fieldsOf(memberOf(value, member), options));
    case "question":
      return show(renderQuestion(value, options.paint));
    case "settled":
      return show(renderSettled(value));
    case "stream":
      return show("");
    default:
      return show(autoOf(value, options));
  }
}

/** A tool's result: text as it is, anything else as JSON, artifacts as paths. */
function renderResult(members: ReadonlyMap<string, string>, options: RenderOptions): Rendered {
  const task = members.get("task");
  if (task !== undefined) return taskOf(parseJson(task));
  const result = members.get("result");
  const artifacts = artifactLines(members.get("artifacts"));
  const notes = notesOf({
    notes: parseMember(members, "notes"),
    diagnostics: parseMember(members, "diagnostics"),
  });
  const preview = memberTexts(result ?? "").get("preview");
  if (preview !== undefined && artifacts.length > 0) {
    return {
      stdout: ended(valueText(preview, options)) + artifacts.map((line) => line + "\n").join(""),
      notes,
    };
  }
  // A result that is nothing but its artifacts is shown by their paths alone.
  const onlyArtifacts = artifacts.length > 0 && isArtifacts(result);
  const body = result === undefined || onlyArtifacts ? "" : ended(valueText(result, options));
  return { stdout: body + artifacts.map((line) => line + "\n").join(""), notes };
}

function renderRun(members: ReadonlyMap<string, string>, options: RenderOptions): Rendered {
  if (members.has("result") || members.has("task")) {
    const { stdout, notes } = renderResult(members, options);
    return { stdout, notes: [...reasonOf(members), ...notes] };
  }
  const notes = notesOf({ notes: parseMember(members, "notes"), diagnostics: unsaid(members) });
  return { stdout: scriptOf(members, options), notes: [...reasonOf(members), ...notes] };
}

/** The findings that the error does not say itself. */
function unsaid(members: ReadonlyMap<string, string>): unknown[] {
  const error = parseMember(members, "error");
  const said = isRecord(error) ? stringOf(error.message) : "";
  return listOf(parseMember(members, "diagnostics")).filter((one) =>
    !isFinding(one) || !said.includes(one.message)
  );
}

/** What a recipe or an intent gives where nothing was run: the script, else what could have been meant. */
function scriptOf(members: ReadonlyMap<string, string>, options: RenderOptions): string {
  const script = members.get("script");
  if (script !== undefined) return ended(shown(stringOf(parseJson(script)), options));
  // A script that ran and gave nothing has nothing to show.
  return members.get("outcome") === '"ran"' ? "" : candidatesOf(members, options);
}

function candidatesOf(members: ReadonlyMap<string, string>, options: RenderOptions): string {
  const candidates = listOf(parseMember(members, "candidates")).filter(isRecord);
  if (candidates.length === 0) return "";
  const scored = candidates.some(({ score }) => score !== undefined);
  return tableOf(candidates, scored ? ["name", "score", "summary"] : ["name", "summary"], options);
}

/** The one sentence that says why. */
function reasonOf(members: ReadonlyMap<string, string>): string[] {
  const reason = parseMember(members, "message") ?? parseMember(members, "reason");
  return typeof reason === "string" ? [inert(reason)] : [];
}

/** What runs on as a task is named by it, alone on its line for a script to take. */
function taskOf(task: unknown): Rendered {
  const id = stringOf(memberOf(task, "id"));
  return {
    stdout: ended(inert(id)),
    notes: [`mcpx task result ${inert(id)} waits for the result and shows it.`],
  };
}

/** JSON text of a value as a person reads it: a string as itself. */
export function valueText(text: string, options: Pick<RenderOptions, "terminal">): string {
  if (!text.startsWith('"')) return prettyJson(text);
  const value: unknown = JSON.parse(text);
  return shown(String(value), options);
}

function shown(text: string, options: Pick<RenderOptions, "terminal">): string {
  return options.terminal ? inert(text) : text;
}

function ended(text: string): string {
  return text === "" || text.endsWith("\n") ? text : text + "\n";
}

function parseMember(members: ReadonlyMap<string, string>, name: string): unknown {
  const text = members.get(name);
  return text === undefined ? undefined : parseJson(text);
}

function isArtifacts(text: string | undefined): boolean {
  if (text === undefined || text === "null" || text.length > 64 * 1024) return text === "null";
  const value = parseJson(text);
  const list = Array.isArray(value) ? value : [value];
  return list.length > 0 && list.every(isArtifact);
}

/** An artifact reference, alone or in the place of a block's data. */
function isArtifact(value: unknown): boolean {
  if (!isRecord(value)) return false;
  if (isRecord(value.artifact)) return typeof value.artifact.path === "string" && value.text === undefined;
  return typeof value.artifact === "string" && typeof value.path === "string";
}

function artifactLines(text: string | undefined): string[] {
  const list = text === undefined ? [] : parseJson(text);
  if (!Array.isArray(list)) return [];
  return list.filter(isRecord).map((one) => {
    const bytes = typeof one.bytes === "number" ? `, ${sizeText(one.bytes)}` : "";
    return `${inert(String(one.path))} (${inert(String(one.mimeType ?? "unknown type"))}${bytes})`;
  });
}

/** `1.5 MiB`. */
export function sizeText(bytes: number): string {
  let amount = bytes;
  let unit = 0;
  const units = ["B", "KiB", "MiB", "GiB"];
  for (; amount >= 1024 && unit < units.length - 1; unit++) amount /= 1024;
  return `${unit === 0 ? amount : amount.toFixed(1)} ${units[unit]}`;
}

/** Sentences that an answer carries beside what was asked for. */
function notesOf(value: unknown): string[] {
  if (!isRecord(value)) return [];
  const notes: string[] = [];
  for (const note of listOf(value.notes)) notes.push(inert(stringOf(note)));
  for (const one of [...listOf(value.problems), ...listOf(value.diagnostics)]) {
    if (!isRecord(one)) continue;
    if (isFinding(one)) {
      notes.push(inert(renderFinding(one)));
      continue;
    }
    const who = typeof one.server === "string" ? `${one.server}: ` : "";
    const next = one.hint ?? one.fix;
    notes.push(inert(`${who}${stringOf(one.message)}${typeof next === "string" ? ` (${next})` : ""}`));
  }
  return notes;
}

function isFinding(value: unknown): value is Finding {
  return isRecord(value) && typeof value.tool === "string" && typeof value.message === "string";
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/**
 * Columns are members of the rows: `a.b` is one inside another, `a=word` has a heading of its own, `a~` is cut to its first sentence and
 * `a+` left out unless `--verbose` is given, and `a!` holds an error, which is told below the table.
 */
function tableOf(value: unknown, columns: readonly string[], options: RenderOptions): string {
  const rows = listOf(value).map((row) => isRecord(row) ? row : { value: row });
  const names = columns.length > 0 ? columns : [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const used = names.map(readColumn).filter(({ mark }) => mark !== "!" && (mark !== "+" || options.verbose));
  const cells = rows.map((row) =>
    used.map(({ path, mark }) => {
      const text = cellText(memberOf(row, path));
      return mark === "~" && !options.verbose ? firstSentence(text) : text;
    })
  );
  return renderTable(used.map(({ heading }) => heading), cells, options);
}

function readColumn(column: string): { path: string; heading: string; mark: string } {
  const found = /^([^=~+!]+)(?:=([^~+!]+))?([~+!])?$/.exec(column);
  const path = found?.[1] ?? column;
  return { path, heading: found?.[2] ?? wordsOf(path), mark: found?.[3] ?? "" };
}

/** What went wrong with single rows, in a sentence each. */
function errorsOf(value: unknown, columns: string): string[] {
  const column = columns.split(",").map(readColumn).find(({ mark }) => mark === "!");
  if (!column) return [];
  return listOf(value).flatMap((row) => {
    const error = memberOf(row, column.path);
    if (!isRecord(row) || !isRecord(error)) return [];
    const who = stringOf(row.name ?? row.server ?? row.namespace);
    const hint = typeof error.hint === "string" ? ` (${error.hint})` : "";
    return [inert(`${who}: ${stringOf(error.message)}${hint}`)];
  });
}

/** `protocolVersion` -> `protocol version`. */
function wordsOf(name: string): string {
  return (name.split(".")[0] ?? name).replace(/([a-z0-9])([A-Z])/g, "$1 $2").toLowerCase();
}

const SENTENCE_END = /(?<!\b(?:e\.g|i\.e|etc|vs|cf|approx|incl))[.!?](?=\s|$)/;

/** The first sentence of a description, or its first line where that is shorter. */
export function firstSentence(text: string): string {
  const line = text.trim().split("\n")[0]?.trim() ?? "";
  const end = SENTENCE_END.exec(line);
  return end ? line.slice(0, end.index + 1) : line;
}

function cellText(value: unknown): string {
  if (Array.isArray(value)) return value.map(cellText).join(", ");
  if (isRecord(value) && typeof value.text === "string" && typeof value.layer === "string") {
    const from = value.source === value.layer ? value.layer : `${value.layer}: ${stringOf(value.source)}`;
    const name = typeof value.path === "string" ? `${value.path} = ` : "";
    return `${name}${value.text === "" ? '""' : value.text} (${from})`;
  }
  return stringOf(value);
}

function fieldsOf(value: unknown, options: RenderOptions): string {
  if (!isRecord(value)) return ended(stringOf(value));
  // Notes and problems are shown as notes.
  const apart = new Set(["notes", "problems"]);
  const entries = Object.entries(value).filter(([name, one]) => one !== undefined && !apart.has(name))
    .map(([name, one]): [string, unknown] => [options.plain ? name : wordsOf(name), one]);
  const width = Math.max(0, ...entries.map(([name]) => name.length));
  return entries.map(([name, one]) => {
    if (options.plain) return `${name}\t${inert(cellText(one))}\n`;
    return `${options.paint("dim", name.padEnd(width))}  ${inert(cellText(one))}\n`;
  }).join("");
}

/** Scalars as fields, then every list of objects as a table under its name. */
function autoOf(value: unknown, options: RenderOptions): string {
  if (!isRecord(value)) return Array.isArray(value) ? tableOf(value, [], options) : ended(stringOf(value));
  const isTable = (one: unknown): boolean => Array.isArray(one) && one.length > 0 && one.every(isRecord);
  const skipped = new Set(["notes", "problems", "diagnostics"]);
  const entries = Object.entries(value).filter(([name]) => !skipped.has(name));
  const scalars = entries.filter(([, one]) => !isTable(one) && !(Array.isArray(one) && one.length === 0));
  const parts = [fieldsOf(Object.fromEntries(scalars), options)];
  for (const [name, one] of entries) {
    if (isTable(one)) parts.push(`${options.paint("bold", name)}\n${tableOf(one, [], options)}`);
  }
  return parts.filter((part) => part !== "").join("\n");
}

function messagesOf(value: unknown, options: RenderOptions): string {
  const messages = listOf(memberOf(value, "messages")).filter(isRecord);
  return messages.map((message) => {
    const content = listOf(message.content).length > 0 ? listOf(message.content) : [message.content];
    const text = content.map((block) => blockText(block, options)).join("\n");
    return `${options.paint("bold", `${stringOf(message.role)}:`)} ${text}\n`;
  }).join("");
}

function contentsOf(value: unknown, options: RenderOptions): string {
  const contents = listOf(memberOf(value, "contents")).map((one) => ended(blockText(one, options)));
  const artifacts = artifactLines(JSON.stringify(memberOf(value, "artifacts") ?? []));
  return contents.join("") + artifacts.map((line) => line + "\n").join("");
}

function blockText(block: unknown, options: RenderOptions): string {
  if (!isRecord(block)) return shown(stringOf(block), options);
  if (typeof block.text === "string") return shown(block.text, options);
  if (typeof block.artifact === "string" || typeof block.blob === "string") return "";
  return prettyJson(JSON.stringify(block));
}

/** The value at a dotted path; the value itself at an empty one. */
function memberOf(value: unknown, path: string): unknown {
  if (path === "") return value;
  let at = value;
  for (const part of path.split(".")) at = isRecord(at) && Object.hasOwn(at, part) ? at[part] : undefined;
  return at;
}

function stringOf(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
