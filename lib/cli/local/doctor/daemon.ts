import { McpxError } from "../../../errors/mod.ts";
import { askApi, isRecord } from "../../ask_api.ts";
import type { CommandContext } from "../../context.ts";
import type { Check } from "./check.ts";
import { failed } from "./folders.ts";

type Ask = (method: "GET" | "POST", path: string, body?: unknown) => Promise<unknown>;

/**
 * Checks what only a daemon can tell: that one answers, that servers start, and that scripts run walled in.
 *
 * @param add shows findings as they come: starting servers takes time
 */
export async function checkDaemon(
  cx: CommandContext,
  signal: AbortSignal,
  add: (found: readonly Check[]) => Promise<void>,
): Promise<void> {
  const ask: Ask = (method, path, body) =>
    askApi(cx, { method, path, ...(body === undefined ? {} : { body }) }, { existingOnly: false, signal });
  try {
    const status = await ask("GET", "/v1/status");
    await add([{ name: "daemon", state: "ok", message: describe(status) }, ...await exposure(ask, status)]);
  } catch (error) {
    await add([failed("daemon", McpxError.from(error))]);
    return;
  }
  if (cx.invocation.values.get("servers") !== false) await add(await servers(ask));
  await add(await sandbox(ask));
}

function describe(status: unknown): string {
  if (!isRecord(status)) return "answers";
  const where = typeof status.url === "string" ? ` and ${status.url}` : "";
  return `version ${String(status.version)}, pid ${String(status.pid)}, on ${
    String(status.socket ?? "this process")
  }${where}`;
}

/** A listener that lets anybody on this machine in is worth a word. */
async function exposure(ask: Ask, status: unknown): Promise<Check[]> {
  if (!isRecord(status) || typeof status.url !== "string") return [];
  const auth = await ask("GET", "/v1/settings/http.auth");
  if (!isRecord(auth) || auth.value !== "none") return [];
  return [{
    name: "daemon",
    state: "warn",
    message: `${status.url} takes every program on this machine: http.auth is none (${String(auth.source)})`,
    hint: "Take http.auth out, and restart the daemon: mcpx stop",
  }];
}

async function servers(ask: Ask): Promise<Check[]> {
  await ask("POST", "/v1/refresh");
  const rows = rowsOf(await ask("GET", "/v1/servers?cached=true"), "servers");
  return rows.map((row): Check => {
    const name = `server ${String(row.server)}`;
    const error = isRecord(row.error) ? row.error : undefined;
    if (row.state === "disabled") return { name, state: "ok", message: "switched off" };
    if (error) {
      return {
        name,
        state: "fail",
        message: String(error.message),
        hint: typeof error.hint === "string" ? error.hint : `mcpx refresh ${String(row.namespace)}`,
      };
    }
    return { name, state: "ok", message: `${String(row.tools)} tools, MCP ${String(row.protocolVersion)}` };
  });
}

async function sandbox(ask: Ask): Promise<Check[]> {
  try {
    const run = await ask("POST", "/v1/exec", { code: "return 6 * 7" });
    if (isRecord(run) && run.result === 42) {
      const status = await ask("GET", "/v1/status");
      const isolation = isRecord(status) && isRecord(status.sandbox) ? status.sandbox.isolation : undefined;
      const how = isolation === "bwrap"
        ? "each script runs in a process of its own, inside bubblewrap"
        : "each script runs in a process of its own; what that leaves open stands in docs/security.md";
      return [{ name: "sandbox", state: "ok", message: how }];
    }
    const error = isRecord(run) && isRecord(run.error) ? McpxError.fromBody(run.error) : undefined;
    return [
      failed(
        "sandbox",
        error ?? new McpxError("sandbox-unavailable", "Cannot run a script: it gave no result."),
      ),
    ];
  } catch (error) {
    return [failed("sandbox", McpxError.from(error))];
  }
}

function rowsOf(answer: unknown, member: string): Record<string, unknown>[] {
  const list = isRecord(answer) ? answer[member] : undefined;
  return Array.isArray(list) ? list.filter(isRecord) : [];
}
