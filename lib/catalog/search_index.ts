import { isObject } from "../json/mod.ts";
import { stem } from "./stem.ts";
import { STOP_WORDS } from "./stop_words.ts";
import { chunksOf, isPair, wordsOfChunk } from "./tokenise.ts";
import type { CatalogTool } from "./types.ts";

/** Where a term occurs: tools by position, and how strongly, fields weighed and lengths accounted for. */
export interface Postings {
  /** Places of tools in the index's list. */
  readonly tools: Int32Array;
  /** How strongly each of them has the term. */
  readonly strengths: Float32Array;
}

/** What {@link buildSearchIndex} makes: everything a query needs, and what building it again can reuse. */
export interface SearchIndex {
  /** In the order of namespace, then function: the order of equal scores. */
  readonly tools: readonly CatalogTool[];
  /** Stem -> where it occurs. */
  readonly terms: ReadonlyMap<string, Postings>;
  /** Every word as it was written, sorted, for beginnings of words. */
  readonly words: readonly string[];
  /** The same words by length, for spelling. */
  readonly wordsByLength: readonly (readonly string[])[];
  /** Word -> stem. */
  readonly stems: ReadonlyMap<string, string>;
  /** The terms of every tool, kept for the next building. */
  readonly documents: ReadonlyMap<CatalogTool["tool"], ToolTerms>;
}

/** The terms of one tool with their strengths; nothing in it depends on other tools. */
export interface ToolTerms {
  /** The words of its names. */
  readonly names: string;
  /** How strongly it has each term. */
  readonly strengths: ReadonlyMap<string, number>;
  /** Its words before stemming. */
  readonly words: ReadonlySet<string>;
}

/** How much a field counts, how much its length, and what length is usual. */
interface Field {
  readonly weight: number;
  readonly lengthShare: number;
  readonly usualLength: number;
}

const FIELDS = {
  name: { weight: 3, lengthShare: 0.4, usualLength: 4 },
  path: { weight: 1.2, lengthShare: 0.3, usualLength: 2 },
  parameters: { weight: 1, lengthShare: 0.6, usualLength: 6 },
  summary: { weight: 2.5, lengthShare: 0.6, usualLength: 9 },
  description: { weight: 0.5, lengthShare: 0.7, usualLength: 40 },
  parameterText: { weight: 0.35, lengthShare: 0.7, usualLength: 30 },
} as const satisfies Record<string, Field>;

const MAX_FIELD_CHARACTERS = 20_000;
/** What is longer is data, not a word. */
const MAX_WORD = 40;

/**
 * Builds the index that {@link searchTools} reads.
 *
 * @param tools every visible tool, in any order
 * @param options.previous an index built before: tools that it has are not read again
 * @returns the index
 *
 * @example
 * ```ts
 * import { buildSearchIndex, searchTools } from "./mod.ts";
 * const tool = { namespace: "fs", fn: "read_file", server: "fs", tool: { name: "read_file" }, findings: [] };
 * console.assert(searchTools(buildSearchIndex([tool]), "reading files")[0]?.tool === tool);
 * ```
 */
export function buildSearchIndex(
  tools: readonly CatalogTool[],
  options: { previous?: SearchIndex } = {},
): SearchIndex {
  const ordered = [...tools].sort(byName);
  const reader = new WordReader();
  const documents = new Map<CatalogTool["tool"], ToolTerms>();
  const found = new Map<string, { tools: number[]; strengths: number[] }>();
  const words = new Set<string>();
  ordered.forEach((tool, position) => {
    const names = `${tool.namespace}\0${tool.fn}\0${tool.server}`;
    const known = options.previous?.documents.get(tool.tool);
    const document = known?.names === names ? known : readTool(tool, names, reader);
    documents.set(tool.tool, document);
    for (const word of document.words) words.add(word);
    for (const [term, strength] of document.strengths) {
      const postings = found.get(term);
      if (postings === undefined) found.set(term, { tools: [position], strengths: [strength] });
      else {
        postings.tools.push(position);
        postings.strengths.push(strength);
      }
    }
  });
  const terms = new Map<string, Postings>();
  for (const [term, postings] of found) {
    terms.set(term, {
      tools: Int32Array.from(postings.tools),
      strengths: Float32Array.from(postings.strengths),
    });
  }
  return { tools: ordered, terms, documents, ...vocabulary(words) };
}

/** The words with their stems, sorted and by length. */
function vocabulary(words: ReadonlySet<string>): Pick<SearchIndex, "words" | "wordsByLength" | "stems"> {
  const sorted = [...words].sort();
  const wordsByLength: string[][] = [];
  const stems = new Map<string, string>();
  for (const word of sorted) {
    (wordsByLength[word.length] ??= []).push(word);
    stems.set(word, stem(word));
  }
  return { words: sorted, wordsByLength, stems };
}

