/** Error codes and the one error type. @module */
export { ERROR_CODES, type ErrorCode, type ErrorCodeRow, isErrorCode } from "./codes.ts";
export { type ErrorBody, McpxError, type McpxErrorOptions } from "./mcpx_error.ts";
