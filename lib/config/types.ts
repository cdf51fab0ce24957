import type { McpxError } from "../errors/mod.ts";

/** Who may share an instance, and how it is keyed. */
export type Sharing = "shared" | "exclusive";
/** What an instance is keyed by. */
export type Scope = "global" | "repo" | "worktree" | "cwd" | "session" | "parent-session" | "pid" | "call";
/** Which era is spoken to a server. */
export type ProtocolChoice = "auto" | "legacy" | "modern";

/** How the process or the endpoint of a server is reached; strings are still unexpanded. */
export type ServerTarget =
  | { kind: "stdio"; command: string; args: string[]; env: Record<string, string>; cwd?: string }
  | {
    kind: "http";
    url: string;
    headers: Record<string, string>;
    transport: "http" | "sse" | "auto";
  };

/** Credentials for a remote server; strings are still unexpanded. */
export type ServerAuth =
  | { type: "bearer"; token: string }
  | { type: "basic"; username: string; password: string }
  | { type: "header"; name: string; value: string }
  | { type: "query"; name: string; value: string }
  | { type: "oauth"; clientId?: string; clientSecret?: string; scope?: string };

/** One server of the merged configuration. */
export interface ServerDefinition {
  /** Its key in `mcpServers`. */
  name: string;
  /** The namespace its tools are called under: a legal identifier, unique in the configuration. */
  namespace: string;
  /** How it is reached. */
  target: ServerTarget;
  /** Its credentials, where it has any. */
  auth?: ServerAuth;
  /** Names of variables of the caller's environment that the child also sees. */
  envPassthrough: string[];
  /** Whether it is switched off. */
  disabled: boolean;
  /** The server whose process this one shares; its own filters and namespace still apply. */
  aliasOf?: string;
  /** What a person says it is for. */
  description?: string;
  /** Whether many callers share an instance. */
  sharing: Sharing;
  /** What an instance is keyed by. */
  scope: Scope;
  /** Unset members take the `pool.*` settings. Times are milliseconds. */
  limits: { min?: number; max?: number; idleTimeout?: number; callTimeout?: number; startTimeout?: number };
  /** Which of its tools are seen. */
  filter: ToolFilter;
  /** The groups that it belongs to. */
  groups: string[];
  /** Whether it is seen by callers that name no group. */
  default: boolean;
  /** Which era is spoken to it. */
  protocol: ProtocolChoice;
  /** Whether pass-through names carry the namespace in front. */
  prefix: "namespace" | "none";
  /** The file that this entry came from, and its folder: relative paths start there. */
  source: { file: string; folder: string; trusted: boolean };
  /** For an alias: where its target was written, whose relative paths and trust hold for the target's strings. */
  targetSource?: { file: string; folder: string; trusted: boolean };
  /** Names of the environment variables that the entry's strings mention. */
  variables: string[];
  /** Why the entry cannot be used, where it cannot; the other servers work. */
  error?: McpxError;
}

/** Exact names, globs (`delete_*`) or `/regexp/`. */
export interface ToolFilter {
  /** When present, only what every one of these lists has is visible. */
  include?: string[][];
  /** These are hidden. */
  exclude: string[];
}

/** One file of the configuration set, nearest first. */
export interface ConfigSource {
  /** The file. */
  path: string;
  /** Whose it is. */
  kind: "project" | "user" | "system" | "explicit";
  /** What the file gave, such as `servers: demo, memory` and `settings: exec.timeout`. */
  servers: string[];
  /** Paths of the settings that it gives. */
  settings: string[];
  /** What was left out of it and why, in sentences. */
  notes: string[];
}

/** The merged configuration. */
export interface Configuration {
  /** Nearest file first. */
  servers: ServerDefinition[];
  /** Values of settings from files, farthest layer first, unparsed as written. */
  settings: {
    path: string;
    file: string;
    kind: ConfigSource["kind"];
    /** Whether the user has agreed to what the file says. */
    trusted: boolean;
    value: unknown;
  }[];
  /** The files, nearest first. */
  sources: ConfigSource[];
  /** Sentences about what was left out, and why. */
  notes: string[];
}
