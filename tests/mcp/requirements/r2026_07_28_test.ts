import assert from "node:assert/strict";
import { MODERN } from "../../support/mcp_host.ts";
import { membersOf } from "./members.ts";
import { refusalRows } from "./refusals.ts";
import { has, hasOnly, type Requirement, requirements } from "./requirement.ts";
import { RevisionHost } from "./revision_host.ts";

type Json = Record<string, unknown>;
type Row = Requirement<RevisionHost>;

const META = "io.modelcontextprotocol/";
const MEMBERS = membersOf(MODERN);
const FORM = { message: "Who?", requestedSchema: { type: "object", properties: { n: { type: "string" } } } };

const give = (result: unknown): string =>
  JSON.stringify({ name: "give", arguments: { result: JSON.stringify(result) } });

/** What the conformance suite leaves out of what it asks of a server. */
const SERVER: Row[] = [
  {
    section: "server/discover",
    says: "discover names the versions, the capabilities of the revision, and in _meta who the server is",
    check: async (host) => {
      const result = await host.result("server/discover");
      has(result, {
        resultType: "complete",
        supportedVersions: [MODERN],
        capabilities: { tools: {}, completions: {} },
        _meta: { [`${META}serverInfo`]: { name: "mcpx", version: /^\d/ } },
      });
      hasOnly(result.capabilities, MEMBERS.capabilities);
      hasOnly(result, [
        "resultType",
        "supportedVersions",
        "capabilities",
        "instructions",
        "ttlMs",
        "cacheScope",
        "_meta",
      ]);
    },
  },
  {
    section: "basic, Result Responses",
    says: "every result has a resultType",
    check: async (host) => {
      for (
        const [method, params] of [
          ["server/discover", "{}"],
          ["tools/list", "{}"],
          ["tools/call", '{"name":"give"}'],
          ["tools/call", '{"name":"newer_give"}'],
          ["tools/call", '{"name":"mcpx_search","arguments":{"query":"x"}}'],
          ["prompts/list", "{}"],
          ["prompts/get", '{"name":"greet"}'],
          ["prompts/get", '{"name":"newer_greet"}'],
          ["resources/list", "{}"],
          ["resources/templates/list", "{}"],
          ["resources/read", '{"uri":"note://one"}'],
          ["resources/read", '{"uri":"mcpx://newer/note://one"}'],
          [
            "completion/complete",
            '{"ref":{"type":"ref/prompt","name":"greet"},"argument":{"name":"who","value":""}}',
          ],
        ] as const
      ) has(await host.result(method, params), { resultType: "complete" });
    },
  },
  {
    section: "server/utilities/caching",
    says:
      "lists, discover and resources say how long they hold, every page in the same scope; nothing else does",
    check: async (host) => {
      const first = await host.result("tools/list");
      const second = await host.result("tools/list", JSON.stringify({ cursor: first.nextCursor }));
      assert.equal(first.cacheScope, second.cacheScope);
      for (const result of [first, second, await host.result("resources/read", '{"uri":"note://one"}')]) {
        assert.ok(Number.isInteger(result.ttlMs) && (result.ttlMs as number) >= 0);
        assert.ok(["public", "private"].includes(String(result.cacheScope)));
      }
      const call = await host.call("mcpx_call", { tool: "raw.give" });
      assert.deepEqual([call.ttlMs, call.cacheScope], [undefined, undefined]);
    },
  },
  {
    section: "basic, Statelessness; server/tools, Capabilities",
    says: "a list does not vary with the connection or with other requests on it, and keeps its order",
    check: async (host) => {
      const before = await host.all("tools/list", "tools");
      await host.ask("tools/call", '{"name":"give"}');
      await host.daemon.initialize("2025-11-25");
      assert.deepEqual(await host.all("tools/list", "tools"), before);
    },
  },
  {
    section: "basic, Responses",
    says: "a response carries the id of its request",
    check: async (host) => {
      for (const id of ['"a"', '""', "0", "-7", "9007199254740993"]) {
        const { text } = await host.ask("tools/list", "{}", { id });
        assert.ok(text.startsWith(`{"jsonrpc":"2.0","id":${id},`), text.slice(0, 60));
      }
    },
  },
  {
    section: "basic, Requests",
    says: "an id must not be null, and an error whose request could not be read has none",
    check: async (host) => {
      const { status, last } = await host.ask("tools/list", "{}", { id: "null" });
      assert.equal(status, 400);
      has(last, { error: { code: -32600 } });
      assert.equal("id" in last, false);
      assert.equal("id" in (await host.post("{nope")).last, false);
    },
  },
  {
    section: "basic, Notifications",
    says: "a notification is accepted with 202 and nothing else",
    check: async (host) => {
      await host.tell("notifications/whatever");
      await host.tell("notifications/cancelled", '{"requestId":"nobody"}');
    },
  },
  {
    section: "basic, Error Codes",
    says:
      "a missing resource is -32602, and the codes of earlier revisions are not sent, whatever a server sends",
    check: async (host) => {
      const given = async (name: string, error: object): Promise<unknown> =>
        (await host.ask(
          "tools/call",
          JSON.stringify({ name, arguments: { error: JSON.stringify(error) } }),
        )).last.error;
      has((await host.ask("resources/read", '{"uri":"note://nobody"}')).last, {
        error: { code: -32602, data: { uri: "note://nobody" } },
      });
      has((await host.ask("resources/read", '{"uri":"mcpx://newer/note://nobody"}')).last, {
        error: { code: -32602 },
      });
      has(await given("newer_give", { code: -32002, message: "gone", data: { uri: "x" } }), { code: -32602 });
      has(await given("give", { code: -32042, message: "first", data: { elicitations: [] } }), {
        code: -32603,
        message: "first",
        data: { elicitations: [], "dev.mcpx/code": -32042 },
      });
      has(await given("newer_give", { code: -32021, message: "mine", data: [1] }), {
        code: -32603,
        data: { data: [1], "dev.mcpx/code": -32021 },
      });
      has(await given("give", { code: -32021, message: "modern", data: { requiredCapabilities: {} } }), {
        code: -32021,
      });
      has(await given("newer_give", { code: -32000, message: "own" }), { code: -32000 });
    },
  },
  {
    section: "basic/patterns/mrtr, Server Requirements",
    says: "no input is asked for that the request did not declare",
    check: async (host) => {
      const asks = (method: string, params: object): string =>
        give({ resultType: "input_required", inputRequests: { k: { method, params } }, requestState: "s" });
      const form = asks("elicitation/create", FORM);
      const url = asks("elicitation/create", { mode: "url", message: "m", url: "https://example.org/" });
      const sample = asks("sampling/createMessage", { messages: [], maxTokens: 1, tools: [] });
      for (
        const [params, capabilities, required] of [
          [form, "{}", { elicitation: { form: {} } }],
          [form, '{"elicitation":{"url":{}}}', { elicitation: { form: {} } }],
          [url, '{"elicitation":{}}', { elicitation: { url: {} } }],
          [sample, '{"sampling":{}}', { sampling: { tools: {} } }],
          [asks("roots/list", {}), "{}", { roots: {} }],
        ] as const
      ) {
        const { status, last } = await host.ask("tools/call", params, { capabilities });
        assert.equal(status, 400);
        has(last, { error: { code: -32021, data: { requiredCapabilities: required } } });
      }
      for (
        const [params, capabilities] of [
          [form, '{"elicitation":{}}'],
          [url, '{"elicitation":{"url":{}}}'],
          [sample, '{"sampling":{"tools":{}}}'],
        ] as const
      ) {
        has(await host.result("tools/call", params, { capabilities }), {
          resultType: "input_required",
          requestState: "s",
        });
      }
    },
  },
  {
    section: "basic/patterns/mrtr, Server Requirements",
    says: "a state that is not one of the server's is refused",
    check: async (host) => {
      const params = '{"name":"newer_give","requestState":"mcpx-parked:AAAA","inputResponses":{}}';
      assert.equal(await host.code("tools/call", params), -32602);
    },
  },
  {
    section: "basic/patterns/mrtr, Supported Requests",
    says: "only calls, prompts and resources may ask for input",
    check: async (host) => {
      for (const method of ["tools/list", "prompts/list", "resources/list", "server/discover"]) {
        has(await host.result(method, "{}", { capabilities: '{"elicitation":{}}' }), {
          resultType: "complete",
        });
      }
    },
  },
  {
    section: "basic/patterns/progress",
    says: "progress carries the token in its own type, only for a request that gave one, and stops with it",
    check: async (host) => {
      for (const [token, count] of [['"t"', 2], ["7", 2], ["1.5", 0], ["{}", 0], ["", 0]] as const) {
        const { messages } = await host.ask(
          "tools/call",
          '{"name":"progress","arguments":{"values":[1,2],"after":[3]}}',
          token === "" ? {} : { meta: `,"progressToken":${token}` },
        );
        const told = messages.slice(0, -1).map((text) => JSON.parse(text) as Json);
        assert.equal(told.length, count, token);
        for (const one of told) has(one, { params: { progressToken: JSON.parse(token) as unknown } });
      }
    },
  },
  {
    section: "server/utilities/logging",
    says: "without a level nothing is logged, and with one nothing below it",
    check: async (host) => {
      const lines = ["debug", "warning", "error"].map((level) =>
        `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"${level}","data":1}}`
      );
      const params = JSON.stringify({ name: "say", arguments: { lines, answers: 0 } });
      const count = async (meta: string): Promise<number> =>
        (await host.ask("tools/call", params, { meta })).messages.length - 1;
      assert.equal(await count(""), 0);
      assert.equal(await count(`,"${META}logLevel":"warning"`), 2);
      assert.equal(await host.code("tools/call", params, { meta: `,"${META}logLevel":"loud"` }), -32602);
    },
  },
  {
    section: "server/utilities/pagination",
    says: "an invalid cursor is -32602",
    check: async (host) => {
      for (const method of ["tools/list", "prompts/list", "resources/list", "resources/templates/list"]) {
        for (const cursor of ['"nobody"', '""', "7"]) {
          assert.equal(await host.code(method, `{"cursor":${cursor}}`), -32602);
        }
      }
    },
  },
  {
    section: "server/tools, Tool",
    says: "mcpx's own tools have legal names and only members of the revision",
    check: async (host) => {
      for (const tool of await host.all("tools/list", "tools")) {
        has(tool, { name: /^[A-Za-z0-9_.-]{1,128}$/, inputSchema: { type: "object" } });
        if (String(tool.name).startsWith("mcpx_")) hasOnly(tool, MEMBERS.tool);
      }
    },
  },
  {
    section: "server/tools, Structured Content",
    says: "structured content may be any JSON value, and comes as the server sent it",
    check: async (host) => {
      for (const value of [[1, 2], "text", 0, false, null, { a: 1 }]) {
        const result = { resultType: "complete", content: [], structuredContent: value };
        assert.deepEqual((await host.result("tools/call", give(result))).structuredContent, value);
      }
    },
  },
  {
    section: "streamable-http, Receiving Messages",
    says: "no request is sent on a response stream: what an earlier server asks becomes the result",
    check: async (host) => {
      const line = `{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":${
        JSON.stringify(FORM)
      }}`;
      const params = JSON.stringify({ name: "newer_say", arguments: { lines: [line], answers: 1 } });
      const { messages, last } = await host.ask("tools/call", params, {
        capabilities: '{"elicitation":{}}',
      });
      assert.equal(messages.length, 1);
      has(last, { result: { resultType: "input_required", inputRequests: {}, requestState: /./ } });
    },
  },
  {
    section: "streamable-http, Receiving Messages",
    says: "an event stream says that proxies should not hold it back",
    check: async (host) => {
      const { headers } = await host.ask(
        "tools/call",
        '{"name":"progress","arguments":{"values":[1]}}',
        { meta: ',"progressToken":1' },
      );
      assert.deepEqual(
        [headers.get("content-type"), headers.get("x-accel-buffering")],
        ["text/event-stream", "no"],
      );
    },
  },
  {
    section: "streamable-http, changelog",
    says: "sessions are gone: a session header is ignored, and none is given",
    check: async (host) => {
      const answer = await host.ask("tools/list", "{}", { headers: { "mcp-session-id": "nobody" } });
      assert.deepEqual([answer.status, answer.headers.get("mcp-session-id")], [200, null]);
    },
  },
  {
    section: "basic/versioning, Backward Compatibility",
    says: "a request with an envelope is served by this revision though the same connection has a session",
    check: async (host) => {
      const { headers } = await host.daemon.initialize("2025-03-26");
      has(
        await host.result("tools/list", "{}", {
          headers: { "mcp-session-id": headers["mcp-session-id"] ?? "" },
        }),
        {
          resultType: "complete",
        },
      );
    },
  },
  {
    section: "basic/patterns/subscriptions",
    says: "a subscription is acknowledged first, told what it asked for, and named in each message",
    why: "tests/mcp/capabilities_test.ts walks it, over HTTP and over stdio",
  },
  {
    section: "streamable-http, Cancellation",
    says: "closing a response stream cancels its request",
    why: "tests/mcp/http_rules_test.ts closes one",
  },
];

