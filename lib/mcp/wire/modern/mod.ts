/** The era without a handshake: revision 2026-07-28. @module */
export { isModernError, MODERN_VERSION } from "./envelope.ts";
export { openModern } from "./open_modern.ts";
