import { McpxError } from "../errors/mod.ts";
import { parseJson } from "../json/mod.ts";

const MASK = "***";

/** Keeps the secrets that configurations brought out of logs and errors. */
export class Redactor {
  readonly #secrets = new Set<string>();

  /** Learns values that must not show. */
  learn(secrets: Iterable<string>): void {
    for (const secret of secrets) if (secret.length >= 4) this.#secrets.add(secret);
  }

  /** A text without the secrets, longest first. */
  text(text: string): string {
    let shown = text;
    for (const secret of [...this.#secrets].sort((a, b) => b.length - a.length)) {
      shown = shown.replaceAll(secret, MASK);
      const encoded = encodeURIComponent(secret);
      if (encoded !== secret) shown = shown.replaceAll(encoded, MASK);
    }
    return shown;
  }

  /** A JSON value without the secrets in its strings. */
  value<T>(value: T): T {
    if (this.#secrets.size === 0 || value === undefined) return value;
    const shown = JSON.stringify(
      value,
      (_key, member: unknown) => typeof member === "string" ? this.text(member) : member,
    );
    return parseJson(shown) as T; // a number keeps its digits
  }

  /** An error without the secrets. */
  error(error: McpxError): McpxError {
    if (this.#secrets.size === 0) return error;
    return new McpxError(error.code, this.text(error.message), {
      ...(error.hint === undefined ? {} : { hint: this.text(error.hint) }),
      ...(error.data === undefined ? {} : { data: this.value(error.data) }),
      ...(error.diagnostics ? { diagnostics: this.value(error.diagnostics) } : {}),
      cause: error,
    });
  }
}
