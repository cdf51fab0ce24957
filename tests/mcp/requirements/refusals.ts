import assert from "node:assert/strict";
import { MODERN, modernRequest, type RawAnswer } from "../../support/mcp_host.ts";
import { has, type Requirement } from "./requirement.ts";
import type { RevisionHost } from "./revision_host.ts";

type Row = Requirement<RevisionHost>;

/** One malformed request, and the status and code that the specification has for it. */
interface Refusal {
  section: string;
  says: string;
  send(host: RevisionHost): Promise<RawAnswer>;
  status: number;
  code?: number;
  data?: unknown;
}

const PREFIX = "io.modelcontextprotocol/";
const PING = '{"jsonrpc":"2.0","id":9,"method":"ping"}';
const request = (method: string, params = "{}"): string =>
  `{"jsonrpc":"2.0","id":1,"method":"${method}","params":${params}}`;
const envelope = (members: string): string => request("tools/list", `{"_meta":{${members}}}`);
const headersOf = (method: string): Record<string, string> => ({
  "mcp-protocol-version": MODERN,
  "mcp-method": method,
});
const list = (): [string, Record<string, string>] => modernRequest("tools/list");

async function statusOf(
  host: RevisionHost,
  init: RequestInit & { headers?: Record<string, string> },
): Promise<RawAnswer> {
  const { status, headers, body } = await host.daemon.http(init);
  await body?.cancel();
  return { status, headers, text: "", messages: [], last: {} };
}

/** What any revision refuses over HTTP. */
const ANY: Refusal[] = [
  {
    section: "JSON-RPC 2.0, 5.1",
    says: "text that is no JSON",
    send: (host) => host.post("{nope"),
    status: 400,
    code: -32700,
  },
  {
    section: "JSON-RPC 2.0, 5.1",
    says: "an empty body",
    send: (host) => host.post(""),
    status: 400,
    code: -32700,
  },
  {
    section: "basic/transports, Sending Messages",
    says: "a body that is not declared as JSON",
    send: (host) => host.post(PING, { "content-type": "text/plain" }),
    status: 415,
  },
  {
    section: "basic/transports",
    says: "a method that HTTP has but MCP does not take",
    send: (host) => statusOf(host, { method: "PUT" }),
    status: 405,
  },
];

const LEGACY: Refusal[] = [
  {
    section: "basic, Messages",
    says: "null",
    send: (host) => host.post("null"),
    status: 400,
    code: -32600,
  },
  {
    section: "basic, Messages",
    says: "a plain string",
    send: (host) => host.post('"ping"'),
    status: 400,
    code: -32600,
  },
  {
    section: "basic, Requests",
    says: "an id that is an object",
    send: (host) => host.post('{"jsonrpc":"2.0","id":{},"method":"ping"}'),
    status: 400,
    code: -32600,
  },
  {
    section: "JSON-RPC 2.0, 4",
    says: "a message without its version",
    send: (host) => host.post('{"id":1,"method":"ping"}'),
    status: 400,
    code: -32600,
  },
  {
    section: "basic, Requests",
    says: "params that are a list",
    send: (host) => host.post(request("tools/list", "[]")),
    status: 400,
    code: -32602,
  },
  {
    section: "basic, Responses",
    says: "a method that is called like a member of every object",
    send: (host) => host.post(request("toString")),
    status: 200,
    code: -32601,
  },
  {
    section: "basic/transports, Session Management",
    says: "a request without a session",
    send: (host) => host.daemon.post(request("tools/list")),
    status: 400,
    code: -32600,
  },
  {
    section: "basic/transports, Session Management",
    says: "a session that does not exist",
    send: (host) => host.daemon.post(PING, { "mcp-session-id": "nobody" }),
    status: 404,
    code: -32600,
  },
  {
    section: "basic/transports, Protocol Version Header",
    says: "a version header that is not the session's",
    send: (host) =>
      host.post(PING, {
        "mcp-protocol-version": host.version === "2024-11-05" ? "2025-11-25" : "2024-11-05",
      }),
    status: 400,
    code: -32600,
  },
  {
    section: "basic/transports, Protocol Version Header",
    says: "a version header that nobody knows",
    send: (host) => host.post(PING, { "mcp-protocol-version": "1999-01-01" }),
    status: 400,
    code: -32600,
  },
  {
    section: "basic/lifecycle, Initialization",
    says: "a second initialize in a session",
    send: (host) =>
      host.post(
        request("initialize", `{"protocolVersion":"${host.version}","capabilities":{},"clientInfo":{}}`),
      ),
    status: 400,
    code: -32600,
  },
  {
    section: "basic/lifecycle, Initialization",
    says: "initialize without a version",
    send: (host) => host.daemon.post(request("initialize", '{"capabilities":{},"clientInfo":{}}')),
    status: 400,
    code: -32602,
  },
  {
    section: "server/discover came with 2026-07-28",
    says: "server/discover in a session",
    send: (host) => host.post(request("server/discover")),
    status: 200,
    code: -32601,
  },
];