/** What it asks of a client, seen by a server behind mcpx. */
const CLIENT: Row[] = [
  {
    section: "basic, _meta",
    says: "every request says its version, what the client can do, and who it is",
    check: async (host) => {
      for (const message of (await host.log()).filter(({ id }) => id !== undefined)) {
        has(message, {
          params: {
            _meta: {
              [`${META}protocolVersion`]: MODERN,
              [`${META}clientCapabilities`]: {},
              [`${META}clientInfo`]: { name: "mcpx", version: /^\d/ },
            },
          },
        });
      }
    },
  },
  {
    section: "changelog",
    says: "nothing of the handshake is sent, nor anything else that the revision has no more",
    check: async (host) => {
      await host.daemon.initialize("2025-11-25");
      const methods = new Set((await host.log()).map(({ method }) => method));
      for (
        const gone of [
          "initialize",
          "notifications/initialized",
          "ping",
          "logging/setLevel",
          "resources/subscribe",
          "notifications/roots/list_changed",
        ]
      ) assert.equal(methods.has(gone), false, gone);
    },
  },
  {
    section: "transports/stdio, Sending Messages",
    says: "a client never writes responses, not even to a request that the server must not have made",
    check: async (host) => {
      const lines = ["ping", "roots/list", "nothing"].map((method) =>
        `{"jsonrpc":"2.0","id":"${method}","method":"${method}"}`
      );
      await host.call("say", { lines, answers: 0 });
      await host.call("give");
      assert.deepEqual((await host.log()).filter(({ method }) => method === undefined), []);
    },
  },
  {
    section: "transports/stdio, Cancellation",
    says: "over stdio a request is cancelled by a notification that names it",
    check: async (host) => {
      const stop = new AbortController();
      const params = '{"name":"hang","arguments":{"which":"mine"}}';
      const hanging = host.ask("tools/call", params, { signal: stop.signal }).catch(() => undefined);
      const sent = await host.logged(({ params: got }) =>
        JSON.stringify((got as Json | undefined)?.arguments) === '{"which":"mine"}'
      );
      stop.abort();
      await hanging;
      await host.logged(({ method, params: got }) =>
        method === "notifications/cancelled" && (got as Json).requestId === sent.id
      );
    },
  },
  {
    section: "basic, Requests",
    says: "ids are strings or integers, and no two requests under way share one",
    check: async (host) => {
      const ids = (await host.log()).flatMap(({ id, method }) => method === undefined ? [] : [id]);
      const given = ids.filter((id) => id !== undefined);
      assert.equal(new Set(given).size, given.length);
    },
  },
  {
    section: "basic, ResultType",
    says: "a result without resultType is a complete one, and one of an unknown type is invalid",
    check: async (host) => {
      has(await host.call("give", { result: '{"content":[]}' }), { resultType: "complete" });
      const odd = await host.ask("tools/call", give({ resultType: "riddle", content: [] }));
      has(odd.last, { result: { resultType: "complete", isError: true, content: [{ text: /riddle/ }] } });
      const known = await host.ask("tools/call", give({ resultType: "riddle", content: [] }), {
        capabilities: '{"extensions":{"org.example/riddles":{}}}',
      });
      has(known.last, { result: { resultType: "riddle" } });
    },
  },
  {
    section: "server/utilities/pagination",
    says: "cursors come back as they were, the empty one too",
    check: async (host) => {
      const asked = (await host.log("paged")).filter(({ method }) => method === "tools/list");
      const cursors = asked.map(({ params }) => (params as Json).cursor);
      assert.deepEqual(cursors.slice(0, 3), [undefined, "ü ,1", ""]);
    },
  },
  {
    section: "basic/patterns/subscriptions",
    says: "only what the server declared is subscribed to",
    check: async (host) => {
      const listens = (await host.log()).filter(({ method }) => method === "subscriptions/listen");
      has(listens[0], { params: { notifications: { toolsListChanged: true } } });
      assert.equal((await host.log("bare")).some(({ method }) => method === "subscriptions/listen"), false);
    },
  },
  {
    section: "streamable-http, Request Metadata",
    says: "headers repeat the request, and parameters that a tool marks",
    why: "the conformance suite's client scenarios look at each of them",
  },
];

requirements(`revision ${MODERN}`, () => RevisionHost.open(MODERN), [
  { of: "a server", rows: [...SERVER, ...refusalRows(MODERN)] },
  { of: "a client", rows: CLIENT },
]);
