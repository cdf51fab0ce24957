import assert from "node:assert/strict";
import { has, hasOnly, isMessage, type Requirement } from "./requirement.ts";
import type { RevisionHost } from "./revision_host.ts";

type Json = Record<string, unknown>;
type Row = Requirement<RevisionHost>;

const isRequest = ({ id, method }: Json): boolean => id !== undefined && method !== undefined;
const notice = (method: string, params = "{}"): string =>
  `{"jsonrpc":"2.0","method":"${method}","params":${params},"x-unknown":1}`;
const request = (id: string, method: string, params = "{}"): string =>
  `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${params},"x-unknown":1}`;

/** What every revision with a handshake asks of a client, seen by the server behind mcpx. */
export function clientRows(version: string): Row[] {
  return [
    {
      section: "basic/lifecycle, Initialization",
      says:
        "initialize comes first, with the latest version that the client supports, its capabilities and who it is",
      check: async (host) => {
        const [first] = await host.log();
        has(first, {
          jsonrpc: "2.0",
          method: "initialize",
          params: {
            protocolVersion: "2025-11-25",
            capabilities: { roots: { listChanged: true }, elicitation: {}, sampling: {} },
            clientInfo: { name: "mcpx", version: /^\d/ },
          },
        });
      },
    },
    {
      section: "basic/lifecycle, Initialization",
      says: "initialized follows the answer, and no request but pings comes before it",
      check: async (host) => {
        const log = await host.log();
        const at = log.findIndex(({ method }) => method === "notifications/initialized");
        const before = log.slice(1, at);
        has(before, [{ id: "early", result: {} }]);
        hasOnly(log[at], ["jsonrpc", "method", "params"]);
      },
    },
    {
      section: "basic/lifecycle, Version Negotiation",
      says: "a server whose version the client does not speak is disconnected from",
      check: async (host) => {
        // It may have been tried again, and was told nothing else.
        const methods = new Set((await host.log("stranger")).map(({ method }) => method));
        assert.deepEqual([...methods], ["initialize"]);
        const { value } = await host.daemon.world.json(["ls"]);
        assert.match(JSON.stringify(value), /1999-01-01/);
        const { code } = await host.daemon.world.run(["call", "stranger.give"]);
        assert.equal(code, 1);
      },
    },
    {
      section: "basic/lifecycle, Operation",
      says: "only capabilities that the server declared are used",
      check: async (host) => {
        await host.result("logging/setLevel", '{"level":"info"}');
        const methods = (await host.log("bare")).map(({ method }) => method);
        assert.deepEqual(methods.filter((method) => method !== "ping").slice(0, 2), [
          "initialize",
          "notifications/initialized",
        ]);
        assert.deepEqual(
          methods.filter((method) => /list|setLevel|subscribe|complete/.test(String(method))),
          [],
        );
      },
    },
    {
      section: "basic/utilities/ping",
      says: "a server's ping is answered with an empty result, before initialize and at any time",
      check: async (host) => {
        const answers = await host.serverSays([request('"p"', "ping"), request("0", "ping")], 2);
        assert.deepEqual(answers.map(({ id, result }) => [id, result]), [["p", {}], [0, {}]]);
      },
    },
    {
      section: "basic, Responses",
      says: "a request that the client does not know is -32601, and its id comes back in its own type",
      check: async (host) => {
        const answers = await host.serverSays([
          request("1", "tools/list"),
          request('"1"', "toString"),
          request('"é"', "sampling/nothing"),
        ], 3);
        for (const { id, error } of answers) {
          has(error, { code: -32601, message: /./ });
          assert.ok([1, "1", "é"].includes(id as string));
        }
        assert.equal(new Set(answers.map(({ id }) => id)).size, 3);
      },
    },
    {
      section: "basic, Notifications",
      says: "notifications, known or not, are not responded to, and a stray answer is dropped",
      check: async (host) => {
        const answers = await host.serverSays([
          notice("notifications/whatever"),
          notice("notifications/progress", '{"progressToken":"nobody","progress":1}'),
          notice("notifications/progress", '{"progressToken":{},"progress":"x"}'),
          notice("notifications/cancelled", '{"requestId":"nobody"}'),
          notice("notifications/cancelled"),
          notice("notifications/message", '{"level":"loud","data":null}'),
          '{"jsonrpc":"2.0","id":"nobody","result":{}}',
          '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"?"}}',
          request('"after"', "ping"),
        ], 1);
        has(answers, [{ id: "after", result: {} }]);
      },
    },
    {
      section: "client/roots, Listing Roots",
      says: "roots are file URIs",
      check: async (host) => {
        const [answer] = await host.serverSays([request('"r"', "roots/list")], 1);
        const { roots } = answer?.result as { roots: Json[] };
        assert.ok(roots.length > 0);
        for (const root of roots) has(root, { uri: /^file:\/\/\// });
      },
    },
    {
      section: "basic/utilities/cancellation, Behavior Requirements",
      says: "a request of the server's that it cancels is not responded to",
      check: async (host) => {
        const answers = await host.serverSays([
          request('"q1"', "sampling/createMessage", '{"messages":[],"maxTokens":1}'),
          notice("notifications/cancelled", '{"requestId":"q1","reason":"never mind"}'),
          request('"after"', "ping"),
        ], 1);
        has(answers, [{ id: "after" }]);
      },
    },
    {
      section: "basic/utilities/cancellation, Behavior Requirements",
      says: "only requests that were made and are in progress are cancelled, and never initialize",
      check: async (host) => {
        const id = host.freshId();
        const hanging = host.ask("tools/call", '{"name":"hang","arguments":{"which":"mine"}}', { id });
        const sent = await host.logged(({ params }) =>
          JSON.stringify((params as Json | undefined)?.arguments) === '{"which":"mine"}'
        );
        await host.tell("notifications/cancelled", `{"requestId":${id}}`);
        await hanging;
        await host.logged(({ method, params }) =>
          method === "notifications/cancelled" && (params as Json).requestId === sent.id
        );
        const log = await host.log();
        for (const [at, { method, params }] of log.entries()) {
          if (method !== "notifications/cancelled") continue;
          const { requestId, reason } = params as Json;
          const target = log.slice(0, at).find((one) => isRequest(one) && one.id === requestId);
          assert.notEqual(target?.method ?? "initialize", "initialize");
          assert.equal(typeof reason, "string");
        }
      },
    },
    {
      section: "server/utilities/pagination, Implementation Guidelines",
      says:
        "cursors are opaque: they come back as they were, the empty one too, and a missing one is the end",
      check: async (host) => {
        const asked = (await host.log("paged")).filter(({ method }) => method === "tools/list");
        const cursors = asked.map(({ params }) => (params as Json | undefined)?.cursor);
        assert.deepEqual(cursors.slice(0, 3), [undefined, "ü ,1", ""]);
      },
    },
    {
      section: "server/utilities/completion",
      says: version === "2024-11-05"
        ? "a completion is asked for, since the revision cannot declare it"
        : "a completion is not asked for where the server did not declare it",
      check: async (host) => {
        await host.result(
          "completion/complete",
          '{"ref":{"type":"ref/prompt","name":"greet"},"argument":{"name":"who","value":"z"}}',
        );
        const asked = (await host.log()).some(({ method }) => method === "completion/complete");
        assert.equal(asked, version === "2024-11-05");
      },
    },
    {
      section: "basic/utilities/progress, Progress Flow",
      says: "progress tokens are strings or integers, and no two requests have the same",
      check: async (host) => {
        const tokens = (await host.log()).flatMap(({ params }) => {
          const token = ((params as Json | undefined)?._meta as Json | undefined)?.progressToken;
          return token === undefined ? [] : [token];
        });
        assert.ok(tokens.length > 3);
        for (const token of tokens) assert.ok(typeof token === "string" || Number.isInteger(token));
        assert.equal(new Set(tokens).size, tokens.length);
      },
    },
    {
      section: "basic, Requests",
      says: "ids are strings or integers, never null, and never used twice in a session",
      check: async (host) => {
        const ids = (await host.log()).filter(isRequest).map(({ id }) => id);
        for (const id of ids) assert.ok(typeof id === "string" || Number.isInteger(id));
        assert.equal(new Set(ids).size, ids.length);
      },
    },
    {
      section: "basic/transports, stdio",
      says: "nothing but messages is written to a server, one a line, in UTF-8",
      check: async (host) => {
        for (const server of ["raw", "newer", "bare", "paged"]) {
          const text = await host.daemon.file(`${server}.log`);
          assert.ok(text.length > 0 && !text.includes("\uFFFD"));
          for (const line of text.split("\n").slice(0, -1)) isMessage(line);
        }
      },
    },
    {
      section: "basic/lifecycle, Timeouts",
      says: "every request has a timeout, after which it is cancelled",
      why: "lib/mcp/connect_stdio_test.ts and the pool's tests wait for it, with clocks of their own",
    },
    {
      section: "basic/transports, Streamable HTTP",
      says: "a client's POST, session, version header, resuming and DELETE",
      why: "lib/mcp/connect_http_test.ts and the conformance suite's client scenarios look at them",
    },
  ];
}
