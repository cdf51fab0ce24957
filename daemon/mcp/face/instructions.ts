import type { Exposed } from "./exposed.ts";

const MOST_NAMES = 20;
const MOST_BYTES = 8 * 1024;

const CODE = `mcpx holds the tools of many MCP servers; their schemas stay out of your context until you ask.
1. mcpx_search finds tools by what they do, each with its TypeScript signature. mcpx_types prints a server's declarations.
2. mcpx_call calls one tool: {"tool": "<namespace>.<function>", "arguments": {…}}.
3. For more than one call, or to keep large results away from you, write one program and run it with mcpx_exec: every namespace is a global object, its functions take one object, top-level await and return work. Return only what you need; console output comes back as logs.
   const open = await github.list_issues({ state: "open" }); return open.filter((i) => i.comments > 5).map((i) => i.title);
A failed call says what is wrong and shows a call that fits.`;

/** How to use mcpx, for a model: what the mode offers, which servers there are, and what they say themselves in pass-through. */
export function instructionsFor(mode: readonly string[], { servers }: Exposed): string {
  const names = servers.map(({ definition }) => definition.namespace);
  const shown = names.slice(0, MOST_NAMES).join(", ") +
    (names.length > MOST_NAMES ? `, and ${names.length - MOST_NAMES} more` : "");
  const parts = [
    ...(mode.includes("code") || mode.includes("full") ? [CODE] : []),
    names.length === 0 ? "No server is configured yet." : `Namespaces: ${shown}.`,
  ];
  if (!mode.includes("passthrough")) return parts.join("\n");
  const own = servers.flatMap(({ definition, cached }) => {
    const text = cached?.listing.instructions;
    return text === undefined ? [] : [`## ${definition.namespace}\n${text}`];
  });
  return [...parts, ...own].join("\n\n").slice(0, MOST_BYTES);
}
