import type { CallerIdentity } from "../pool/types.ts";
import type { ResolvedSettings } from "../settings/mod.ts";

/** Something that a caller can be told while its request runs. */
export type CallerEvent =
  | { type: "progress"; message?: string; progress?: number; total?: number; server?: string }
  | { type: "log"; level: string; text: string; attributes?: unknown; server?: string }
  | { type: "emit"; value: unknown }
  | { type: "note"; text: string };

/** Through which door a request came. */
export type Surface = "cli" | "http" | "mcp" | "script";

/** Who invoked an operation, and what holds for that one request. */
export interface Caller {
  surface: Surface;
  identity: CallerIdentity;
  /** What `${VAR}` means in the configuration, for this caller. */
  env: Readonly<Record<string, string>>;
  settings: ResolvedSettings;
  /** Aborted when the caller goes away. */
  signal: AbortSignal;
  emit(event: CallerEvent): void;
}
