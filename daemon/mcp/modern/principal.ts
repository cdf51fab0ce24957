import type { RequestOrigin } from "../surface_options.ts";

/**
 * Who makes a request, as far as that is known: the credentials that it carries, and the session, process and folder that it says it
 * comes from. Requests that say nothing are all one's.
 */
export function principalOf({ headers }: Request, { identity }: RequestOrigin): string {
  const { session = null, parentSession = null, pid = null, cwd = null } = identity;
  return JSON.stringify([headers.get("authorization"), session, parentSession, pid, cwd]);
}
