import { McpxError } from "../errors/mod.ts";
import type { PooledServer, ServerFailure } from "./types.ts";

/** How many definitions of one server have their failures remembered; the oldest goes first. */
const REMEMBERED = 32;

interface Failure {
  server: PooledServer;
  error: McpxError;
  at: number;
  attempts: number;
  retryAt: number;
}

/** The failed starts of one server, per definition: a changed definition may start at once. */
export class StartFailures {
  readonly #server: string;
  readonly #backoff: { baseMs: number; maxMs: number };
  readonly #byDefinition = new Map<string, Failure>();

  /**
   * @param server the server's name, for messages
   * @param backoff the wait after the first failure, and the longest
   */
  constructor(server: string, backoff: { baseMs: number; maxMs: number }) {
    this.#server = server;
    this.#backoff = backoff;
  }

  /** Notes a failed start; each doubles the wait for the next. */
  record(server: PooledServer, error: McpxError, now: number): ServerFailure {
    const { definition } = server;
    const attempts = (this.#byDefinition.get(definition)?.attempts ?? 0) + 1;
    const { baseMs, maxMs } = this.#backoff;
    const retryAt = now + Math.min(maxMs, baseMs * 2 ** (attempts - 1));
    const failure = { server, error, at: now, attempts, retryAt };
    this.#byDefinition.delete(definition);
    this.#byDefinition.set(definition, failure);
    if (this.#byDefinition.size > REMEMBERED) {
      for (const oldest of this.#byDefinition.keys()) {
        this.#byDefinition.delete(oldest);
        break;
      }
    }
    return describe(failure);
  }

  /** When the definition may be started again; 0 where nothing stands against it. */
  retryAt(definition: string): number {
    return this.#byDefinition.get(definition)?.retryAt ?? 0;
  }

  /** Why the definition may not be started now, with the reason of its last failure; undefined if it may. */
  refusal(definition: string, now: number): McpxError | undefined {
    const failure = this.#byDefinition.get(definition);
    if (!failure || now >= failure.retryAt) return undefined;
    const { error, attempts } = failure;
    const times = attempts === 1 ? "once" : `${attempts} times`;
    const wait = `${Math.ceil((failure.retryAt - now) / 100) / 10} s`;
    const retry = `mcpx restart ${this.#server} clears the wait.`;
    return new McpxError(
      "upstream-backoff",
      `Cannot start ${this.#server}: it failed ${times} and is not started again for ${wait}. ` +
        `Last failure: ${error.message}`,
      {
        hint: error.hint === undefined ? retry : `${error.hint} Then ${retry}`,
        data: { ...describe(failure) },
        cause: error,
      },
    );
  }

  /** Forgets the failures of one definition, or of all. */
  clear(definition?: string): void {
    if (definition === undefined) this.#byDefinition.clear();
    else this.#byDefinition.delete(definition);
  }

  /** Forgets the failures of definitions that are no longer configured. */
  prune(isCurrent: (server: PooledServer) => boolean): void {
    for (const [definition, { server }] of this.#byDefinition) {
      if (!isCurrent(server)) this.#byDefinition.delete(definition);
    }
  }

  /** The last failure that no successful start of the same definition followed. */
  latest(): ServerFailure | undefined {
    const last = [...this.#byDefinition.values()].at(-1);
    return last && describe(last);
  }
}

function describe(failure: Failure): ServerFailure {
  const stderrTail = failure.error.data?.stderrTail;
  return {
    code: failure.error.code,
    message: failure.error.message,
    at: new Date(failure.at).toISOString(),
    attempts: failure.attempts,
    retryAt: new Date(failure.retryAt).toISOString(),
    ...(typeof stderrTail === "string" ? { stderrTail } : {}),
  };
}
