import { NAMED_BY, type ParamHeader, paramHeaderText, readHeaderValue } from "../../../lib/mcp/mod.ts";
import { isObject, isRawNumber } from "../../../lib/json/mod.ts";
import type { JsonObject } from "../../../lib/schema/mod.ts";
import { RPC, RpcError } from "../wire/rpc_error.ts";

/** A request as its headers are compared with it. */
export interface HeaderedRequest {
  method: string;
  params: JsonObject;
  version: string;
  headers: Headers;
}

/** Compares the headers that repeat a request with the request. @throws {RpcError} -32020 */
export function checkHeaders({ method, params, version, headers }: HeaderedRequest): void {
  const said = headers.get("mcp-protocol-version");
  if (said === null || readHeaderValue(said) !== version) {
    throw mismatch("MCP-Protocol-Version", said, version);
  }
  const named = headers.get("mcp-method");
  if (named === null || readHeaderValue(named) !== method) throw mismatch("Mcp-Method", named, method);
  const member = NAMED_BY[method];
  const name = member === undefined ? undefined : params[member];
  if (typeof name !== "string") return;
  const header = headers.get("mcp-name");
  if (header === null || readHeaderValue(header) !== name) throw mismatch("Mcp-Name", header, name);
}

/** Compares the headers that repeat arguments of a tool with the arguments. @throws {RpcError} -32020 */
export function checkParamHeaders(marked: readonly ParamHeader[], args: unknown, headers: Headers): void {
  for (const one of marked) {
    const name = `Mcp-Param-${one.header}`;
    const header = headers.get(name);
    const wanted = paramHeaderText(one, args);
    const text = header === null ? undefined : readHeaderValue(header);
    if (text === wanted) continue;
    if (text !== undefined && wanted !== undefined && isNumber(one, args) && sameInteger(text, wanted)) {
      continue;
    }
    throw mismatch(name, header, wanted ?? "(nothing)");
  }
}

/** Whether an argument is a number: a text that looks like one is compared as it is. */
function isNumber({ path }: ParamHeader, args: unknown): boolean {
  const value = path.reduce<unknown>((at, name) => isObject(at) ? at[name] : undefined, args);
  return typeof value === "number" || isRawNumber(value);
}

/** Integers are compared as numbers: 42 and 42.0 are one. */
function sameInteger(a: string, b: string): boolean {
  const [one, two] = [a, b].map((text) => /^([+-]?\d+)(?:\.0*)?$/.exec(text)?.[1]);
  return one !== undefined && two !== undefined && BigInt(one) === BigInt(two);
}

function mismatch(header: string, said: string | null, body: string): RpcError {
  return new RpcError(
    RPC.headerMismatch,
    said === null
      ? `Header mismatch: ${header} is missing.`
      : `Header mismatch: ${header} is not what the body says.`,
    { header, header_value: said, body_value: body },
  );
}
