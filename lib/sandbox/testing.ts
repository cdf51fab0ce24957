import { McpxError } from "../errors/mod.ts";
import type {
  ScriptGrants,
  ScriptLimits,
  ScriptLog,
  ScriptOutcome,
  ScriptPort,
  ScriptRequest,
} from "./types.ts";

/** Limits that no innocent script meets. */
export const LIMITS: ScriptLimits = {
  timeoutMs: 20_000,
  maxWaitMs: 60_000,
  cpuSeconds: 60,
  maxCalls: 100_000,
  maxConcurrentCalls: 64,
  maxOutputBytes: 8 * 1024 * 1024,
  maxResultBytes: 32 * 1024 * 1024,
  maxArtifactBytes: 64 * 1024 * 1024,
  maxScratchBytes: 64 * 1024 * 1024,
};

/** The profile `none`. */
export const NO_GRANTS: ScriptGrants = { read: [], net: [], env: {}, run: [] };

/** What a test changes about a request. */
export type RequestChange = Partial<Omit<ScriptRequest, "limits" | "source">> & {
  limits?: Partial<ScriptLimits>;
};

/** A request under the profile `none`, with two namespaces. */
export function scriptRequest(source: string, change: RequestChange = {}): ScriptRequest {
  return {
    source,
    filename: "script.ts",
    args: "{}",
    namespaces: [{ namespace: "demo", names: ["echo", "get-user", "get_user", "fail", "never"] }, {
      namespace: "files",
      names: ["then", "list"],
    }],
    grants: NO_GRANTS,
    ...change,
    limits: { ...LIMITS, ...change.limits },
  };
}

/** A port whose tools echo, fail, or never answer, and that remembers everything. */
export class RecordingPort implements ScriptPort {
  readonly logs: ScriptLog[] = [];
  readonly emitted: string[] = [];
  readonly artifacts: { name: string; bytes: Uint8Array; mimeType: string }[] = [];
  readonly calls: string[] = [];
  open = 0;
  mostOpen = 0;
  aborted = 0;
  isPaused = false;
  /** What `demo.echo` answers with, where it is not the arguments. */
  answer?: (name: string, json: string) => Promise<string>;

  async call(call: { name: string; arguments: string }, signal: AbortSignal): Promise<string> {
    this.calls.push(`${call.name} ${call.arguments}`);
    this.open++;
    this.mostOpen = Math.max(this.mostOpen, this.open);
    try {
      return await this.#answer(call.name, call.arguments, signal);
    } finally {
      this.open--;
    }
  }

  async #answer(name: string, json: string, signal: AbortSignal): Promise<string> {
    if (this.answer !== undefined) return await this.answer(name, json);
    if (name === "demo.never") return await this.#never(signal);
    if (name === "demo.fail") {
      throw new McpxError("tool-error", "No such user: 7.", {
        hint: "demo.get_user({ id: 8 })",
        data: { raw: { isError: true }, id: 7 },
        diagnostics: [{ rule: "x" }],
      });
    }
    if (!/^demo\.(echo|get-user|get_user)$|^files\.(then|list)$/.test(name)) {
      throw new McpxError("unknown-tool", `Cannot call ${name}: demo has echo and fail.`, {
        hint: "demo.echo",
      });
    }
    await Promise.resolve();
    return `{"value":${json},"raw":{"structuredContent":${json}}}`;
  }

  #never(signal: AbortSignal): Promise<string> {
    const { promise, reject } = Promise.withResolvers<string>();
    signal.addEventListener("abort", () => {
      this.aborted++;
      reject(signal.reason);
    }, { once: true });
    return promise;
  }

  search(query: string, limit: number): Promise<string> {
    return Promise.resolve(JSON.stringify([{ query, limit }]));
  }

  describe(name: string): Promise<string> {
    return Promise.resolve(JSON.stringify({ name }));
  }

  emit(json: string): void {
    this.emitted.push(json);
  }

  log(record: ScriptLog): void {
    this.logs.push(record);
  }

  artifact(name: string, bytes: Uint8Array, mimeType: string): Promise<string> {
    this.artifacts.push({ name, bytes, mimeType });
    return Promise.resolve(JSON.stringify({ id: `a${this.artifacts.length}`, name, bytes: bytes.length }));
  }

  paused(): boolean {
    return this.isPaused;
  }
}

/** Something that runs scripts: a `ScriptRunner`. */
interface Runs {
  run(request: ScriptRequest, port: ScriptPort, signal: AbortSignal): Promise<ScriptOutcome>;
}

/** Runs a source and gives the outcome together with the port. */
export async function runSource(
  runner: Runs,
  source: string,
  change: RequestChange = {},
): Promise<{ outcome: ScriptOutcome; port: RecordingPort }> {
  const port = new RecordingPort();
  const outcome = await runner.run(scriptRequest(source, change), port, new AbortController().signal);
  return { outcome, port };
}
