import { ERROR_CODES, type ErrorCode, isErrorCode } from "./codes.ts";

/** What may accompany an error beside its code and message. */
export interface McpxErrorOptions {
  /** What to do next, with a command that can be pasted where there is one. */
  hint?: string;
  /** Facts for a program: JSON values only. */
  data?: Record<string, unknown>;
  /** Findings that explain a failed call, as data. */
  diagnostics?: readonly unknown[];
  /** What was thrown underneath. */
  cause?: unknown;
}

/** An error as every surface carries it: the value of `error` in a `/v1` answer. */
export interface ErrorBody {
  /** The stable code. */
  code: ErrorCode;
  /** What happened, to what, in one sentence. */
  message: string;
  /** What to do next. */
  hint?: string;
  /** Facts for programs. */
  data?: Record<string, unknown>;
}

/**
 * The one error type: a stable code, a sentence that says what happened to what, and a hint.
 *
 * @example
 * ```ts
 * import { McpxError } from "./mcpx_error.ts";
 * const error = new McpxError("unknown-server", "Cannot call demo.echo: no server is called demo.", {
 *   hint: "mcpx ls",
 * });
 * console.assert(error.toBody().code === "unknown-server");
 * ```
 */
export class McpxError extends Error {
  /** The class's name. */
  override readonly name = "McpxError";
  /** The stable code, a row of `ERROR_CODES`. */
  readonly code: ErrorCode;
  /** What to do next: a command where there is one. */
  readonly hint?: string;
  /** Facts for programs. */
  readonly data?: Record<string, unknown>;
  /** Findings that explain a failed call. */
  readonly diagnostics?: readonly unknown[];

  /**
   * Makes an error.
   *
   * @param code a row of `ERROR_CODES`
   * @param message what happened, to what, in one sentence
   * @param options hint, data, findings and cause
   */
  constructor(code: ErrorCode, message: string, options: McpxErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    if (options.hint !== undefined) this.hint = options.hint;
    if (options.data !== undefined) this.data = options.data;
    if (options.diagnostics?.length) this.diagnostics = options.diagnostics;
  }

  /** The error as JSON, without stack or cause. */
  toBody(): ErrorBody {
    return {
      code: this.code,
      message: this.message,
      ...(this.hint === undefined ? {} : { hint: this.hint }),
      ...(this.data === undefined ? {} : { data: this.data }),
    };
  }

  /** The exit status that the command line gives this error. */
  get exit(): number {
    return ERROR_CODES[this.code].exit;
  }

  /** Turns anything thrown into an {@link McpxError}; what is one already comes back as it is. */
  static from(thrown: unknown): McpxError {
    if (thrown instanceof McpxError) return thrown;
    if (thrown instanceof DOMException && thrown.name === "AbortError") {
      return new McpxError("cancelled", "Cancelled by the caller.", { cause: thrown });
    }
    const text = thrown instanceof Error ? thrown.message : String(thrown);
    if (thrown instanceof RangeError && /call stack/.test(text)) {
      return new McpxError("too-large", "Cannot carry a value: it is nested too deeply.", { cause: thrown });
    }
    return new McpxError("internal", `Unexpected failure: ${text}`, {
      cause: thrown,
      hint: "Run again with --debug to see where it happened.",
    });
  }

  /** Rebuilds an error that travelled as JSON, from a daemon of this or another version. */
  static fromBody(
    body: { code?: unknown; message?: unknown; hint?: unknown; data?: unknown },
    diagnostics?: readonly unknown[],
  ): McpxError {
    return new McpxError(
      isErrorCode(body.code) ? body.code : "internal",
      String(body.message ?? "Unknown failure."),
      {
        ...(typeof body.hint === "string" ? { hint: body.hint } : {}),
        ...(typeof body.data === "object" && body.data !== null
          ? { data: body.data as Record<string, unknown> }
          : {}),
        ...(diagnostics ? { diagnostics } : {}),
      },
    );
  }
}
