/** Files that mcpx keeps: the schema cache, artifacts, and the daemon's record. @module */
export { type ArtifactLimits, type ArtifactRef, ArtifactStore } from "./artifact_store.ts";
export { readTextIfPresent, setAside, writeFileAtomic } from "./atomic_file.ts";
export {
  type DaemonRecord,
  daemonRecordFolder,
  removeDaemonRecord,
  writeDaemonRecord,
} from "./daemon_record.ts";
export { HistoryStore, type HistoryStoreOptions } from "./history_store.ts";
export { openPrivateFile } from "./open_private_file.ts";
export { claimPrivateFolder, ensurePrivateFolder } from "./private_folder.ts";
export {
  QuestionStore,
  type QuestionStoreOptions,
  type TaskRecord,
  type TaskState,
} from "./question_store.ts";
export { readRegularFile, readRegularText, type RegularFile } from "./read_regular_file.ts";
export { type CachedListing, SchemaCache } from "./schema_cache.ts";
export { UsableFolder, type UsableFolderOptions } from "./usable_folder.ts";