/** Orders tools by namespace, function and server, by code unit: the same everywhere. */
export function byName(a: CatalogTool, b: CatalogTool): number {
  return compare(a.namespace, b.namespace) || compare(a.fn, b.fn) || compare(a.server, b.server) ||
    compare(a.tool.name, b.tool.name);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Remembers how each piece of text splits: most pieces of ten thousand descriptions are the same few. */
class WordReader {
  readonly #words = new Map<string, readonly Word[]>();

  read(chunk: string): readonly Word[] {
    let words = this.#words.get(chunk);
    if (words === undefined) {
      words = wordsOfChunk(chunk).filter(({ length }) => length <= MAX_WORD).map((text) => ({
        text,
        term: isPair(text) ? text : stem(text),
        stop: STOP_WORDS.has(text),
      }));
      this.#words.set(chunk, words);
    }
    return words;
  }
}

interface Word {
  readonly text: string;
  readonly term: string;
  readonly stop: boolean;
}

function readTool(entry: CatalogTool, names: string, reader: WordReader): ToolTerms {
  const { tool } = entry;
  const strengths = new Map<string, number>();
  const words = new Set<string>();
  const add = (field: Field, texts: readonly string[], isName: boolean): void => {
    const counts = countWords(texts, isName, reader, words);
    // Below half the usual length brevity says nothing more about what a tool is for.
    let length = 0;
    for (const count of counts.values()) length += count;
    length = Math.max(length, field.usualLength / 2);
    const norm = field.weight / (1 - field.lengthShare + field.lengthShare * length / field.usualLength);
    for (const [term, count] of counts) strengths.set(term, (strengths.get(term) ?? 0) + count * norm);
  };
  const [summary, description] = splitSummary(textOf(tool.description));
  const parameters = readParameters(tool.inputSchema);
  const title = textOf(tool.title) || textOf(tool.annotations?.title);
  add(FIELDS.name, [tool.name, ...(title === "" ? [] : [title])], true);
  add(FIELDS.path, entry.namespace === entry.server ? [entry.server] : [entry.namespace, entry.server], true);
  add(FIELDS.parameters, parameters.names, true);
  add(FIELDS.summary, [summary], false);
  add(FIELDS.description, [description], false);
  add(FIELDS.parameterText, parameters.texts, false);
  return { names, strengths, words };
}

/** Counts terms; a term twice in a name counts once, and neighbours in a name also count joined. */
function countWords(
  texts: readonly string[],
  isName: boolean,
  reader: WordReader,
  words: Set<string>,
): Map<string, number> {
  const counts = new Map<string, number>();
  for (const text of texts) {
    const chunks = chunksOf(text);
    if (isName) { for (const joined of joinedNeighbours(chunks)) chunks.push(joined); }
    for (const chunk of chunks) {
      for (const word of reader.read(chunk)) {
        if (word.stop && !isName) continue;
        words.add(word.text);
        counts.set(word.term, isName ? 1 : (counts.get(word.term) ?? 0) + 1);
      }
    }
  }
  return counts;
}

/** `web_page_url` -> `webpage`, `pageurl`, so that either writing finds the other. */
function joinedNeighbours(chunks: readonly string[]): string[] {
  const joined: string[] = [];
  for (let at = 0; at + 1 < chunks.length; at++) {
    joined.push(`${chunks[at]}${chunks[at + 1]}`.toLowerCase());
  }
  if (chunks.length > 2) joined.push(chunks.join("").toLowerCase());
  return joined;
}

/** The first sentence or line says what a tool does; what follows says how. */
function splitSummary(text: string): [summary: string, rest: string] {
  const end = /[.!?](?=\s)|[。！？]|\n/.exec(text);
  if (end === null) return [text, ""];
  return [text.slice(0, end.index), text.slice(end.index + 1)];
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value.slice(0, MAX_FIELD_CHARACTERS).trim() : "";
}

/** Names, and descriptions and choices, of an input schema's properties; two levels, whatever is in the rest. */
function readParameters(schema: unknown): { names: string[]; texts: string[] } {
  const names: string[] = [];
  const texts: string[] = [];
  const visit = (node: unknown, depth: number): void => {
    if (!isObject(node)) return;
    if (isObject(node.properties)) {
      for (const [name, property] of Object.entries(node.properties)) {
        names.push(name);
        if (!isObject(property)) continue;
        const text = textOf(property.description);
        if (text !== "") texts.push(text);
        if (Array.isArray(property.enum)) {
          for (const choice of property.enum.slice(0, 50)) if (typeof choice === "string") texts.push(choice);
        }
        if (depth < 2) {
          visit(property, depth + 1);
          visit(property.items, depth + 1);
        }
      }
    }
  };
  visit(schema, 1);
  return { names, texts };
}
