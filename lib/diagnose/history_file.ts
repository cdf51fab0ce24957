import type { CatalogHistory, ServerHistory, ToolHistory } from "./types.ts";

/** A history file read, or why it cannot be used. */
export type ParsedHistory =
  | { ok: true; history: CatalogHistory }
  | {
    ok: false;
    /** `torn`: no JSON; `foreign`: JSON of something else; `version`: written by another version. */
    reason: "torn" | "foreign" | "version";
    /** What is wrong with it, as a sentence. */
    message: string;
  };

/**
 * Reads the text of a history file.
 *
 * @param text the file's text
 * @returns the history, or why the file has to be set aside; nothing is thrown
 *
 * @example
 * ```ts
 * import { parseHistory } from "./history_file.ts";
 * const read = parseHistory('{"version":1,"ser');
 * console.assert(!read.ok && read.reason === "torn");
 * ```
 */
export function parseHistory(text: string): ParsedHistory {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    return { ok: false, reason: "torn", message: `The history file is no complete JSON: ${detail}.` };
  }
  if (!isRecord(value) || !("version" in value) || !("servers" in value)) {
    return { ok: false, reason: "foreign", message: "The history file holds something else than a history." };
  }
  if (value.version !== 1) {
    const version = JSON.stringify(value.version) ?? "none";
    return {
      ok: false,
      reason: "version",
      message: `The history file has version ${version}, and 1 is known.`,
    };
  }
  if (!Array.isArray(value.servers) || !value.servers.every(isServer)) {
    return { ok: false, reason: "foreign", message: "The history file has entries that are no history." };
  }
  return { ok: true, history: { version: 1, servers: value.servers } };
}

/** The text of a history file. */
export function printHistory(history: CatalogHistory): string {
  return `${JSON.stringify(history)}\n`;
}

function isServer(value: unknown): value is ServerHistory {
  return isRecord(value) && hasTexts(value, ["set", "server", "definition", "firstSeen", "lastSeen"]) &&
    Array.isArray(value.definitionChanges) && value.definitionChanges.every(isChange) &&
    isRecord(value.tools) && Object.values(value.tools).every(isTool);
}

function isTool(value: unknown): value is ToolHistory {
  return isRecord(value) && Array.isArray(value.changes) && value.changes.every(isChange) &&
    (value.shape === undefined || isShape(value.shape));
}

/** Whether the value is a tool's shape, as a history or a lock file holds it. */
export function isShape(value: unknown): boolean {
  return isRecord(value) && hasTexts(value, ["description", "textDigest"]) && isRecord(value.hints) &&
    isRecord(value.fields) &&
    Object.values(value.fields).every((field) =>
      isRecord(field) && typeof field.type === "string" && typeof field.required === "boolean"
    );
}

function isChange(value: unknown): boolean {
  return isRecord(value) && hasTexts(value, ["when", "kind", "what", "verdict"]);
}

/** Whether the value is a JSON object. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function hasTexts(value: Record<string, unknown>, keys: string[]): boolean {
  return keys.every((key) => typeof value[key] === "string");
}
