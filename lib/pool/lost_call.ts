import { McpxError } from "../errors/mod.ts";

/** Whether a call failed because its connection was lost, so that nobody knows whether it took effect. */
export function isLost(thrown: unknown): thrown is McpxError {
  return thrown instanceof McpxError &&
    (thrown.code === "outcome-unknown" || thrown.code === "upstream-exited");
}

/**
 * Makes sure that a lost call's error says that its outcome is unknown.
 *
 * @param error the error, whose code, data and hint are kept
 * @returns the error itself where its code says so, or its `data.sent` tells what is known
 */
export function outcomeUnknown(error: McpxError): McpxError {
  if (error.code === "outcome-unknown" || typeof error.data?.sent === "boolean") return error;
  const { code, message, hint, data, diagnostics, cause } = error;
  return new McpxError(code, `${message} The call's outcome is unknown: it may have taken effect.`, {
    ...(hint === undefined ? { hint: "Look whether it took effect before calling again." } : { hint }),
    data: { ...data, sent: true },
    ...(diagnostics ? { diagnostics } : {}),
    cause: cause ?? error,
  });
}
