import { readHeader } from "../../recipes/mod.ts";
import { listScripts } from "../script_path.ts";

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

/** Every script on the search path; of those with the same name the nearest. */
export async function listNamedScripts(folders: readonly string[]): Promise<NamedScript[]> {
  return (await listScripts(folders)).map(({ name, path, source }) => ({
    name,
    summary: summaryOf(source),
    path,
    recipe: readHeader(source) !== undefined,
  }));
}

function summaryOf(source: string): string {
  const [, block, line = ""] = FIRST_COMMENT.exec(source) ?? [];
  const text = (block ?? line).split("\n").map((one) => one.replace(/^\s*\*?\s?/, "").trim())
    .filter((one) => one !== "" && !one.startsWith("@")).join(" ");
  return /^.*?[.!?](?=\s|$)/.exec(text)?.[0] ?? text.slice(0, 120);
}
