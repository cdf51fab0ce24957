import { McpxError } from "../errors/mod.ts";
import { type Answer, passThrough, readAnswer, showAnswer, showEmitted, showLog } from "./answer.ts";
import type { Api, ApiResponse } from "./api.ts";
import { buildRequest } from "./build_request.ts";
import { type Connection, prepareConnection } from "./connect.ts";
import { type CommandContext, writeAnswer, writeNote } from "./context.ts";
import { Interrupt } from "./interrupt.ts";
import type { Reached } from "./ladder.ts";
import type { ManifestOperation } from "./manifest_types.ts";
import type { FlagValue } from "./parse.ts";
import type { Attendant } from "./questions/attend.ts";
import { TextSource } from "./read_text.ts";
import { memberTexts } from "./render/json_text.ts";
import { ProgressLine } from "./render/progress_line.ts";
import { readEvents } from "./sse.ts";

/**
 * Runs an operation behind the daemon's door and shows its answer.
 *
 * @returns the exit status
 * @throws {McpxError} for what stops it before there is an answer
 */
export async function runOperation(cx: CommandContext, operation: ManifestOperation): Promise<number> {
  const request = await buildRequest(operation, withPreview(cx, operation), new TextSource(cx.io));
  const existingOnly = operation.daemon === "existing";
  const connection = await prepareConnection(cx, { existingOnly });
  using interrupt = new Interrupt(cx.io);
  await using progress = new ProgressLine(cx.err, {
    first: `mcpx ${operation.words.join(" ")}…`,
    width: cx.io.columns(),
    enabled: cx.io.isTerminal.stderr && !cx.quiet,
  });
  const reached = await connection.open(interrupt.signal);
  if (!reached) return await noDaemon(cx);
  try {
    // Events cost a little; a script that wants one JSON document has no eye for progress.
    const follow = operation.streams &&
      (!cx.json || cx.io.isTerminal.stderr || operation.render === "stream");
    if (connection.attended && namesOnlyAQuestion(cx, operation)) {
      const { promptedAnswer } = await import(
        "./questions/prompted_answer.ts" as string
      ) as typeof import("./questions/prompted_answer.ts");
      request.body = await promptedAnswer(String(cx.invocation.values.get("id")), {
        api: reached.api,
        headers: { ...reached.headers, ...connection.headers },
        signal: interrupt.signal,
      });
    }
    const response = await reached.api.request({
      ...request,
      headers: {
        ...reached.headers,
        ...connection.headers,
        accept: follow ? "text/event-stream, application/json" : "application/json",
      },
    }, interrupt.signal);
    if (/^text\/event-stream/.test(response.headers.get("content-type") ?? "")) {
      const attend = async (): Promise<Attendant> => {
        const { Attendant } = await import(
          "./questions/attend.ts" as string
        ) as typeof import("./questions/attend.ts");
        return new Attendant({
          say: (text) => void cx.err.line(text),
          headers: { ...reached.headers, ...connection.headers },
          signal: interrupt.signal,
          onBreak: () => interrupt.now(),
          openApi: (signal) => answeringApi(connection, reached, signal),
        });
      };
      return await showAnswer(
        cx,
        operation,
        await followEvents(cx, response, { operation, progress, attend }),
      );
    }
    const whole = cx.json && response.status === 200 && operation.render === "result" &&
      !cx.io.isTerminal.stdout;
    if (whole) return await passThrough(cx, response);
    const answer = await readAnswer(response);
    await progress.finish();
    return await showAnswer(cx, operation, answer);
  } catch (error) {
    throw operation.effect === "read" ? error : outcomeUnknown(error);
  } finally {
    await reached.api.close();
  }
}

/** A daemon that is lost once it has the request may have done what was asked. */
function outcomeUnknown(error: unknown): unknown {
  if (!(error instanceof McpxError) || error.code !== "daemon-unreachable" || error.data?.sent === false) {
    return error;
  }
  return new McpxError(error.code, `${error.message} The outcome is unknown: it may have taken effect.`, {
    hint: "Look whether it took effect before running it again.",
    cause: error,
    data: error.data,
  });
}