const NO_BATCHES: Refusal = {
  section: "batches are of 2025-03-26 alone",
  says: "a batch",
  send: (host) => host.post(`[${PING}]`),
  status: 400,
  code: -32600,
};

const MODERN_ONLY: Refusal[] = [
  {
    section: "basic, _meta",
    says: "a request without _meta",
    send: (host) => host.post(request("tools/list"), headersOf("tools/list")),
    status: 400,
    code: -32602,
  },
  {
    section: "basic, _meta",
    says: "an envelope without capabilities",
    send: (host) => host.post(envelope(`"${PREFIX}protocolVersion":"${MODERN}"`), headersOf("tools/list")),
    status: 400,
    code: -32602,
  },
  ...["2099-01-01", "1999-01-01", "2025-11-25"].map((version): Refusal => ({
    section: "basic/versioning, Protocol Version Negotiation",
    says: `a version that is not served without a handshake: ${version}`,
    send: (host) =>
      host.post(envelope(`"${PREFIX}protocolVersion":"${version}","${PREFIX}clientCapabilities":{}`), {
        ...headersOf("tools/list"),
        "mcp-protocol-version": version,
      }),
    status: 400,
    code: -32022,
    data: { supported: [MODERN], requested: version },
  })),
  {
    section: "streamable-http, Protocol Version Header",
    says: "a missing version header",
    send: (host) => {
      const [body, { "mcp-protocol-version": _left, ...headers }] = list();
      return host.post(body, headers);
    },
    status: 400,
    code: -32020,
  },
  {
    section: "streamable-http, Protocol Version Header",
    says: "a version header that lies",
    send: (host) => host.post(list()[0], { ...list()[1], "mcp-protocol-version": "2025-11-25" }),
    status: 400,
    code: -32020,
  },
  {
    section: "streamable-http, Standard Request Headers",
    says: "a method header that lies",
    send: (host) => host.post(list()[0], { ...list()[1], "mcp-method": "tools/call" }),
    status: 400,
    code: -32020,
  },
  {
    section: "streamable-http, Standard Request Headers",
    says: "a name header that lies",
    send: (host) => host.ask("tools/call", '{"name":"give"}', { headers: { "mcp-name": "other" } }),
    status: 400,
    code: -32020,
  },
  {
    section: "streamable-http, Value Encoding",
    says: "a name header whose base64 is broken",
    send: (host) => host.ask("tools/call", '{"name":"give"}', { headers: { "mcp-name": "=?base64?!?=" } }),
    status: 400,
    code: -32020,
  },
  ...["ping", "initialize", "logging/setLevel", "resources/subscribe", "resources/unsubscribe", "roots/list"]
    .map((method): Refusal => ({
      section: "streamable-http, Protocol Version Header; changelog",
      says: `a method that the era does not have: ${method}`,
      send: (host) => host.ask(method),
      status: 404,
      code: -32601,
    })),
  {
    section: "streamable-http, Sending Messages 4",
    says: "a batch",
    send: (host) => host.post(`[${list()[0]}]`, list()[1]),
    status: 400,
    code: -32600,
  },
  {
    section: "streamable-http, Sending Messages 4",
    says: "a response",
    send: (host) => host.post('{"jsonrpc":"2.0","id":1,"result":{}}', headersOf("x")),
    status: 400,
    code: -32600,
  },
  {
    section: "streamable-http",
    says: "a GET",
    send: (host) => statusOf(host, { headers: { "mcp-protocol-version": MODERN } }),
    status: 405,
  },
  {
    section: "streamable-http",
    says: "a DELETE",
    send: (host) => statusOf(host, { method: "DELETE", headers: { "mcp-protocol-version": MODERN } }),
    status: 405,
  },
  {
    section: "basic/patterns/subscriptions",
    says: "a subscription without its filter",
    send: (host) => host.ask("subscriptions/listen"),
    status: 200,
    code: -32602,
  },
];

/** What a revision refuses over HTTP, each with its status and code, after which the next request works. */
export function refusalRows(version: string): Row[] {
  const own = version === MODERN
    ? MODERN_ONLY
    : [...LEGACY, ...(version === "2025-03-26" ? [] : [NO_BATCHES])];
  return [...ANY, ...own].map(({ section, says, send, status, code, data }): Row => ({
    section,
    says: `${says} is refused with ${status}${code === undefined ? "" : ` and ${code}`}`,
    check: async (host) => {
      const answer = await send(host);
      assert.equal(answer.status, status, answer.text);
      if (code !== undefined) has(answer.last, { error: { code, ...(data === undefined ? {} : { data }) } });
      if (version !== MODERN) {
        assert.equal((await host.post(PING)).text, '{"jsonrpc":"2.0","id":9,"result":{}}');
      }
      assert.equal((await host.daemon.post(...list())).status, 200);
    },
  }));
}
