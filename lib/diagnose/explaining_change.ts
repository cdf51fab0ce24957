import type { ChangeKind, Finding, ToolChange } from "./types.ts";

/**
 * The newest recorded change that explains a finding.
 *
 * @param changes a tool's changes, oldest first
 * @param kinds what kinds of change can explain it
 * @param fields the arguments concerned; without it, changes of the tool itself
 */
export function explainingChange(
  changes: readonly ToolChange[],
  kinds: readonly ChangeKind[],
  fields?: readonly string[],
): Finding["changed"] {
  const found = changes.findLast((change) =>
    kinds.includes(change.kind) &&
    (fields === undefined || (change.field !== undefined && fields.includes(change.field)))
  );
  return found === undefined ? undefined : { when: found.when, kind: found.kind, what: found.what };
}
