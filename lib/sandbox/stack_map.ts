import { SourceMap } from "node:module";

/** A place in a script: both from 1. */
export interface Position {
  line: number;
  column: number;
}

/** Turns positions of printed code into positions of the user's source. */
export class StackMap {
  readonly #map: SourceMap;
  readonly #head: number;

  /**
   * @param encoded the source map as base64
   * @param head how many columns stand before the user's first line
   */
  constructor(encoded: string, head: number) {
    this.#map = new SourceMap(JSON.parse(atob(encoded.trim())));
    this.#head = head;
  }

  /** The user's position for one of the printed code; nothing for what stands before the user's first line. */
  position({ line, column }: Position): Position | undefined {
    const entry = this.#map.findEntry(line - 1, column - 1);
    if (!("originalLine" in entry) || entry.originalLine === undefined) return undefined;
    const head = entry.originalLine === 0 ? this.#head : 0;
    if (entry.originalColumn < head) return undefined;
    return { line: entry.originalLine + 1, column: entry.originalColumn + 1 - head };
  }

  /** Text of a stack or a log record with every position behind `filename` turned; frames that are not the user's are dropped. */
  rewrite(text: string, filename: string): string {
    const lines = text.split("\n").map((line) => this.#rewriteLine(line, filename));
    return lines.filter((line) => line !== undefined).join("\n");
  }

  #rewriteLine(line: string, filename: string): string | undefined {
    let inside = true;
    const turned = line.split(`${filename}:`).map((part, index) => {
      if (index === 0) return part;
      return part.replace(/^(\d+):(\d+)/, (whole, row: string, column: string) => {
        const found = this.position({ line: Number(row), column: Number(column) });
        inside &&= found !== undefined;
        return found === undefined ? whole : `${found.line}:${found.column}`;
      });
    }).join(`${filename}:`);
    return inside || !/^\s+at /.test(line) ? turned : undefined;
  }
}
