import { stem } from "./stem.ts";

/** Words that people use for one another when they look for a tool. */
const GROUPS: readonly string[] = [
  "create make add new generate build insert",
  "add append attach insert",
  "delete remove erase drop destroy clear",
  "get fetch retrieve read obtain load download",
  "list show display enumerate view",
  "show display view open",
  "find search locate lookup query discover",
  "update edit modify change alter revise",
  "write save store put",
  "move rename relocate",
  "copy duplicate clone",
  "run execute launch start invoke",
  "stop kill terminate end cancel",
  "send post submit publish",
  "convert translate transform turn",
  "compare diff difference versus",
  "check verify validate test",
  "merge combine join concatenate",
  "split divide separate",
  "compute calculate evaluate",
  "summary summarize overview digest",
  "describe explain detail information info",
  "metadata info detail property",
  "several multiple many batch bulk",
  "current now today present",
  "latest newest recent",
  "history historical past",
  "entire whole complete full",
  "repository repo",
  "directory dir folder subfolder subdirectory",
  "file document",
  "document doc documentation",
  "picture image photo screenshot",
  "page webpage website site web",
  "url link address",
  "config configuration setting preference",
  "database db sql",
  "message chat",
  "issue ticket bug",
  "pr pull",
  "error failure exception",
  "package library module dependency",
  "command shell terminal console",
  "price quote cost",
  "stock share ticker equity symbol",
  "crypto cryptocurrency coin bitcoin",
  "paper article publication",
  "location place position",
  "nearby near close around",
  "route directions path",
  "graph chart plot diagram",
  "slide presentation powerpoint ppt deck",
  "spreadsheet excel sheet workbook",
  "video youtube",
  "user account profile",
  "event meeting appointment",
  "size length large big",
  "length duration",
  "undo revert reset restore",
  "history log",
  "license licence",
  "color colour",
  "center centre",
  "organization organisation company",
  "employee staff person people",
  "environment env",
  "parameter param argument",
  "authentication auth login",
];

/** Every word of the table as it is written, for spelling. */
export const SYNONYM_WORDS: readonly string[] = [...new Set(GROUPS.flatMap((group) => group.split(" ")))];

/** Stem -> stems of the words that may stand for it. */
export const SYNONYMS: ReadonlyMap<string, readonly string[]> = table();

function table(): Map<string, readonly string[]> {
  const found = new Map<string, Set<string>>();
  for (const group of GROUPS) {
    const stems = group.split(" ").map(stem);
    for (const word of stems) {
      const others = found.get(word) ?? new Set();
      for (const other of stems) if (other !== word) others.add(other);
      found.set(word, others);
    }
  }
  return new Map([...found].map(([word, others]) => [word, [...others]]));
}
