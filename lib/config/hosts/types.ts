import type { Environment } from "../paths.ts";
import type { ServerAuth } from "../types.ts";

/** A server in mcpx's own form, as a file holds it: strings are unexpanded. */
export interface PortableServer {
  command?: string;
  args?: string[];
  env?: Record<string, string>;
  cwd?: string;
  url?: string;
  headers?: Record<string, string>;
  transport?: "http" | "sse" | "auto";
  auth?: ServerAuth;
  envPassthrough?: string[];
  disabled?: boolean;
  mcpx?: Record<string, unknown>;
}

/** One entry of another host's file. */
export interface HostServer {
  name: string;
  entry: PortableServer;
  /** Sentences: keys that have no counterpart. */
  notes: string[];
  /** Why the entry cannot be used here, where it cannot. */
  skipped?: string;
}

/** Where a host's files are looked for. */
export interface HostPlace {
  home: string;
  /** Absolute. */
  cwd: string;
  env: Environment;
  os: string;
}

/** A file that a host reads. */
export interface HostFile {
  path: string;
  scope: "project" | "user";
}

/** What is known about another program's way of writing MCP servers down. */
export interface HostFormat {
  /** The word after `--from` and `--to`. */
  id: string;
  /** The program's name. */
  title: string;
  /** When what is written here was last true. */
  checked: string;
  /** Its files, the one that wins first. */
  files(place: HostPlace): HostFile[];
  /**
   * Reads the text of one of its files.
   *
   * @throws {McpxError} `invalid-config` when the text cannot be parsed
   */
  parse(text: string, path: string, place: HostPlace): HostServer[];
  /**
   * Puts servers into the text of one of its files, in its own dialect; everything else in it stays, comments too.
   *
   * @param text the present text; nothing for a new file
   * @param servers by name; `undefined` takes one out
   * @throws {McpxError} `invalid-config` when the present text cannot be parsed, `unsupported` for what it cannot hold
   */
  render(text: string | undefined, servers: Readonly<Record<string, PortableServer | undefined>>): string;
}
