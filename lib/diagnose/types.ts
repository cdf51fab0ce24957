import type { JsonSchema } from "../schema/types.ts";

/** A value in an argument object, as far as the source alone tells. */
export type ScannedValue =
  | { kind: "literal"; value: string | number | boolean | null }
  | { kind: "array" }
  | { kind: "object" }
  | { kind: "unknown" };

/** One property of an argument object. */
export interface ScannedProperty {
  /** The property's name. */
  key: string;
  /** What is written for it. */
  value: ScannedValue;
  /** Offsets of the whole property in the source, `key: value`. */
  start: number;
  /** Where it ends, exclusive: an offset in UTF-16 units. */
  end: number;
}

/** The top of a call's argument. */
export type ScannedArgument =
  | { kind: "none" }
  | {
    kind: "object";
    properties: ScannedProperty[];
    /** A spread or a computed key is there: it may supply anything. */
    open: boolean;
  }
  /** Several arguments, or one that is not an object literal. */
  | { kind: "other" };

/** One tool call in source. */
export interface ToolCallSite {
  /** The namespace that is called. */
  namespace: string;
  /** The function that is called. */
  fn: string;
  /** Written `tools.<namespace>.<fn>(…)`. */
  viaTools: boolean;
  /** Offset of the callee's first character. */
  start: number;
  /** Offset of the opening parenthesis, and the one after the closing parenthesis. */
  open: number;
  /** Where the call ends, exclusive: an offset in UTF-16 units. */
  end: number;
  /** Offset where the callee's text ends. */
  calleeEnd: number;
  /** Line and column of the callee, both from 1; columns count UTF-16 units. */
  line: number;
  /** From 1. */
  column: number;
  /** Offset of an `await` right before the call. */
  awaitStart?: number;
  /** What is written as the argument. */
  argument: ScannedArgument;
  /** The name is bound in the source itself: this is nobody's tool. */
  shadowed: boolean;
}

/** What a scan gave. */
export interface ScanResult {
  /** In the order of the source; shadowed ones included and marked. */
  calls: ToolCallSite[];
  /** Every bracket found its partner; where not, shadowing is by file. */
  balanced: boolean;
}

/** A tool as the diagnostics see it. */
export interface DiagnosedTool {
  /** The name that the server gave it. */
  wire: string;
  /** Its identifier inside the namespace. */
  fn: string;
  /** Its schema, where the server gave one. */
  inputSchema?: JsonSchema;
}

/** A namespace as the diagnostics see it. */
export interface DiagnosedNamespace {
  /** The server's name in the configuration. */
  server: string;
  /** By identifier and by wire name. */
  tools: ReadonlyMap<string, DiagnosedTool>;
  /** Its tools have never been read: nothing is known about them. */
  unread?: boolean;
}

/** The part of the catalog that the diagnostics need. */
export interface DiagnosedCatalog {
  /** By namespace. */
  namespaces: ReadonlyMap<string, DiagnosedNamespace>;
}

/** What is recorded about a tool, oldest first. */
export type ChangeLookup = (server: string, wireName: string) => readonly ToolChange[];

/** One top-level property of a tool's input, flattened. */
export interface ShapeField {
  /** Its type in one line, as the schema's flattening writes it. */
  type: string;
  /** Whether it has to be given. */
  required: boolean;
  /** The first 1,000 characters. */
  description?: string;
}

/** A tool's input and hints, flattened for comparison. */
export interface ToolShape {
  /** Its arguments by name. */
  fields: Record<string, ShapeField>;
  /** The behaviour hints that the server gave. */
  hints: Record<string, boolean>;
  /** The first 4,000 characters. */
  description: string;
  /** Tells long descriptions apart beyond what is kept of them. */
  textDigest: string;
  /** Arguments that are not declared are refused. */
  closed?: boolean;
}

/** What a change of a tool, or of its server, can be. */
export type ChangeKind =
  | "tool-added"
  | "tool-removed"
  | "argument-added"
  | "argument-removed"
  | "argument-required"
  | "argument-optional"
  | "argument-retyped"
  | "description-changed"
  | "hint-changed"
  | "definition-changed";

/** Whether a caller of yesterday still works today. */
export type Verdict = "compatible" | "breaking";

/** One recorded change. */
export interface ToolChange {
  /** ISO time in UTC. */
  when: string;
  /** What kind of change it is. */
  kind: ChangeKind;
  /** The argument or the hint concerned. */
  field?: string;
  /** A sentence without a full stop: "`message` became required". */
  what: string;
  /** Whether what worked before still works. */
  verdict: Verdict;
  /** Why a person should read it: "the description gained a URL: …". */
  flags?: string[];
  /** Text before and after, shortened, where text is what changed. */
  before?: string;
  /** What it is now. */
  after?: string;
}

/** One tool's history. */
export interface ToolHistory {
  /** Absent once the tool is gone. */
  shape?: ToolShape;
  /** Oldest first. */
  changes: ToolChange[];
}

/** One server's history under one configuration set. */
export interface ServerHistory {
  /** Key of the configuration set. */
  set: string;
  /** The server's name in the configuration. */
  server: string;
  /** What the server is, as last seen: version and command in one digest or sentence. */
  definition: string;
  /** ISO 8601, UTC. */
  firstSeen: string;
  /** ISO 8601, UTC. */
  lastSeen: string;
  /** Changes of the definition, oldest first. */
  definitionChanges: ToolChange[];
  /** By wire name. */
  tools: Record<string, ToolHistory>;
}

/** Everything that is kept about changes of schemas. */
export interface CatalogHistory {
  /** The format's version. */
  version: 1;
  /** One for each server and definition. */
  servers: ServerHistory[];
}

/** A change with where it belongs. */
export interface RecordedChange extends ToolChange {
  /** The server's name in the configuration. */
  server: string;
  /** The tool's wire name; absent where the server as a whole changed. */
  tool?: string;
}

/** What a finding can be. */
export type FindingKind =
  | "missing-argument"
  | "unknown-argument"
  | "unknown-tool"
  | "argument-type"
  | "unknown-namespace"
  | "invalid-params";

/** One specific, actionable finding about a call. */
export interface Finding {
  /** What is wrong. */
  kind: FindingKind;
  /** `namespace.fn`, as it was called. */
  tool: string;
  /** The argument concerned; the first one where there are several. */
  field?: string;
  /** What is wrong, without the tool's name in front. */
  message: string;
  /** The recorded change that explains it. */
  changed?: { when: string; kind: ChangeKind; what: string };
  /** Source that can be pasted: the smallest call that fits. */
  fix?: string;
  /** The nearest name that exists. */
  suggestion?: string;
  /** The call fails for certain. */
  fatal: boolean;
  /** Where a script is concerned, from 1. */
  line?: number;
  /** From 1. */
  column?: number;
  /** The call as it was written, in one line. */
  wrote?: string;
  /** Offsets in the source of what the fix stands in for. */
  span?: { start: number; end: number };
}
