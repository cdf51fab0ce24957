import { type ErrorCode, McpxError } from "../../errors/mod.ts";
import { parseJson } from "../../json/mod.ts";
import type { RpcErrorObject } from "../json_rpc.ts";
import type { HttpPlace } from "./http_place.ts";

/** The runtime says why a connection failed in words only; these are the words. */
const CONNECT_FAILURES: readonly { words: RegExp; code: ErrorCode; state: string; hint: string }[] = [
  {
    words: /dns error|failed to lookup address/i,
    code: "upstream-dns",
    state: "its host name cannot be resolved",
    hint: "Check the host name in the server's url.",
  },
  {
    words: /certificate|tls|ssl|handshake|InvalidContentType/i,
    code: "upstream-tls",
    state: "the TLS connection was refused",
    hint: "Check the certificate, or name its authority: DENO_CERT=ca.pem",
  },
  {
    words: /\(Connect\)|tcp connect error|connection refused|unreachable/i,
    code: "upstream-refused",
    state: "nothing accepts a connection there",
    hint: "Start the server, or correct the port in its url.",
  },
  {
    words: /requests to port \d+ are blocked/i,
    code: "upstream-refused",
    state: "the port is one that HTTP clients must not use",
    hint: "Let the server listen on another port.",
  },
];

/**
 * Says why a fetch failed.
 *
 * A connection that was never made did not carry the request; any later failure leaves the outcome open.
 *
 * @param thrown what fetch threw
 * @param place the server's address
 */
export function fetchFailure(thrown: unknown, place: HttpPlace): McpxError {
  if (thrown instanceof McpxError) return thrown;
  const words = causes(thrown);
  const text = place.redact(words).replaceAll(place.url.href, place.shown);
  const made = /\(SendRequest\)/.test(words);
  const known = made ? undefined : CONNECT_FAILURES.find((failure) => failure.words.test(words));
  if (known) {
    return new McpxError(known.code, `Cannot reach ${place.shown}: ${known.state}.`, {
      hint: known.hint,
      data: { url: place.shown, sent: false, reason: text },
    });
  }
  return lostOverHttp(place, text);
}

/** The connection broke after the request was sent. */
export function lostOverHttp(place: HttpPlace, reason: string): McpxError {
  return new McpxError(
    "outcome-unknown",
    `The connection to ${place.shown} was lost before the answer came: the request may have taken effect.`,
    {
      hint: "Look whether it took effect before sending it again.",
      data: { url: place.shown, sent: true, reason },
    },
  );
}

function causes(thrown: unknown): string {
  const parts: string[] = [];
  for (let at = thrown; at !== undefined && parts.length < 5;) {
    parts.push(at instanceof Error ? at.message : String(at));
    at = at instanceof Error ? at.cause : undefined;
  }
  return parts.join(": ");
}

/** What an answer with an error status said. */
export interface StatusFailure {
  status: number;
  headers: Headers;
  /** The beginning of the body. */
  text: string;
  /** The body's JSON-RPC error, where it is one. */
  rpc?: RpcErrorObject;
  method?: string;
}

/**
 * Says what an error status means: 401 and 403 ask for credentials, a JSON-RPC error below 500 is the server's
 * answer, anything else is shown with its status.
 */
export function statusFailure(failure: StatusFailure, place: HttpPlace): McpxError {
  const { status, headers } = failure;
  const rpc = failure.rpc && redacted(failure.rpc, place);
  const said = rpc?.message ?? place.redact(excerpt(failure.text));
  const data = { url: place.shown, status, ...(rpc ? { rpc } : {}) };
  if (status === 401 || status === 403) {
    const challenge = headers.get("www-authenticate");
    return new McpxError(
      "upstream-unauthorized",
      `Cannot use ${place.shown}: it answered ${status}${said === "" ? "" : ` (${said})`}.`,
      {
        hint: status === 401
          ? "Give the server credentials (headers or auth in its entry), or sign in: mcpx auth login <server>"
          : "The credentials are known but not allowed to do this: check their scope.",
        data: { ...data, ...(challenge === null ? {} : { challenge: place.redact(challenge) }) },
      },
    );
  }
  if (rpc && status < 500) {
    return new McpxError("upstream-error", rpc.message, { data: { ...rpc, status, method: failure.method } });
  }
  return new McpxError(
    "upstream-http",
    `Cannot use ${place.shown}: it answered ${status}${said === "" ? "" : ` (${said})`}.`,
    {
      hint: status >= 500
        ? "The fault is the server's: look at its own log."
        : "Check the path in the server's url.",
      data,
    },
  );
}

/** A server may echo what it was sent, headers and all. */
function redacted(rpc: RpcErrorObject, place: HttpPlace): RpcErrorObject {
  if (rpc.data === undefined) return { code: rpc.code, message: place.redact(rpc.message) };
  return {
    code: rpc.code,
    message: place.redact(rpc.message),
    data: parseJson(place.redact(JSON.stringify(rpc.data))),
  };
}

/** One line of a body, without markup. */
function excerpt(text: string): string {
  return text.replace(/<(style|script)[\s\S]*?<\/\1>/gi, " ").replace(/<[^>]*>/g, " ").replace(/\s+/g, " ")
    .trim()
    .slice(0, 200);
}
