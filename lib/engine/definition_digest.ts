import { createHash } from "node:crypto";
import type { ServerDefinition } from "../config/mod.ts";

/**
 * The digest of all that decides what a server offers, with its variables unexpanded: the key of the schema cache.
 * A changed version, command or address is another definition.
 */
export function definitionDigest(definition: ServerDefinition): string {
  const { target, auth, envPassthrough, protocol, source } = definition;
  const folder = target.kind === "stdio" ? source.folder : "";
  const text = JSON.stringify([target, auth ?? null, envPassthrough, protocol, folder]);
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
}
