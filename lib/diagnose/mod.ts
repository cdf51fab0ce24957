/**
 * Failures explained from facts: what changed in a schema, when, and the smallest fix. Pure: text and values in and out.
 *
 * @module
 */
export { type AtWordPlace, atWords, type AtWordSite } from "./at_words.ts";
export { diagnoseScript, MOST_FINDINGS } from "./diagnose_script.ts";
export { blamesArguments, explainCall, type FailedAnswer, type FailedCall } from "./diagnose_call.ts";
export { type CatalogLock, checkLock, checkTool, lockShapes, parseLock, printLock } from "./drift.ts";
export {
  type ChangeFilter,
  changesIn,
  emptyHistory,
  type HistoryKey,
  listChanges,
  type Reading,
  recordListing,
} from "./history.ts";
export { type ParsedHistory, parseHistory, printHistory } from "./history_file.ts";
export { renderFinding, renderFindings } from "./render.ts";
export { scan, type ScanOptions } from "./scan.ts";
export type {
  CatalogHistory,
  ChangeKind,
  ChangeLookup,
  DiagnosedCatalog,
  DiagnosedNamespace,
  DiagnosedTool,
  Finding,
  FindingKind,
  RecordedChange,
  ScannedArgument,
  ScannedProperty,
  ScannedValue,
  ScanResult,
  ServerHistory,
  ShapeField,
  ToolCallSite,
  ToolChange,
  ToolHistory,
  ToolShape,
  Verdict,
} from "./types.ts";
