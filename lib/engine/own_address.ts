const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\]|0\.0\.0\.0|\[::\])$/;

/**
 * Whether a URL leads back to the daemon that would connect to it.
 *
 * @param url a server's
 * @param own where the daemon listens; nothing where it does not
 *
 * @example
 * ```ts
 * import { isOwnAddress } from "./own_address.ts";
 * console.assert(isOwnAddress("http://localhost:7000/mcp", "http://127.0.0.1:7000"));
 * ```
 */
export function isOwnAddress(url: string, own: string | undefined): boolean {
  if (own === undefined || !URL.canParse(url) || !URL.canParse(own)) return false;
  const [there, here] = [new URL(url), new URL(own)];
  if (there.port !== here.port) return false;
  return there.hostname === here.hostname || (LOOPBACK.test(there.hostname) && LOOPBACK.test(here.hostname));
}
