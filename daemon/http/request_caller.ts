import { McpxError } from "../../lib/errors/mod.ts";
import { parseJson } from "../../lib/json/mod.ts";
import type { CallerIdentity } from "../../lib/pool/mod.ts";

/** Who calls, as the `X-Mcpx-Caller` header says. */
export interface RequestCaller {
  identity: CallerIdentity;
  /** The caller's environment as far as the configuration names it; absent where none was sent. */
  env?: Record<string, string>;
  isCommandLine: boolean;
  /** Whether a person is there who can be asked while the request runs. */
  isAttended: boolean;
}

/**
 * Reads `X-Mcpx-Caller`.
 *
 * @throws {McpxError} `invalid-input` with the member's path
 */
export function readCaller(header: string | null): RequestCaller {
  if (header === null || header === "") return { identity: {}, isCommandLine: false, isAttended: false };
  const value = readHeaderObject("X-Mcpx-Caller", header);
  const identity: CallerIdentity = {};
  for (const name of ["cwd", "session", "parentSession"] as const) {
    const text = value[name];
    if (text === undefined) continue;
    if (typeof text !== "string") throw refuse(name, "a string");
    if (name === "cwd" && !text.startsWith("/")) throw refuse(name, "an absolute path");
    identity[name] = text;
  }
  const { pid, env } = value;
  if (pid !== undefined) {
    if (typeof pid !== "number" || !Number.isSafeInteger(pid) || pid < 1) throw refuse("pid", "a process id");
    identity.pid = pid;
  }
  return {
    identity,
    isCommandLine: typeof value.client === "string",
    isAttended: value.attended === true,
    ...(env === undefined ? {} : { env: readEnv(env) }),
  };
}

/** Reads `X-Mcpx-Settings`: dotted path to value. @throws {McpxError} `invalid-input` */
export function readRequestSettings(header: string | null): Record<string, unknown> | undefined {
  return header === null || header === "" ? undefined : readHeaderObject("X-Mcpx-Settings", header);
}

function readEnv(value: unknown): Record<string, string> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw refuse("env", "an object");
  const env: Record<string, string> = {};
  for (const [name, text] of Object.entries(value)) {
    if (typeof text !== "string") throw refuse(`env.${name}`, "a string");
    env[name] = text;
  }
  return env;
}

function readHeaderObject(name: string, header: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = parseJson(header);
  } catch (cause) {
    throw new McpxError("invalid-input", `Cannot read ${name}: it is not JSON.`, {
      cause,
      data: { field: name },
    });
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new McpxError("invalid-input", `Cannot read ${name}: it is not a JSON object.`, {
      data: { field: name },
    });
  }
  return value as Record<string, unknown>;
}

function refuse(field: string, wanted: string): McpxError {
  return new McpxError("invalid-input", `Cannot read X-Mcpx-Caller: \`${field}\` is not ${wanted}.`, {
    data: { field: `X-Mcpx-Caller.${field}` },
  });
}
