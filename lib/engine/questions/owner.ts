import type { Caller } from "../caller.ts";

/** Who looks at questions and tasks. */
export type Viewer = Pick<Caller, "surface" | "identity">;

/** Whether somebody may see what a session's request raised: an agent sees its own session's, people see everything. */
export function isOwn({ session }: { session?: string }, viewer: Viewer | undefined): boolean {
  return viewer?.surface !== "mcp" || session === viewer.identity.session;
}
