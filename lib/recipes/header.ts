import { nearest } from "../catalog/nearest.ts";
import { readParameter } from "./parameter_line.ts";
import type { RecipeParameter, RecipeProblem } from "./types.ts";

/** What the comment at the top of a script says. */
export interface RecipeHeader {
  summary: string;
  description: string;
  parameters: RecipeParameter[];
  isTool: boolean;
  problems: RecipeProblem[];
}

interface HeaderLine {
  text: string;
  /** From 1. */
  line: number;
  /** Whether it stands in a block comment, where `@param` may be about a function. */
  inBlock: boolean;
}

const LINE_WORDS = ["param", "tool"];
/** More than this fits no form and no tool's schema. */
const MOST_PARAMETERS = 100;

/**
 * Reads the header of a script: the comments before its first line of code.
 *
 * `// @param name:type = default   description` declares a parameter, `// @tool false` keeps the recipe from being an MCP tool,
 * the first paragraph is the summary.
 *
 * @param source the script
 * @returns undefined where the header declares neither parameters nor `@tool`: then the script is no recipe
 *
 * @example
 * ```ts
 * import { readHeader } from "./header.ts";
 * const header = readHeader("// Greet somebody.\n// @param who:string  whom\nreturn await demo.echo({ message: @who });");
 * console.assert(header?.summary === "Greet somebody." && header.parameters[0]?.name === "who");
 * ```
 */
export function readHeader(source: string): RecipeHeader | undefined {
  const prose: string[] = [];
  const parameters: RecipeParameter[] = [];
  const problems: RecipeProblem[] = [];
  let isTool: boolean | undefined;
  let declares = false;
  for (const { text, line, inBlock } of headerLines(source)) {
    const [, word = "", rest = ""] = /^@(\w+)\s*(.*)$/.exec(text) ?? [];
    if (word === "") {
      // What follows a parameter is no longer about the recipe.
      if (!declares || text === "") prose.push(text);
      continue;
    }
    if (word === "param" && !(inBlock && !/^[\p{ID_Continue}$]+\s*:/u.test(rest))) {
      declares = true;
      if (parameters.length >= MOST_PARAMETERS) {
        problems.push({ line, message: `A recipe cannot have more than ${MOST_PARAMETERS} parameters.` });
        break;
      }
      const read = readParameter(rest, line);
      if ("problem" in read) problems.push(read.problem);
      else if (parameters.some(({ name }) => name === read.parameter.name)) {
        problems.push({ line, message: `The parameter ${read.parameter.name} is declared twice.` });
      } else parameters.push(read.parameter);
    } else if (word === "tool") {
      declares = true;
      const value = /^(true|false)\b/.exec(rest)?.[1];
      if (value === undefined) {
        problems.push({ line, message: "@tool is neither true nor false.", hint: "// @tool false" });
      } else isTool = value === "true";
    } else if (!inBlock && !LINE_WORDS.includes(word) && nearest(word, LINE_WORDS, 1).length > 0) {
      const hint = `Did you mean @${nearest(word, LINE_WORDS, 1)[0]}?`;
      problems.push({ line, message: `There is no header line @${word}.`, hint });
      declares = true;
    }
  }
  if (!declares) return undefined;
  const [summary = "", ...more] = prose.join("\n").split(/\n\s*\n/).map(oneLine).filter((text) =>
    text !== ""
  );
  return { summary, description: more.join("\n"), parameters, isTool: isTool ?? true, problems };
}

/** The comment lines at the top, without their marks. */
function headerLines(source: string): HeaderLine[] {
  const found: HeaderLine[] = [];
  let inBlock = false;
  let line = 0;
  for (const raw of source.replace(/^\ufeff/, "").split(/\r\n|[\n\r\u2028\u2029]/)) {
    line++;
    let text = raw.trim();
    if (line === 1 && text.startsWith("#!")) continue;
    if (!inBlock && text.startsWith("//")) {
      found.push({ text: text.replace(/^\/\/+/, "").trim(), line, inBlock });
      continue;
    }
    if (!inBlock && text.startsWith("/*")) {
      inBlock = true;
      text = text.replace(/^\/\*+/, "");
    } else if (!inBlock) {
      if (text === "") {
        found.push({ text, line, inBlock });
        continue;
      }
      break;
    }
    const close = text.indexOf("*/");
    const shown = close === -1 ? text : text.slice(0, close);
    found.push({ text: shown.replace(/^\*+/, "").trim(), line, inBlock: true });
    if (close === -1) continue;
    inBlock = false;
    if (text.slice(close + 2).trim() !== "") break;
  }
  return found;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
