/** The era of the `initialize` handshake: revisions 2024-11-05 to 2025-11-25. @module */
export { openLegacy } from "./open_legacy.ts";
export { LEGACY_VERSIONS, NEWEST_LEGACY_VERSION } from "./versions.ts";
