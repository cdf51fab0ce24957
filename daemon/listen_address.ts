import { McpxError } from "../lib/errors/mod.ts";

/** Where to listen on TCP. */
export interface ListenAddress {
  hostname: string;
  port: number;
  /** The host as a URL writes it. */
  urlHost: string;
  auth: "token" | "none";
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1)$/;

/**
 * Reads `http.listen` and `http.auth`.
 *
 * @returns nothing where `http.listen` is empty
 * @throws {McpxError} `invalid-input` for no address, or `none` on an address that others can reach
 */
export function parseListen(listen: string, auth: string): ListenAddress | undefined {
  if (listen === "") return undefined;
  const match = /^(?:http:\/\/)?(?:\[([0-9a-fA-F:]+)\]|([^:/[\]]+))?:(\d{1,5})\/?$/.exec(listen);
  const port = Number(match?.[3] ?? "65536");
  if (!match || port > 65535) {
    throw new McpxError(
      "invalid-input",
      `Cannot listen on ${JSON.stringify(listen)}: http.listen is host:port, such as 127.0.0.1:7411.`,
      {
        data: { field: "http.listen" },
      },
    );
  }
  const hostname = match[1] ?? match[2] ?? "127.0.0.1";
  if (auth === "none" && !LOOPBACK.test(hostname)) {
    throw new McpxError(
      "invalid-input",
      `Cannot listen on ${listen} with http.auth none: others can reach that address.`,
      {
        hint: "Set http.auth to token, or listen on 127.0.0.1.",
        data: { field: "http.auth" },
      },
    );
  }
  return {
    hostname,
    port,
    urlHost: hostname.includes(":") ? `[${hostname}]` : hostname,
    auth: auth === "none" ? "none" : "token",
  };
}
