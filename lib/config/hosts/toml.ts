import { parse, stringify, TomlError } from "smol-toml";
import { McpxError } from "../../errors/mod.ts";

/** Parses TOML. @throws {McpxError} `invalid-config` with file, line and column */
export function parseToml(text: string, path: string): Record<string, unknown> {
  try {
    return parse(text.replace(/^\ufeff/, ""));
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const { line, column } = error;
    const what = error.message.split("\n")[0]?.replace(/^Invalid TOML document: /, "") ?? "not TOML";
    throw new McpxError("invalid-config", `Cannot parse ${path}:${line}:${column}: ${what}.`, {
      hint: `Correct line ${line} of ${path}.`,
      data: { file: path, line, column },
      cause: error,
    });
  }
}

/** A key as TOML writes it: bare where it can be. */
export function tomlKey(key: string): string {
  return /^[A-Za-z0-9_-]+$/.test(key) ? key : JSON.stringify(key);
}

/** One table with its own sub-tables, as text. */
export function tomlTable(path: readonly string[], members: Record<string, unknown>): string {
  const value = path.toReversed().reduce<Record<string, unknown>>(
    (inner, key) => ({ [key]: inner }),
    members,
  );
  return stringify(value).trim() + "\n";
}