/** A person at a terminal gets the beginning of what is too long to read, and a file with the whole. */
function withPreview(cx: CommandContext, operation: ManifestOperation): ReadonlyMap<string, FlagValue> {
  const { values } = cx.invocation;
  const offered = operation.inputs.some((input) => input.name === "preview" && input.hidden);
  return offered && cx.io.isTerminal.stdout && !cx.json ? new Map(values).set("preview", true) : values;
}

async function noDaemon(cx: CommandContext): Promise<number> {
  await writeAnswer(cx, { running: false }, "No daemon is running for this configuration.\n");
  return 0;
}

/** Shows events as they come; gives the answer that ends them. */
async function followEvents(
  cx: CommandContext,
  response: ApiResponse,
  { operation, progress, attend }: {
    operation: ManifestOperation;
    progress: ProgressLine;
    attend(): Promise<Attendant>;
  },
): Promise<Answer> {
  let attendant: Attendant | undefined;
  for await (const { event, data } of readEvents(response.body)) {
    if (event === "done") {
      await progress.finish();
      await attendant?.[Symbol.asyncDispose]();
      const members = memberTexts(data);
      return {
        status: Number(members.get("status") ?? 200),
        text: members.get("body") ?? "{}",
        followed: true,
      };
    }
    if (event === "progress") {
      progress.update(progressText(data));
      continue;
    }
    await progress.hide();
    if (event === "question") {
      await progress.finish(); // it would be written over the prompt
      attendant ??= await attend();
      attendant.asked(JSON.parse(data).question);
    } else if (event === "question-settled") attendant?.settled(JSON.parse(data).id);
    else if (operation.render === "stream") await showStreamed(cx, memberTexts(data).get("value") ?? "null");
    else if (event === "log") await showLog(cx, data);
    else if (event === "note") await writeNote(cx, String(JSON.parse(memberTexts(data).get("text") ?? '""')));
    else if (event === "emit" && !cx.json) await showEmitted(cx, memberTexts(data).get("value") ?? "null");
  }
  throw new McpxError(
    "daemon-unreachable",
    "Cannot finish the request: the daemon ended the stream without an answer.",
    {
      hint: "mcpx daemons",
    },
  );
}

/** `mcpx elicit answer <id>`, and no answer. */
function namesOnlyAQuestion({ invocation }: CommandContext, { id }: ManifestOperation): boolean {
  const { values } = invocation;
  return id === "elicit.answer" && !["content", "args", "action"].some((name) => values.has(name));
}

/** Answers go out beside the request that they are for: on a connection of their own, or by the API in this process. */
async function answeringApi(connection: Connection, reached: Reached, signal: AbortSignal): Promise<Api> {
  if (reached.by === "inline") {
    return {
      request: reached.api.request.bind(reached.api),
      close: () => undefined,
    };
  }
  const own = await connection.open(signal);
  if (own) return own.api;
  throw new McpxError("daemon-unreachable", "Cannot hand in the answer: the daemon is gone.");
}

/** One value of a stream: a line of JSON, or as a person reads it. */
async function showStreamed(cx: CommandContext, text: string): Promise<void> {
  if (cx.json) return await cx.out.line(text);
  const { renderListed } = await import(
    "./render/render_question.ts" as string
  ) as typeof import("./render/render_question.ts");
  await cx.out.write(renderListed(JSON.parse(text), cx.paintOut));
}

function progressText(data: string): string {
  const value: unknown = JSON.parse(data);
  if (typeof value !== "object" || value === null) return "";
  const { message, progress, total, server } = value as Record<string, unknown>;
  const amount = typeof progress !== "number"
    ? ""
    : typeof total === "number"
    ? `${progress}/${total}`
    : `${progress}`;
  const who = typeof server === "string" ? `${server}:` : "";
  return [who, message, amount].filter((part) => typeof part === "string" && part !== "").join(" ");
}
