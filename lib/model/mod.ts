/**
 * Models behind one interface: nobody, the caller's own MCP host, or an HTTP endpoint of two protocols.
 *
 * @module
 */
export { modelProvider, type ProviderOptions } from "./provider.ts";
export type { SamplingPort } from "./sampling.ts";
export type { GenerateRequest, Provider } from "./types.ts";
