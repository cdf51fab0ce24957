/** Addresses that no page is at: they run what they hold, or open what is on this machine or inside the browser. */
const NO_PAGE =
  /^(javascript|vbscript|data|blob|file|filesystem|about|view-source|jar|shell|search|search-ms|ms-msdt|resource|chrome|edge|[a-z]+-extension):$/;
/** What has no shape of its own, or turns round what follows it: it would show another address than it opens. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Z}]/u;
const LONGEST = 8192;

/** What is to be said of an address that a server wants opened. */
export type PageAddress =
  /** Why nobody is asked to open it, as the end of a sentence. */
  | { refused: string }
  /** What whoever opens it has to know first. */
  | { warning?: string };

/**
 * Judges an address that a server wants a person to open.
 *
 * @param url as the server sent it
 *
 * @example
 * ```ts
 * import { judgePage } from "./page_address.ts";
 * console.assert("refused" in judgePage("javascript:alert(1)"));
 * console.assert(JSON.stringify(judgePage("https://example.org/")) === "{}");
 * ```
 */
export function judgePage(url: string): PageAddress {
  if (url.length > LONGEST) return { refused: `it is longer than ${LONGEST} characters` };
  if (UNSEEN.test(url)) return { refused: "it holds characters that cannot be seen" };
  if (!URL.canParse(url)) return { refused: "it is no address" };
  const { protocol, hostname, username, password } = new URL(url);
  if (NO_PAGE.test(protocol)) return { refused: `no page is at an address of ${protocol}` };
  if (protocol !== "https:" && protocol !== "http:") {
    return {
      warning: `This is no web page: a program on this machine that takes ${protocol} would open it.`,
    };
  }
  if (username !== "" || password !== "") {
    return { warning: `What stands before the @ is no site: the page is at ${hostname}.` };
  }
  if (hostname.split(".").some((label) => label.startsWith("xn--"))) {
    return { warning: `The site's name has letters that may look like others: it is ${hostname}.` };
  }
  return {};
}
