import { readHeader } from "../../recipes/mod.ts";
import { scanScripts, type ScriptRules } from "../script_path.ts";

/** A script as lists show it. */
export interface NamedScript {
  name: string;
  /** The first sentence of the comment that it begins with. */
  summary: string;
  path: string;
  /** Whether its header declares parameters. */
  recipe: boolean;
}

const FIRST_COMMENT = /^(?:#![^\n]*\n)?\s*(?:\/\*\*?([\s\S]*?)\*\/|\/\/([^\n]*))/;

/** Every script on the search path; of those with the same name the nearest. And sentences about what was passed over. */
export async function listNamedScripts(
  folders: readonly string[],
  rules: ScriptRules,
): Promise<{ scripts: NamedScript[]; notes: string[] }> {
  const { scripts, notes } = await scanScripts(folders, rules);
  const named = scripts.map(({ name, path, source }) => ({
    name,
    summary: summaryOf(source),
    path,
    recipe: readHeader(source) !== undefined,
  }));
  return { scripts: named, notes };
}

function summaryOf(source: string): string {
  const [, block, line = ""] = FIRST_COMMENT.exec(source) ?? [];
  const text = (block ?? line).split("\n").map((one) => one.replace(/^\s*\*?\s?/, "").trim())
    .filter((one) => one !== "" && !one.startsWith("@")).join(" ");
  return /^.*?[.!?](?=\s|$)/.exec(text)?.[0] ?? text.slice(0, 120);
}
