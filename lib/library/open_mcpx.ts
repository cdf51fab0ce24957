/** What mcpx is opened with. */
export interface McpxOptions {
  /** Where the search for configuration starts; absolute. Default: the working directory. */
  cwd?: string;
  /** A configuration file that replaces the search. */
  configFile?: string;
  /** The environment that `${NAME}` in the configuration means. Default: this process's. */
  env?: Readonly<Record<string, string>>;
  /** Settings by dotted path, as flags would give them. */
  settings?: Readonly<Record<string, unknown>>;
}

/** What one request can be given. */
export interface InvokeOptions {
  /** Cancels it, upstream too. */
  signal?: AbortSignal;
  /** Call-scoped settings by dotted path, for this request alone. */
  settings?: Readonly<Record<string, unknown>>;
}

/** mcpx inside this program: every operation, on servers that live as long as it. */
export interface Mcpx extends AsyncDisposable {
  /**
   * Runs an operation: the same as its command, its route and its MCP tool.
   *
   * @param id such as `search` or `recipe.run`: a heading of `docs/reference/operations.md`
   * @param input its input
   * @returns its output, as its route answers it
   * @throws {McpxError} `not-found` for an operation that does not exist, `invalid-input`, or what it raises
   */
  invoke(
    id: string,
    input?: Readonly<Record<string, unknown>>,
    options?: InvokeOptions,
  ): Promise<Record<string, unknown>>;
  /**
   * Calls a tool and gives its result, unwrapped.
   *
   * @param tool `<namespace>.<function>`
   * @param args its arguments
   * @throws {McpxError} `tool-error` and what else `call` raises
   */
  call(tool: string, args?: Readonly<Record<string, unknown>>, options?: InvokeOptions): Promise<unknown>;
  /** Stops every server and sandbox. */
  close(): Promise<void>;
}

/**
 * Opens mcpx inside this program, with no daemon: the configuration is read, and servers start when they are needed.
 *
 * @param options where the configuration is looked for
 * @returns mcpx, to be closed
 * @throws {McpxError} `invalid-config`
 *
 * @example
 * ```ts
 * import { openMcpx } from "./open_mcpx.ts";
 * const home = await Deno.makeTempDir();
 * {
 *   await using mcpx = await openMcpx({ cwd: home, env: { HOME: home } });
 *   const { servers } = await mcpx.invoke("server.list");
 *   console.assert(Array.isArray(servers));
 * }
 * await Deno.remove(home, { recursive: true });
 * ```
 */
export async function openMcpx(options: McpxOptions = {}): Promise<Mcpx> {
  const { openLibrary } = await import("./open_library.ts");
  return await openLibrary(options);
}
