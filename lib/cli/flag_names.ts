import type { ManifestInput } from "./manifest_types.ts";

/** The flag of an input, without dashes: `dryRun` -> `dry-run`. A run of capitals is one word: `askTTL` -> `ask-ttl`. */
export function flagName(input: Pick<ManifestInput, "name">): string {
  return input.name.replace(/([a-z0-9])([A-Z])/g, "$1-$2").replace(/_/g, "-").toLowerCase();
}

/** The word that stands for an input's value in usage lines: `<tool>`, `<words…>`. */
export function placeholder(input: ManifestInput): string {
  if (input.kind === "pairs") return "['{…}' | key=value … | -]";
  const word = input.rest ? `<${flagName(input)}…>` : `<${flagName(input)}>`;
  return input.required ? word : `[${word.slice(1, -1)}]`;
}
