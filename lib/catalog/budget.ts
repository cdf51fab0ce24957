import { utf8Length } from "./preview_text.ts";
import { byName } from "./search_index.ts";
import type { CatalogTool } from "./types.ts";

/** How much to print, and what of it is not in the tools. */
export interface BudgetOptions {
  /** How many tokens the text may have; a token is four bytes. */
  tokens: number;
  /** The lines about recipes that end the text. */
  recipes: string;
  /** The signature of a tool, such as `(args: { path: string }): string`. */
  signature: (tool: CatalogTool) => string;
}

const BYTES_PER_TOKEN = 4;
const MAX_SENTENCE = 160;
const MAX_NAMED = 6;

/**
 * Lists as many tools as a number of tokens can hold, every server's share of them, and says what it left out.
 *
 * Tools are taken in rounds, one of each namespace, so that no large server hides a small one; a tool whose
 * line does not fit is tried without its sentence, then by its name. The closing line is always there, even
 * where it alone is more than the budget.
 *
 * @param tools the visible tools
 * @param options the budget, the lines about recipes, and how a signature is written
 * @returns the text, grouped by namespace
 *
 * @example
 * ```ts
 * import { catalogWithinBudget } from "./budget.ts";
 * const tool = { namespace: "fs", fn: "read", server: "fs", tool: { name: "read" }, findings: [] };
 * const text = catalogWithinBudget([tool], { tokens: 50, recipes: "2 recipes", signature: () => "()" });
 * console.assert(text === "fs.read()\n\nAll 1 tools are listed. 2 recipes\n");
 * ```
 */
export function catalogWithinBudget(tools: readonly CatalogTool[], options: BudgetOptions): string {
  const room = Math.floor(options.tokens) * BYTES_PER_TOKEN;
  const inRounds = takeInTurns(tools);
  const all = inRounds.length;
  let chosen = choose(inRounds, room - closingBytes(closing(0, all, options.recipes, "")), options);
  if (chosen.size < all) {
    // The names of what is left out get their room too, where that is little of the whole.
    const named = closingBytes(closing(all, all, options.recipes, namespacesOf(inRounds)));
    const short = closingBytes(closing(all, all, options.recipes, ""));
    chosen = choose(inRounds, room - (named * 4 <= room ? named : short), options);
  }
  const lines = [...chosen].sort(([a], [b]) => byName(a, b)).map(([, line]) => `${line}\n`).join("");
  const missing = inRounds.filter((tool) => !chosen.has(tool));
  const named = closing(missing.length, all, options.recipes, namespacesOf(missing));
  const short = closing(missing.length, all, options.recipes, "");
  const body = lines === "" ? "" : `${lines}\n`;
  return utf8Length(`${body}${named}\n`) <= room ? `${body}${named}\n` : `${body}${short}\n`;
}

function closingBytes(line: string): number {
  return utf8Length(`\n${line}\n`);
}

/** Takes tools in order as long as there is room, each at the longest of its lengths that fits. */
function choose(
  tools: readonly CatalogTool[],
  room: number,
  options: BudgetOptions,
): Map<CatalogTool, string> {
  const chosen = new Map<CatalogTool, string>();
  let left = room;
  for (const tool of tools) {
    if (nameOf(tool).length + 1 > left) continue;
    const line = linesOf(tool, options).find((text) => utf8Length(text) + 1 <= left);
    if (line === undefined) continue;
    chosen.set(tool, line);
    left -= utf8Length(line) + 1;
  }
  return chosen;
}

/** First tool of each namespace, then the second of each, and so on. */
function takeInTurns(tools: readonly CatalogTool[]): CatalogTool[] {
  const queues = new Map<string, CatalogTool[]>();
  for (
    const tool of [...tools].sort((a, b) =>
      a.namespace < b.namespace ? -1 : a.namespace > b.namespace ? 1 : 0
    )
  ) {
    const queue = queues.get(tool.namespace);
    if (queue) queue.push(tool);
    else queues.set(tool.namespace, [tool]);
  }
  const longest = Math.max(0, ...[...queues.values()].map((queue) => queue.length));
  const turns: CatalogTool[] = [];
  for (let turn = 0; turn < longest; turn++) {
    for (const queue of queues.values()) {
      const tool = queue[turn];
      if (tool) turns.push(tool);
    }
  }
  return turns;
}

/** A tool's line at its three lengths, longest first. */
function linesOf(tool: CatalogTool, options: BudgetOptions): string[] {
  const name = nameOf(tool);
  const signed = `${name}${oneLine(options.signature(tool))}`;
  const sentence = firstSentence(tool.tool.description);
  return [...(sentence === "" ? [] : [`${signed} // ${sentence}`]), signed, name];
}

function nameOf(tool: CatalogTool): string {
  return `${tool.namespace}.${tool.fn}`;
}

function firstSentence(description: unknown): string {
  if (typeof description !== "string") return "";
  const text = description.slice(0, 2000).trimStart();
  const end = /[.!?](?=\s)|[。！？]|\n/.exec(text);
  const sentence = oneLine(end === null ? text : text.slice(0, end.index));
  const characters = [...sentence];
  return characters.length > MAX_SENTENCE ? `${characters.slice(0, MAX_SENTENCE - 1).join("")}…` : sentence;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

function closing(missing: number, all: number, recipes: string, names: string): string {
  const tools = missing === 0
    ? `All ${all} tools are listed.`
    : `${missing} of ${all} tools left out${names === "" ? "" : ` (${names})`}: mcpx search WORDS.`;
  return `${tools} ${recipes}`;
}

/** `git 12, fs 3 and 2 more namespaces`: most left out first. */
function namespacesOf(tools: readonly CatalogTool[]): string {
  const counts = new Map<string, number>();
  for (const { namespace } of tools) counts.set(namespace, (counts.get(namespace) ?? 0) + 1);
  const ordered = [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  const shown = ordered.slice(0, MAX_NAMED).map(([namespace, count]) => `${namespace} ${count}`).join(", ");
  const more = ordered.length - MAX_NAMED;
  return more > 0 ? `${shown} and ${more} more namespaces` : shown;
}
