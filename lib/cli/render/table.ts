import { inert, type Paint } from "./style.ts";

/** One long cell does not push every other row's columns away. */
const WIDEST = 48;

/** How a table is laid out. */
export interface TableOptions {
  paint: Paint;
  /** Tab-separated lines without headings. */
  plain: boolean;
  /** Lines are cut to this width; absent where the output is no terminal. */
  width?: number;
}

/**
 * Lays rows out in aligned columns; a column in which nothing stands is left out.
 *
 * @param columns headings
 * @param rows cells by column
 * @returns lines, each ended; nothing for no rows
 */
export function renderTable(
  columns: readonly string[],
  rows: readonly (readonly string[])[],
  options: TableOptions,
): string {
  if (rows.length === 0) return "";
  const cells = rows.map((row) => row.map(oneLine));
  if (options.plain) return cells.map((row) => row.join("\t") + "\n").join("");
  const used = columns.map((_, at) => at).filter((at) => cells.some((row) => (row[at] ?? "") !== ""));
  const widths = used.map((at) => {
    const widest = Math.max(
      displayWidth(columns[at] ?? ""),
      ...cells.map((row) => displayWidth(row[at] ?? "")),
    );
    return Math.min(widest, WIDEST);
  });
  const line = (row: readonly string[]): string => {
    let text = "";
    used.forEach((at, place) => {
      const cell = row[at] ?? "";
      text += place === used.length - 1
        ? cell
        : cell + " ".repeat(Math.max(0, (widths[place] ?? 0) - displayWidth(cell)) + 2);
    });
    return options.width === undefined ? text.trimEnd() : cut(text.trimEnd(), options.width);
  };
  const heading = options.paint("bold", line(columns.map((column) => column.toUpperCase())));
  return [heading, ...cells.map(line)].map((text) => text + "\n").join("");
}

/** A cell never breaks its row. */
function oneLine(cell: string): string {
  return inert(cell).replace(/\s+/g, " ").trim();
}

const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u;
const NARROW_ONLY = /^[\x20-\x7e]*$/;

/** How many columns of a terminal a text takes. */
export function displayWidth(text: string): number {
  if (NARROW_ONLY.test(text)) return text.length;
  let width = 0;
  for (const char of text) width += /\p{Mark}|\u200d/u.test(char) ? 0 : WIDE.test(char) ? 2 : 1;
  return width;
}

function cut(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  let kept = "";
  let used = 0;
  for (const char of text) {
    const next = displayWidth(char);
    if (used + next > width - 1) break;
    kept += char;
    used += next;
  }
  return kept + "…";
}
