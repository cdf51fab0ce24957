import { inert, type Paint } from "./style.ts";

/** One long cell does not push every other row's columns away. */
const WIDEST = 48;
/** What a column is never cut below. */
const NARROWEST = 10;

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
    return at === used.at(-1) ? widest : Math.min(widest, WIDEST);
  });
  const room = options.width === undefined ? undefined : fit(widths, options.width);
  const line = (row: readonly string[]): string => {
    let text = "";
    used.forEach((at, place) => {
      const limit = room?.[place];
      const cell = limit === undefined ? row[at] ?? "" : cut(row[at] ?? "", limit);
      const width = limit ?? widths[place] ?? 0;
      text += place === used.length - 1
        ? cell
        : cell + " ".repeat(Math.max(0, width - displayWidth(cell)) + 2);
    });
    return text.trimEnd();
  };
  const heading = options.paint("bold", line(columns.map((column) => column.toUpperCase())));
  return [heading, ...cells.map(line)].map((text) => text + "\n").join("");
}

/** Takes from the widest column until the row fits a terminal; a column keeps what makes it readable. */
function fit(widths: readonly number[], width: number): number[] {
  const room = [...widths];
  const gaps = 2 * (room.length - 1);
  for (let over = room.reduce((sum, one) => sum + one, gaps) - width; over > 0;) {
    const widest = Math.max(...room);
    const at = room.lastIndexOf(widest);
    const next = Math.max(NARROWEST, ...room.filter((_, place) => place !== at));
    const taken = Math.min(over, Math.max(1, widest - next));
    if (widest - taken < NARROWEST) break;
    room[at] = widest - taken;
    over -= taken;
  }
  return room;
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
