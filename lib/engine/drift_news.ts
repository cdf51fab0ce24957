import type { RecordedChange } from "../diagnose/mod.ts";

/** What changed in the tools of one server, by one reading. */
export interface Drift {
  /** Its name in the configuration, and its namespace. */
  server: string;
  namespace: string;
  changes: RecordedChange[];
}

/** Whether a person should know before a tool is used on: callers break, or the text tells a model what to do. */
export function needsReading({ verdict, flags }: Pick<RecordedChange, "verdict" | "flags">): boolean {
  return verdict === "breaking" || (flags?.length ?? 0) > 0;
}

/** Says in one line what changed. */
export function driftText({ namespace, changes }: Drift): string {
  const serious = changes.filter(needsReading);
  const [told] = serious.length > 0 ? serious : changes;
  if (!told) return `${namespace} is as it was.`;
  const subject = told.tool === undefined ? namespace : `${namespace}.${told.tool}`;
  const what = told.flags?.[0] ?? told.what;
  const others = changes.length === 1 ? "" : `, and ${changes.length - 1} more`;
  return `${subject} has changed: ${what} (${told.verdict}${others}; mcpx history show ${namespace})`;
}

/** What changed and nobody was told of yet: the next caller of that server is, once. */
export class DriftNews {
  readonly #texts = new Map<string, string>();

  /** A reading found changes. */
  add(drift: Drift): void {
    this.#texts.set(drift.server, driftText(drift));
  }

  /** Whether there is nothing to tell: so it is nearly always. */
  get none(): boolean {
    return this.#texts.size === 0;
  }

  /** Takes what is to be told to a caller of these servers. */
  take(servers: Iterable<string>): string[] {
    return [...servers].flatMap((server) => {
      const text = this.#texts.get(server);
      this.#texts.delete(server);
      return text === undefined ? [] : [text];
    });
  }
}
