import { printValue } from "./kinds.ts";
import type { LayeredValue, ResolvedSettings } from "./resolve.ts";
import { isSettingPath, type SettingPath, type SettingRow, settingRow } from "./table.ts";

/** A project's value that was not taken, and why. */
export interface IgnoredValue {
  value: LayeredValue;
  /** What holds instead. */
  against: LayeredValue;
  /** Whether the user's own agreement to the file would make it count. */
  trustHelps: boolean;
}

/**
 * The value that files and the default give a setting, when no project's file may loosen what protects the user: of what the project's
 * files and the user's say, the stricter holds.
 *
 * @param candidates every layer's values, lowest first
 * @param row the setting
 * @returns the value, and the project's values that were not taken
 */
export function fileValue(
  candidates: readonly LayeredValue[],
  row: SettingRow,
): { value: LayeredValue | undefined; ignored: IgnoredValue[] } {
  const low = candidates.filter(({ layer }) => layer === "default" || layer === "file");
  const rule = row.project;
  const own = low.findLast(({ project }) => project === undefined);
  const projects = low.filter(({ project }) => project !== undefined);
  if (rule === undefined || own === undefined || projects.length === 0) {
    return { value: low.at(-1), ignored: [] };
  }
  const isSaid = own.layer === "file";
  // Those of files that are not trusted were left out before.
  if (rule === "trusted") return { value: low.at(-1), ignored: [] };
  if (rule === "never" || (rule === "yields" && isSaid)) {
    return {
      value: own,
      ignored: projects.map((value) => ({ value, against: own, trustHelps: false })),
    };
  }
  // Where the user has said nothing, nearer files go before farther ones.
  if (rule === "yields" || ((rule === "under" || rule === "over") && !isSaid)) {
    return { value: low.at(-1), ignored: [] };
  }
  const agreed = isSaid ? undefined : projects.findLast(({ project }) => project === "trusted");
  let value = agreed ?? own;
  const ignored: IgnoredValue[] = [];
  for (const one of projects) {
    if (looseness(one, row) <= looseness(value, row)) value = one;
    else ignored.push({ value: one, against: value, trustHelps: one.project === "untrusted" && !isSaid });
  }
  return { value, ignored };
}

/** The sentence about a project's value that was not taken. */
export function ignoredNote(
  path: string,
  { value, against, trustHelps }: IgnoredValue,
  row: SettingRow,
): string {
  const may = row.project === "never"
    ? "only a file of the user's own gives it"
    : row.project === "yields"
    ? "the user's own file goes before a project's"
    : row.project === "under" || row.project === "over"
    ? "a project's file can only make it stricter than the user's own"
    : "a project's file can only make it stricter";
  const shown = row.secret ? "" : `${printValue(row.kind, value.value)} for `;
  const instead = row.secret ? "" : `; it stays ${printValue(row.kind, against.value)} (${against.source})`;
  return `${value.source}: ${shown}${path} is ignored: ${may}${instead}.` +
    (trustHelps ? ` Run: mcpx trust ${value.source}` : "");
}

/** Sentences about every value of project files that was not taken. */
export function looseningNotes(settings: ResolvedSettings, paths: Iterable<string>): string[] {
  const known = [...new Set(paths)].filter((path): path is SettingPath => isSettingPath(path));
  return known.filter((path) => settingRow(path).project !== undefined)
    .flatMap((path) => settings.explain(path).notes ?? []);
}

/** How much a value permits. */
function looseness(
  { value }: LayeredValue,
  { kind, values, strictness, zeroIsMost, project }: SettingRow,
): number {
  const order = strictness ?? values ?? [];
  const amount = kind === "enum"
    ? order.indexOf(String(value))
    : zeroIsMost && value === 0
    ? Infinity
    : Number(value);
  return project === "raises" || project === "over" ? -amount : amount;
}
