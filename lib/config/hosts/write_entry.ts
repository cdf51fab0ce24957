import { McpxError } from "../../errors/mod.ts";
import { type Dialect, writeDialect } from "./dialect.ts";
import type { PortableServer } from "./types.ts";

/** The strings of a server in a host's dialect, before the host's own keys are put around them. */
export interface WrittenServer {
  command?: string;
  args: string[];
  env: Record<string, string>;
  cwd?: string;
  url?: string;
  headers: Record<string, string>;
  transport: "http" | "sse" | "auto";
}

/**
 * Spells a server's strings as a host does; credentials become headers.
 *
 * @param name the server
 * @param entry in mcpx's form
 * @param host the host's title and dialect
 * @returns the strings
 * @throws {McpxError} `unsupported` for what the host cannot hold
 */
export function writeEntry(
  name: string,
  entry: PortableServer,
  { title, dialect }: { title: string; dialect: Dialect },
): WrittenServer {
  const write = (text: string, field: string): string =>
    writeDialect(text, dialect, { title, field: `${name}.${field}` });
  const record = (texts: Record<string, string> | undefined, field: string): Record<string, string> =>
    Object.fromEntries(
      Object.entries(texts ?? {}).map(([key, text]) => [key, write(text, `${field}.${key}`)]),
    );
  const headers = record(entry.headers, "headers");
  const auth = entry.auth;
  if (auth?.type === "bearer") headers.Authorization = `Bearer ${write(auth.token, "auth.token")}`;
  else if (auth?.type === "header") headers[auth.name] = write(auth.value, "auth.value");
  else if (auth?.type === "basic" || auth?.type === "query") {
    throw new McpxError(
      "unsupported",
      `Cannot write ${name}.auth for ${title}: it has no ${auth.type} credentials.`,
      {
        hint: `Let ${title} start mcpx itself, which sends them: mcpx serve`,
      },
    );
  }
  return {
    ...(entry.command === undefined ? {} : { command: write(entry.command, "command") }),
    args: (entry.args ?? []).map((text, at) => write(text, `args[${at}]`)),
    env: record(entry.env, "env"),
    ...(entry.cwd === undefined ? {} : { cwd: write(entry.cwd, "cwd") }),
    ...(entry.url === undefined ? {} : { url: write(entry.url, "url") }),
    headers,
    transport: entry.transport ?? "auto",
  };
}

/** An object without its empty members. */
export function withoutEmpty(members: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(members).filter(([, value]) =>
      value !== undefined && !(typeof value === "object" && value !== null && Object.keys(value).length === 0)
    ),
  );
}
