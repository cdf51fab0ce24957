import { dirname, resolve } from "node:path";
import { McpxError } from "../../errors/mod.ts";
import type { ScriptHook, ScriptHooks } from "../../sandbox/mod.ts";
import type { Provenance } from "../../settings/mod.ts";
import type { Caller } from "../caller.ts";
import { readScriptFile, type ScriptRules } from "../script_path.ts";

const KINDS = ["before", "onSuccess", "onError"] as const;
const FILE = /^(?:\.{0,2}\/|~\/)\S*$|^[^\s;(){}'"]+\.[cm]?[jt]s$/;

/**
 * Reads the hooks that hold for a request: inline source, or the name of a file.
 *
 * @returns the hooks, and a sentence where a ceiling keeps them from running
 * @throws {McpxError} `invalid-input` for a file that cannot be read
 */
export async function readHooks(
  caller: Caller,
  rules: ScriptRules = {},
): Promise<{ hooks: ScriptHooks; notes: string[] }> {
  const given = KINDS.map((kind) => ({ kind, setting: caller.settings.explain(`script.${kind}`) }))
    .filter(({ setting }) => setting.text !== "");
  if (given.length === 0) return { hooks: {}, notes: [] };
  const { text, clampedBy } = caller.settings.explain("hooks.autonomy");
  if (text !== "run") {
    const names = given.map(({ setting }) => setting.path).join(", ");
    return { hooks: {}, notes: clampedBy ? [`Not run: ${names}: ${clampedBy.text}.`] : [] };
  }
  const hooks: ScriptHooks = {};
  for (const { kind, setting } of given) hooks[kind] = await readHook(setting, caller, rules);
  return { hooks, notes: [] };
}

async function readHook(setting: Provenance, caller: Caller, rules: ScriptRules): Promise<ScriptHook> {
  const { path, text, layer, source } = setting;
  if (!FILE.test(text)) return { source: text, filename: path };
  const isOwn = layer === "file" || layer === "flag" || layer === "runtime";
  if (!isOwn && (caller.surface !== "cli" || caller.isRemote === true)) {
    throw new McpxError(
      "invalid-input",
      `Cannot run ${path}: a request brings source, and no file is read for it.`,
      { hint: `Name the file in a configuration file, under ${path}.`, data: { field: path } },
    );
  }
  const home = caller.env.HOME ?? Deno.env.get("HOME") ?? "/";
  const folder = layer === "file" ? dirname(source) : caller.identity.cwd ?? "/";
  const file = text.startsWith("~/") ? resolve(home, text.slice(2)) : resolve(folder, text);
  const read = await readScriptFile(file, rules);
  if ("source" in read) return { source: read.source, filename: file };
  throw new McpxError(
    "invalid-input",
    `Cannot run ${path}: the file ${file} cannot be read: ${read.reason}.`,
    {
      hint: read.isStrange
        ? `If you know what it says, run: mcpx trust ${file}`
        : `It is named by ${source}.`,
      data: { field: path },
    },
  );
}
