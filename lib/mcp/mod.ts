/**
 * mcpx as a client of MCP servers: connections over stdio, Streamable HTTP and HTTP+SSE, in both eras.
 *
 * @module
 */
export { connectUpstream } from "./connect.ts";
export type {
  ConnectError,
  ConnectionEnd,
  ConnectOptions,
  ConnectUpstream,
  Era,
  RequestOptions,
  ServerRequestHandler,
  UpstreamConnection,
  UpstreamTarget,
} from "./types.ts";
export { LEGACY_VERSIONS, NEWEST_LEGACY_VERSION } from "./wire/legacy/mod.ts";
export {
  headerValue,
  isModernError,
  MAY_WANT_INPUT,
  META,
  MODERN_VERSION,
  NAMED_BY,
  type ParamHeader,
  paramHeaderText,
  readHeaderValue,
  readParamHeaders,
} from "./wire/modern/mod.ts";
