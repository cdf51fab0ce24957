/** The revisions with an `initialize` handshake, newest first. */
export const LEGACY_VERSIONS: readonly string[] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

/** The revision that is asked for. */
export const NEWEST_LEGACY_VERSION = "2025-11-25";
