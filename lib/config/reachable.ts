/** What keeps a command or an address from ever being a server. */
export interface Unreachable {
  field: "command" | "url";
  /** A clause, such as `url must begin with http:// or https://`. */
  what: string;
  /** What is meant instead, as words of `mcpx servers add`, where that can be told. */
  instead?: string;
}

const ADDRESS = /^(?:[a-z][a-z0-9+.-]*:\/\/|(?:about|blob|data|file|javascript|mailto|vbscript):)/i;
const WITH_USER = /^https?:\/\/[^/?#]*@/i;

/**
 * Tells what keeps a command or an address from ever being a server; strings may still hold `${…}`.
 *
 * @param target what is written
 * @returns what is wrong with it; nothing where it may be one
 *
 * @example
 * ```ts
 * import { unreachable } from "./reachable.ts";
 * console.assert(unreachable({ command: "https://example.org/mcp" })?.field === "command");
 * console.assert(unreachable({ url: "https://example.org/mcp" }) === undefined);
 * ```
 */
export function unreachable(target: { command?: string; url?: string }): Unreachable | undefined {
  const { command, url } = target;
  if (command !== undefined) return commandFault(command);
  return url === undefined ? undefined : urlFault(url);
}

function commandFault(command: string): Unreachable | undefined {
  if (ADDRESS.test(command)) {
    const isWeb = /^https?:/i.test(command) && urlFault(command) === undefined;
    return {
      field: "command",
      what: `command is an address and no program${isWeb ? "; did you mean url" : ""}`,
      ...(isWeb ? { instead: `--url ${command}` } : {}),
    };
  }
  if (/[\0\r\n]/.test(command)) return { field: "command", what: "command has a line break or a zero in it" };
  return undefined;
}

function urlFault(url: string): Unreachable | undefined {
  const refused = (what: string): Unreachable => ({ field: "url", what: `url ${what}` });
  if (WITH_USER.test(url)) {
    return refused("has a name or a password in it; give those in headers or auth, as ${VAR}");
  }
  if (url.startsWith("$")) return undefined;
  if (!/^https?:\/\//i.test(url)) return refused("must begin with http:// or https://");
  if (!url.includes("$") && !URL.canParse(url)) return refused("is no whole address");
  return undefined;
}
