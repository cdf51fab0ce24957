import { McpxError } from "../../errors/mod.ts";
import { readText } from "../api.ts";
import { buildRequest } from "../build_request.ts";
import { clientConfig } from "../client_config.ts";
import { prepareConnection } from "../connect.ts";
import { type CommandContext, globalText, writeAnswer } from "../context.ts";
import { Interrupt } from "../interrupt.ts";
import type { ManifestOperation } from "../manifest_types.ts";
import { openSocket } from "../open_socket.ts";
import { TextSource } from "../read_text.ts";
import { memberTexts } from "../render/json_text.ts";
import { accepts } from "../accepts.ts";
import { knownDaemons } from "./daemon_records.ts";

/** A daemon that was told to stop. */
export interface Stopped {
  pid: number;
  stopped: boolean;
  socket?: string;
  error?: string;
}

const POLL_MS = 20;
/** How long a daemon of any folder may take to stop. */
const STOP_MS = 20_000;

/** Stops this folder's daemon, or with `--all` every one of this user, and returns when they no longer listen. */
export async function stopDaemons(cx: CommandContext, operation: ManifestOperation): Promise<number> {
  using interrupt = new Interrupt(cx.io);
  const request = await buildRequest(operation, cx.invocation.values, new TextSource(cx.io));
  if (cx.invocation.values.get("all") === true) {
    return await stopEach(cx, request.body ?? "{}", interrupt.signal);
  }
  const connection = await prepareConnection(cx, { existingOnly: true });
  const reached = await connection.open(interrupt.signal);
  if (!reached) {
    await writeAnswer(cx, { running: false }, "No daemon is running for this configuration.\n");
    return 0;
  }
  const headers = { ...reached.headers, ...connection.headers };
  const response = await reached.api.request({ ...request, headers }, interrupt.signal);
  const text = await readText(response);
  await reached.api.close();
  const members = memberTexts(text);
  const failure = members.get("error");
  if (failure !== undefined) throw McpxError.fromBody(JSON.parse(failure));
  if (reached.by === "local") {
    await untilGone(connection.files.socket, connection.timeoutMs, interrupt.signal);
  }
  await writeAnswer(cx, JSON.parse(text), `Stopped the daemon (pid ${members.get("pid") ?? "unknown"}).\n`);
  return 0;
}

async function stopEach(cx: CommandContext, body: string, signal: AbortSignal): Promise<number> {
  const { paths } = clientConfig(cx.io, globalText(cx.invocation, "config"));
  const daemons = await stopAll(paths.state, body, signal);
  const lines = daemons.map((one) =>
    one.stopped
      ? `Stopped the daemon (pid ${one.pid}).\n`
      : `Could not stop the daemon (pid ${one.pid}): ${one.error}\n`
  );
  await writeAnswer(cx, { daemons }, lines.length === 0 ? "No daemon is running.\n" : lines.join(""));
  return daemons.every((one) => one.stopped) ? 0 : 1;
}

/** Stops every daemon that has a record in a state folder, and waits until none of them listens. */
export async function stopAll(state: string, body: string, signal: AbortSignal): Promise<Stopped[]> {
  const alive = (await knownDaemons(state)).filter((daemon) => daemon.alive);
  return await Promise.all(alive.map(async ({ pid, socket }): Promise<Stopped> => {
    try {
      const api = await openSocket(socket, { timeoutMs: STOP_MS, signal });
      const answer = await api.request({ method: "POST", path: "/v1/stop", headers: {}, body }, signal);
      await readText(answer);
      api.close();
      if (answer.status >= 400) return { pid, socket, stopped: false, error: `it answered ${answer.status}` };
      await untilGone(socket, STOP_MS, signal);
      return { pid, socket, stopped: true };
    } catch (error) {
      // One that was ending already breaks the connection off, and is gone.
      if (!await accepts(socket)) return { pid, socket, stopped: true };
      return { pid, socket, stopped: false, error: McpxError.from(error).message };
    }
  }));
}

/** Waits until nobody listens on the socket: a daemon that drains stops listening first. */
async function untilGone(socket: string, timeoutMs: number, signal: AbortSignal): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (await accepts(socket)) {
    if (signal.aborted) throw new McpxError("cancelled", "Interrupted while the daemon was stopping.");
    if (Date.now() > deadline) {
      throw new McpxError("daemon-unreachable", `Cannot stop the daemon: it still listens on ${socket}.`, {
        hint: "mcpx daemons",
      });
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
