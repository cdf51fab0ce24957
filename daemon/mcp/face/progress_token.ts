import { isObject, isRawNumber } from "../../../lib/json/mod.ts";
import type { JsonObject } from "../../../lib/schema/mod.ts";

/** The token by which a request asks for progress, as it came: a string or an integer; anything else asks for nothing. */
export function progressTokenOf({ _meta }: JsonObject): unknown {
  const token = isObject(_meta) ? _meta.progressToken : undefined;
  if (typeof token === "string" || Number.isInteger(token)) return token;
  return isRawNumber(token) && /^-?\d+$/.test(token.rawJSON) ? token : undefined;
}
