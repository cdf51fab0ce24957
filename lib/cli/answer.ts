import { McpxError } from "../errors/mod.ts";
import { parseJson } from "../json/lossless.ts";
import { type ApiResponse, readText } from "./api.ts";
import { type CommandContext, writeNote } from "./context.ts";
import type { ManifestOperation } from "./manifest_types.ts";
import { memberTexts, prettyJson } from "./render/json_text.ts";
import { renderAnswer, valueText } from "./render/render_answer.ts";
import { renderError } from "./render/render_error.ts";
import { inert, inertLines } from "./render/style.ts";

/** An answer that came whole. */
export interface Answer {
  status: number;
  /** JSON text. */
  text: string;
  /** Whether logs and emitted values were shown as they came. */
  followed: boolean;
}

/**
 * Shows an answer and gives the exit status, which is the same whether it is shown as JSON or to a person.
 *
 * @throws {McpxError} `daemon-unreachable` when the answer is no JSON
 */
export async function showAnswer(
  cx: CommandContext,
  operation: ManifestOperation,
  answer: Answer,
): Promise<number> {
  const members = memberTexts(answer.text);
  const failure = failureOf(answer, members);
  const exit = exitOf(members, failure);
  const clamp = clampSentence(members);
  if (clamp !== undefined) await writeNote(cx, clamp);
  if (cx.json && operation.render === "stream" && !failure) return exit;
  if (cx.json) {
    await cx.out.line(cx.io.isTerminal.stdout ? prettyJson(answer.text) : answer.text);
    return exit;
  }
  if (!answer.followed) await showRecords(cx, members);
  if (!failure || operation.render === "run") {
    const rendered = renderAnswer(renderHint(cx, operation), answer.text, {
      paint: cx.paintOut,
      plain: cx.plain,
      terminal: cx.io.isTerminal.stdout,
      verbose: cx.verbose,
      ...(cx.io.isTerminal.stdout ? { width: cx.io.columns() } : {}),
    });
    await cx.out.write(rendered.stdout);
    for (const note of rendered.notes) await writeNote(cx, note);
  }
  if (failure) await cx.err.write(renderError(failure, { paint: cx.paintErr, debug: cx.debug }));
  return exit;
}

/** Writes a body to stdout as it comes, without holding it: for what is shown as JSON and cannot be a failure. */
export async function passThrough(cx: CommandContext, response: ApiResponse): Promise<number> {
  let last = 0;
  for await (const bytes of response.body) {
    await cx.out.write(bytes);
    last = bytes.at(-1) ?? last;
  }
  if (last !== 10) await cx.out.write("\n");
  return 0;
}

/** Reads a JSON answer to its end. */
export async function readAnswer(response: ApiResponse): Promise<Answer> {
  const text = await readText(response);
  return { status: response.status, text: text.trim() === "" ? "{}" : text, followed: false };
}

/** Shows one log record of a script or a server. */
export async function showLog(cx: CommandContext, record: string): Promise<void> {
  const value = parseJson(record);
  if (typeof value !== "object" || value === null) return;
  const { level, text, attributes, server } = value as Record<string, unknown>;
  const name = String(level ?? "info");
  if (cx.quiet || (name === "debug" && !cx.verbose)) return;
  const tone = name === "error" ? "red" : name.startsWith("warn") ? "yellow" : "dim";
  const who = typeof server === "string" ? `${server}: ` : "";
  const more = attributes === undefined || attributes === null ? "" : ` ${JSON.stringify(attributes)}`;
  await cx.err.line(`${cx.paintErr(tone, `${name}:`)} ${inertLines(`${who}${String(text ?? "")}${more}`)}`);
}

/** Shows one value that a script emitted. */
export async function showEmitted(cx: CommandContext, text: string): Promise<void> {
  await cx.out.line(valueText(text, { terminal: cx.io.isTerminal.stdout }));
}

/** What a run's document holds of records, where they did not come as events. */
async function showRecords(cx: CommandContext, members: ReadonlyMap<string, string>): Promise<void> {
  for (const record of elementTexts(members.get("logs"))) await showLog(cx, record);
  for (const value of elementTexts(members.get("results"))) await showEmitted(cx, value);
}

function elementTexts(text: string | undefined): string[] {
  const list = text === undefined ? [] : parseJson(text);
  return Array.isArray(list) ? list.map((one) => JSON.stringify(one)) : [];
}

function failureOf(answer: Answer, members: ReadonlyMap<string, string>): McpxError | undefined {
  const error = members.get("error");
  if (error !== undefined && error !== "null") {
    const body = parseJson(error);
    if (typeof body === "object" && body !== null) {
      const failure = McpxError.fromBody(body);
      const stack = "stack" in body && typeof body.stack === "string" ? body.stack : "";
      if (stack === "") return failure;
      return new McpxError(
        failure.code,
        `${failure.message}\n${indented(stack, failure.message)}`.trimEnd(),
        {
          ...(failure.hint === undefined ? {} : { hint: failure.hint }),
          ...(failure.data === undefined ? {} : { data: failure.data }),
        },
      );
    }
  }
  if (answer.status < 400) return undefined;
  return new McpxError(
    "daemon-unreachable",
    `Cannot read the answer: status ${answer.status} without an error.`,
  );
}

/** A script's own stack, without the message that was said already. */
function indented(stack: string, message: string): string {
  const lines = stack.split("\n").filter((line) => line.trim() !== "" && !message.includes(line.trim()));
  return lines.filter((line) => /^\s*at /.test(line)).map((line) => `    ${line.trim()}`).join("\n");
}

/** That less was done than was asked for, and what ceiling made it so. */
function clampSentence(members: ReadonlyMap<string, string>): string | undefined {
  if (!members.has("autonomy")) return undefined;
  const clamp = parseJson(members.get("clampedBy") ?? "null");
  if (typeof clamp !== "object" || clamp === null) return undefined;
  const { setting, layer, source } = clamp as Record<string, unknown>;
  const [requested, autonomy] = ["requested", "autonomy"].map((name) =>
    String(parseJson(members.get(name) ?? "null"))
  );
  return inert(`requested ${requested}, clamped to ${autonomy} by ${setting} (${layer}: ${source})`);
}

function exitOf(members: ReadonlyMap<string, string>, failure: McpxError | undefined): number {
  const code = Number(members.get("exitCode"));
  if (members.has("exitCode") && Number.isInteger(code)) return code;
  if (failure) return failure.exit;
  return members.get("outcome") === '"unmatched"' ? 1 : 0;
}

/** `mcpx config` names the files; what each gave is shown with `--sources`. */
function renderHint(cx: CommandContext, operation: ManifestOperation): string {
  const brief = operation.words.join(" ") === "config" && cx.invocation.values.get("sources") !== true;
  return brief ? operation.render.replace(/^(table:sources):.*$/, "$1:path,kind,notes") : operation.render;
}
