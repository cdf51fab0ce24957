import { emitNamespace, type NamespaceTypes } from "./emit_namespace.ts";
import { SCRIPT_GLOBALS } from "./script_globals.ts";

/**
 * Writes the whole declaration file: the globals of scripts, every upstream, and `tools` over all of them.
 *
 * @param upstreams the upstreams, in any order; the text is sorted by namespace
 * @returns a file that type-checks, and against which a script type-checks
 * @see spec/01, "Types"
 *
 * @example
 * ```ts
 * import { emitTypes } from "./emit_types.ts";
 * console.assert(emitTypes([]).includes("declare const tools"));
 * ```
 */
export function emitTypes(upstreams: readonly NamespaceTypes[]): string {
  const sorted = [...new Map(upstreams.map((upstream) => [upstream.namespace, upstream])).values()]
    .sort((a, b) => a.namespace < b.namespace ? -1 : a.namespace > b.namespace ? 1 : 0);
  const members = sorted.map(({ namespace }) => `  readonly ${namespace}: ${namespace}.Tools;\n`).join("");
  return [
    SCRIPT_GLOBALS,
    `/** Every upstream by its namespace. */\ndeclare const tools: {\n${members}};\n`,
    ...sorted.map((upstream) => `\n${emitNamespace(upstream)}`),
  ].join("");
}
