/** The era without a handshake: revision 2026-07-28. @module */
export { isModernError, MAY_WANT_INPUT, META, MODERN_VERSION } from "./envelope.ts";
export { headerValue, readHeaderValue } from "./header_value.ts";
export { NAMED_BY } from "./modern_codec.ts";
export { openModern } from "./open_modern.ts";
export { type ParamHeader, paramHeaderText, readParamHeaders } from "./param_headers.ts";
