import assert from "node:assert/strict";
import { featureRows } from "./feature_rows.ts";
import { membersOf } from "./members.ts";
import { has, hasOnly, type Requirement } from "./requirement.ts";
import type { RevisionHost } from "./revision_host.ts";
import { utilityRows } from "./utility_rows.ts";

type Json = Record<string, unknown>;
type Row = Requirement<RevisionHost>;

const X = '"x-unknown":{"deep":[1,{"n":9007199254740993}]}';

/** What every revision with a handshake asks of a server, in the words of one of them. */
export function serverRows(version: string): Row[] {
  return [
    ...lifecycleRows(version),
    ...messageRows(),
    ...utilityRows(version),
    ...featureRows(version),
  ];
}

function lifecycleRows(version: string): Row[] {
  const members = membersOf(version);
  return [
    {
      section: "basic/lifecycle, Initialization",
      says: "initialize is answered with the server's own version, capabilities and information",
      check: ({ initialized }) => {
        has(initialized, { serverInfo: { name: "mcpx", version: /^\d/ }, capabilities: {} });
        hasOnly(initialized, members.initialize);
        hasOnly(initialized.serverInfo, members.serverInfo);
      },
    },
    {
      section: "basic/lifecycle, Version Negotiation",
      says: "a version that the server supports is answered with itself",
      check: ({ initialized }) => assert.equal(initialized.protocolVersion, version),
    },
    {
      section: "basic/lifecycle, Version Negotiation",
      says: "a version that it does not support is answered with the latest that it does",
      check: async ({ daemon }) => {
        const { answer } = await daemon.initialize("1999-01-01");
        has(answer.last, { result: { protocolVersion: "2025-11-25" } });
      },
    },
    {
      section: "basic/lifecycle, Capability Negotiation",
      says: "only capabilities of the revision are declared, and those that have to be are",
      check: ({ initialized }) => {
        hasOnly(initialized.capabilities, members.capabilities);
        has(initialized.capabilities, { tools: {}, prompts: {}, resources: {}, logging: {} });
        assert.equal(
          (initialized.capabilities as Json).completions !== undefined,
          version !== "2024-11-05",
        );
      },
    },
    {
      section: "basic/lifecycle, Initialization",
      says: "before initialize nothing is served but pings",
      check: async ({ daemon }) => {
        has((await daemon.post('{"jsonrpc":"2.0","id":1,"method":"ping"}')).last, { id: 1, result: {} });
        const refused = await daemon.post('{"jsonrpc":"2.0","id":2,"method":"tools/list"}');
        assert.equal(refused.status, 400);
        has(refused.last, { id: 2, error: { code: -32600 } });
      },
    },
    {
      section: "basic/lifecycle, Initialization",
      says: "between initialize and initialized a ping is answered, and the server asks nothing of itself",
      check: async ({ daemon }) => {
        const opened = await daemon.post(
          `{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"${version}","capabilities":{"roots":{},"sampling":{}},"clientInfo":{"name":"raw","version":"1"}}}`,
        );
        const session = { "mcp-session-id": opened.headers.get("mcp-session-id") ?? "" };
        const { messages } = await daemon.post('{"jsonrpc":"2.0","id":1,"method":"ping"}', session);
        assert.deepEqual(messages, ['{"jsonrpc":"2.0","id":1,"result":{}}']);
      },
    },
    {
      section: "basic/transports, Session Management",
      says: "a session's id is visible ASCII, and another one for every session",
      check: async ({ daemon, headers }) => {
        assert.match(headers["mcp-session-id"] ?? "", /^[\x21-\x7e]{20,}$/);
        const other = await daemon.initialize(version);
        assert.notEqual(other.headers["mcp-session-id"], headers["mcp-session-id"]);
      },
    },
  ];
}

function messageRows(): Row[] {
  return [
    ...['"a"', '""', "0", "-7", '"é"', "9007199254740993"].map((id): Row => ({
      section: "basic, Responses",
      says: `a response carries the id of its request: ${id}`,
      check: async (host) =>
        assert.equal((await host.ask("ping", "{}", { id })).text, `{"jsonrpc":"2.0","id":${id},"result":{}}`),
    })),
    {
      section: "basic, Requests",
      says: "an id must not be null",
      check: async (host) => {
        const { status, last } = await host.post('{"jsonrpc":"2.0","id":null,"method":"ping"}');
        assert.equal(status, 400);
        has(last, { error: { code: -32600 } });
      },
    },
    {
      section: "basic, Notifications",
      says: "a notification is not responded to, known or not",
      check: async (host) => {
        await host.tell("notifications/whatever", `{${X}}`);
        await host.tell("notifications/initialized");
        await host.tell("notifications/roots/list_changed");
      },
    },
    {
      section: "basic, Responses",
      says: "a response that nobody waits for is taken without an answer",
      check: async (host) => {
        const { status, text } = await host.post('{"jsonrpc":"2.0","id":"nobody","result":{}}');
        assert.deepEqual([status, text], [202, ""]);
      },
    },
    {
      section: "basic, Responses",
      says: "an unknown method is -32601 with the request's id",
      check: async (host) =>
        has((await host.ask("tools/destroy", "{}", { id: '"u"' })).last, {
          id: "u",
          error: { code: -32601 },
        }),
    },
    {
      section: "basic/utilities/ping",
      says: "a ping is answered promptly with an empty result, also while another request runs",
      check: async (host) => {
        const stop = host.freshId();
        const hanging = host.ask("tools/call", '{"name":"hang"}', { id: stop });
        await host.logged(({ params }) => (params as Json | undefined)?.name === "hang");
        assert.deepEqual(await host.result("ping"), {});
        await host.tell("notifications/cancelled", `{"requestId":${stop}}`);
        await hanging;
      },
    },
  ];
}
