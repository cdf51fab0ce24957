import type { Question, QuestionKind } from "./types.ts";

const OWN: readonly QuestionKind[] = ["confirmation", "disambiguation", "recipe-form"];

/** Who asks: the server, or mcpx itself about one. */
export function askerOf({ kind, server }: Pick<Question, "kind" | "server">): string {
  return server === undefined || OWN.includes(kind) ? "mcpx" : server;
}
