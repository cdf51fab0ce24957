import { isObject } from "./fields.ts";
import { type FileSetting, settingUsesCommands } from "./loaded_file.ts";
import { TARGET_KEYS } from "./merge.ts";
import { usesCommands } from "./template.ts";

/** What is left of something after the guard, with the reasons for what is not. */
export interface Guarded<T> {
  kept: T;
  notes: string[];
  /** The first part that could not be left out without making the rest meaningless. */
  needsTrust?: string;
}

/**
 * Leaves out what an untrusted project file may not set.
 *
 * @param settings the file's settings
 * @param guarded paths, or first words of paths, that need trust
 * @returns the others, and a sentence for each one left out
 */
export function guardSettings(
  settings: readonly FileSetting[],
  guarded: readonly string[],
): Guarded<FileSetting[]> {
  const notes: string[] = [];
  const kept = settings.filter(({ path, value }) => {
    const reason = path === "config.trust" && value !== "ask"
      ? "a project's file can only make it ask"
      : guarded.some((one) => path === one || path.startsWith(`${one}.`))
      ? "it needs trust"
      : settingUsesCommands(value)
      ? "${cmd:…} and ${file:…} need trust"
      : undefined;
    if (reason) notes.push(`The setting ${path} is ignored: ${reason}.`);
    return reason === undefined;
  });
  return { kept, notes };
}

/**
 * Leaves the commands and files out of an untrusted project's server entry.
 *
 * A variable or a header is left out alone; where a command, an argument, a url or the credentials need one, the entry
 * cannot be used without trust.
 *
 * @param name the server
 * @param entry its raw entry
 * @returns the entry without them, and a sentence for each one
 */
export function guardEntry(name: string, entry: Record<string, unknown>): Guarded<Record<string, unknown>> {
  const notes: string[] = [];
  const unusable: string[] = [];
  const kept = Object.entries(entry).map(([key, value]): [string, unknown] => {
    if ((key === "env" || key === "headers") && isObject(value)) {
      const safe = Object.entries(value).filter(([inner, text]) => {
        if (typeof text !== "string" || !usesCommands(text)) return true;
        notes.push(`${name}.${key}.${inner} is ignored: \${cmd:…} and \${file:…} need trust.`);
        return false;
      });
      return [key, Object.fromEntries(safe)];
    }
    if (TARGET_KEYS.has(key) && settingUsesCommands(value)) unusable.push(key);
    return [key, value];
  });
  const first = unusable[0];
  return { kept: Object.fromEntries(kept), notes, ...(first === undefined ? {} : { needsTrust: first }) };
}
