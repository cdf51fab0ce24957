import { McpxError } from "../errors/mod.ts";

/** Whether a call failed because its connection was lost, so that nobody knows whether it took effect. */
export function isLost(thrown: unknown): thrown is McpxError {
  return thrown instanceof McpxError &&
    (thrown.code === "outcome-unknown" || thrown.code === "upstream-exited");
}

/**
 * Says in a lost call's error that the outcome is unknown and that the call was not repeated.
 *
 * @param error the error, whose code, data and hint are kept
 * @returns the error itself where its code says so already
 */
export function outcomeUnknown(error: McpxError): McpxError {
  if (error.code === "outcome-unknown") return error;
  const { code, message, hint, data, diagnostics, cause } = error;
  return new McpxError(code, `${message} The call's outcome is unknown: it may have taken effect.`, {
    ...(hint === undefined ? { hint: "Look whether it took effect before calling again." } : { hint }),
    data: { ...data, outcome: "unknown" },
    ...(diagnostics ? { diagnostics } : {}),
    cause: cause ?? error,
  });
}
