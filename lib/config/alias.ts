import { nearest } from "../catalog/nearest.ts";
import { FieldFault, isObject } from "./fields.ts";
import { DEFINING_KEYS, GUARDED_BLOCK_KEYS, isOwn, type MergedEntry, TARGET_KEYS } from "./merge.ts";

/** What an alias takes from its target unless it says otherwise; names and groups are its own. */
const SHARED_BY_ALIAS = [
  "sharing",
  "scope",
  "min",
  "max",
  "idleTimeout",
  "callTimeout",
  "startTimeout",
  "protocol",
];

/**
 * Makes the entry of an alias: what it says itself, over how its target is reached and leased. The target's filters hold for it too:
 * an alias sees less of a server, never more. One in a project's file that is not trusted takes a server of the user's as it is.
 *
 * @param alias its own entry
 * @param entries every server's entry
 * @returns the entry that is read like any other
 * @throws {FieldFault} when there is no such target, the target is an alias itself, or its start is not this file's to change
 */
export function aliasEntry(alias: MergedEntry, entries: ReadonlyMap<string, MergedEntry>): MergedEntry {
  const field = alias.fields.get("aliasOf");
  const targetName = field?.value;
  if (typeof targetName !== "string") {
    throw new FieldFault(["aliasOf"], "aliasOf must be the name of a server");
  }
  const extra = DEFINING_KEYS.find((key) => key !== "aliasOf" && alias.fields.has(key));
  if (extra) throw new FieldFault(["aliasOf"], `it has both aliasOf and ${extra}; keep one of them`);
  const target = entries.get(targetName);
  if (target === undefined || targetName === alias.name) {
    const meant = nearest(targetName, [...entries.keys()].filter((name) => name !== alias.name))[0];
    const rest = targetName === alias.name
      ? "is the server itself"
      : `names no server${meant ? `; did you mean ${meant}?` : ""}`;
    throw new FieldFault(["aliasOf"], `aliasOf: ${JSON.stringify(targetName)} ${rest}`);
  }
  if (target.fields.has("aliasOf")) {
    const final = target.fields.get("aliasOf")?.value;
    throw new FieldFault(
      ["aliasOf"],
      `aliasOf: ${JSON.stringify(targetName)} is itself an alias; name ${JSON.stringify(final)} instead`,
    );
  }
  const isForeign = isOwn(target.definedBy) && !isOwn(field?.layer ?? alias.definedBy);
  const changed = [...alias.fields.keys()].find((key) => key !== "aliasOf" && TARGET_KEYS.has(key));
  if (isForeign && changed !== undefined) {
    throw new FieldFault(
      [changed],
      `${target.definedBy.file.file.path} says how ${targetName} is started, and ${changed} is no project's to change`,
    );
  }
  const fields = new Map(alias.fields);
  const off = target.fields.get("disabled");
  if (isForeign && off?.value === true) fields.set("disabled", off);
  for (const [key, inherited] of target.fields) {
    const mine = fields.get(key);
    if (!TARGET_KEYS.has(key)) continue;
    if (mine === undefined) fields.set(key, inherited);
    else if ((key === "env" || key === "headers") && isObject(mine.value) && isObject(inherited.value)) {
      const value = Object.fromEntries([...Object.entries(inherited.value), ...Object.entries(mine.value)]);
      fields.set(key, { ...mine, value });
    }
  }
  const mcpx = new Map(alias.mcpx);
  for (const key of isForeign ? GUARDED_BLOCK_KEYS : []) {
    const said = target.mcpx.get(key);
    if (said && isOwn(said.layer)) mcpx.set(key, said);
  }
  for (const key of SHARED_BY_ALIAS) {
    const inherited = target.mcpx.get(key);
    if (inherited && !mcpx.has(key)) mcpx.set(key, inherited);
  }
  return { ...alias, fields, mcpx, targetFilters: target.filters, targetFrom: target.definedBy };
}
