import assert from "node:assert/strict";
import ts from "typescript";
import { atWords } from "../../lib/diagnose/mod.ts";
import { publishedSources } from "./sources.ts";

const SAMPLE_BYTES = Deno.env.get("MCPX_ORACLE") === "all" ? 60_000_000 : 2_500_000;
const PLACES_A_FILE = 12;
const WORD = "@hole_in_code";

/** A stretch of a file that is no code: the inside of a string, a comment, a template's text, a regular expression. */
interface Stretch {
  start: number;
  end: number;
}

/** The stretches of a file, by the compiler. */
function stretchesOf(file: ts.SourceFile): Stretch[] {
  const found: Stretch[] = [];
  const { text } = file;
  const visit = (node: ts.Node): void => {
    for (
      const ranges of [
        ts.getLeadingCommentRanges(text, node.pos),
        ts.getTrailingCommentRanges(text, node.end),
      ]
    ) {
      for (const { pos, end } of ranges ?? []) found.push({ start: pos + 2, end: end - 2 });
    }
    if (
      ts.isStringLiteralLike(node) || ts.isRegularExpressionLiteral(node) || ts.isTemplateHead(node) ||
      ts.isTemplateMiddleOrTemplateTail(node)
    ) found.push({ start: node.getStart(file) + 1, end: node.end - 2 });
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found.filter(({ start, end }) => end - start > 2);
}

Deno.test("on published source no @word in a string, a comment, a template or a regular expression is taken for code", async () => {
  const wrong: string[] = [];
  let asked = 0;
  for (const { path, text } of await publishedSources(SAMPLE_BYTES, 200_000)) {
    if (/\.[jt]sx$|@flow/.test(path) || text.includes("@")) continue;
    const kind = /\.[cm]?ts$/.test(path) ? ts.ScriptKind.TS : ts.ScriptKind.JS;
    const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true, kind);
    const stretches = stretchesOf(file);
    for (let place = 0; place < PLACES_A_FILE && stretches.length > 0; place++) {
      // Spread over the file, the same in every run.
      const { start, end } = stretches[Math.floor(place * stretches.length / PLACES_A_FILE)]!;
      const at = start + Math.floor((end - start) / 2);
      // Between a backslash and what it escapes there is no place.
      if (text.slice(Math.max(0, at - 2), at).includes("\\")) continue;
      asked++;
      const { sites } = atWords(text.slice(0, at) + WORD + text.slice(at));
      if (sites.some(({ start }) => start === at)) wrong.push(`${path}:${at}`);
    }
  }
  assert.ok(asked > 300, `only ${asked} places were asked about`);
  assert.deepEqual(wrong, []);
});
