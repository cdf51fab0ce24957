/** Where an HTTP server is, as errors may show it: no credentials, no query, no header values. */
export interface HttpPlace {
  readonly url: URL;
  readonly headers: Record<string, string>;
  /** The address without user, password and query. */
  readonly shown: string;
  /** Takes every value that could be a secret out of a text. */
  redact(text: string): string;
}

const SHORTEST_SECRET = 4;

/** Reads a target's address and headers. @throws {TypeError} when the address is no URL */
export function httpPlace(target: { url: string; headers: Record<string, string> }): HttpPlace {
  const url = new URL(target.url);
  const headers = { ...target.headers };
  if (url.username !== "" || url.password !== "") {
    const pair = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
    headers.authorization ??= `Basic ${btoa(pair)}`;
    url.username = "";
    url.password = "";
  }
  url.hash = "";
  const secrets = [
    ...Object.values(headers).flatMap((value) => [value, ...value.split(/\s+/)]),
    ...url.searchParams.values(),
    ...(url.search.length > 1 ? [url.search.slice(1)] : []),
  ].filter((value) => value.length >= SHORTEST_SECRET).sort((a, b) => b.length - a.length);
  return {
    url,
    headers,
    shown: `${url.origin}${url.pathname}`,
    redact: (text) => secrets.reduce((left, secret) => left.replaceAll(secret, "•••"), text),
  };
}
