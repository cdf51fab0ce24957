import type { JsonObject } from "../schema/types.ts";

const SECRET =
  /(^|_)(token|secret|password|passwd|passphrase|passcode|pin|otp|credentials?|key|cvv|cvc)s?(_|$)/;

/**
 * Whether a name sounds like that of a secret: `apiKey`, `github-token`, `PASSWORD`.
 *
 * @example
 * ```ts
 * import { isSecretName } from "./secret_names.ts";
 * console.assert(isSecretName("apiKey") && !isSecretName("monkey"));
 * ```
 */
export function isSecretName(name: string): boolean {
  const words = name.replace(/([a-z0-9])([A-Z])/g, "$1_$2").replace(/([A-Z]+)([A-Z][a-z])/g, "$1_$2");
  return SECRET.test(words.toLowerCase().replace(/[^a-z0-9]+/g, "_")) ||
    /(apikey|accesskey|privatekey|secretkey|authtoken|password|passphrase)/.test(name.toLowerCase());
}

/** Whether a form's field holds a secret: by its format, its name, or what a password field says of itself. */
export function isSecretField(name: string, schema: unknown): boolean {
  if (isSecretName(name)) return true;
  if (typeof schema !== "object" || schema === null) return false;
  const { format, writeOnly } = schema as { format?: unknown; writeOnly?: unknown };
  return format === "password" || writeOnly === true;
}

/** What stands in the place of a secret. */
export const HIDDEN = "[hidden]";

/** A copy of an object in which members that sound like secrets, at any depth, show nothing. */
export function withoutSecrets(value: unknown, depth = 0): unknown {
  if (depth > 20) return HIDDEN;
  if (Array.isArray(value)) return value.map((item) => withoutSecrets(item, depth + 1));
  if (typeof value !== "object" || value === null) return value;
  const shown: JsonObject = {};
  for (const [name, member] of Object.entries(value)) {
    Object.defineProperty(shown, name, {
      value: isSecretName(name) ? HIDDEN : withoutSecrets(member, depth + 1),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return shown;
}
