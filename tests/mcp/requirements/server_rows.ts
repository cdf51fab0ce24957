import assert from "node:assert/strict";
import { membersOf } from "./members.ts";
import { has, hasOnly, type Requirement } from "./requirement.ts";
import type { RevisionHost } from "./revision_host.ts";

type Json = Record<string, unknown>;
type Row = Requirement<RevisionHost>;

const LEVELS = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];
const LISTS = [
  ["tools/list", "tools"],
  ["prompts/list", "prompts"],
  ["resources/list", "resources"],
  ["resources/templates/list", "resourceTemplates"],
] as const;
const X = '"x-unknown":{"deep":[1,{"n":9007199254740993}]}';

/** What every revision with a handshake asks of a server, in the words of one of them. */
export function serverRows(version: string): Row[] {
  return [
    ...lifecycleRows(version),
    ...messageRows(),
    ...cancellationRows(),
    ...progressRows(version),
    ...paginationRows(),
    ...toolRows(version),
    ...resourceRows(),
    ...promptRows(),
    ...loggingRows(version),
    ...clientFeatureRows(version),
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

function cancellationRows(): Row[] {
  return [
    ...['{"requestId":"nobody"}', '{"requestId":{}}', "{}", '{"requestId":null,"reason":7}'].map((
      params,
    ): Row => ({
      section: "basic/utilities/cancellation, Error Handling",
      says: `a cancellation of an unknown request, or a malformed one, is ignored: ${params}`,
      check: async (host) => {
        await host.tell("notifications/cancelled", params);
        assert.deepEqual(await host.result("ping"), {});
      },
    })),
    {
      section: "basic/utilities/cancellation, Timing Considerations",
      says: "a cancellation of a request that is over is ignored, even where its id is used again",
      check: async (host) => {
        const id = host.freshId();
        await host.ask("ping", "{}", { id });
        await host.tell("notifications/cancelled", `{"requestId":${id}}`);
        has((await host.ask("ping", "{}", { id })).last, { result: {} });
      },
    },
    {
      section: "basic/utilities/cancellation, Timing Considerations",
      says: "a cancellation that overtakes its request cancels it",
      check: async (host) => {
        const id = host.freshId();
        await host.tell("notifications/cancelled", `{"requestId":${id}}`);
        assert.equal((await host.ask("tools/call", '{"name":"hang"}', { id })).text, "");
      },
    },
    {
      section: "basic/utilities/cancellation, Behavior Requirements",
      says: "a cancelled request is stopped and not responded to, even when its answer comes late",
      check: async (host) => {
        const id = host.freshId();
        await using told = await host.listen();
        const late = host.ask("tools/call", '{"name":"late"}', { id });
        const sent = await host.logged(({ params }) => (params as Json | undefined)?.name === "late");
        await host.tell("notifications/cancelled", `{"requestId":${id},"reason":"no more"}`);
        assert.doesNotMatch((await late).text, /"jsonrpc"/);
        await host.logged(({ method, params }) =>
          method === "notifications/cancelled" && (params as Json).requestId === sent.id
        );
        await host.call("give");
        assert.doesNotMatch(told.text, /too late/);
      },
    },
    {
      section: "basic/utilities/cancellation, Behavior Requirements",
      says: "initialize cannot be cancelled",
      check: async (host) => {
        await host.tell("notifications/cancelled", '{"requestId":0}');
        assert.deepEqual(await host.result("ping"), {});
      },
    },
  ];
}

function progressRows(version: string): Row[] {
  const report = async (host: RevisionHost, token: string, values: number[], name = "progress") => {
    const args = name === "progress"
      ? { values, after: [98, 99] }
      : { tool: "raw.progress", arguments: { values } };
    const { messages } = await host.ask(
      "tools/call",
      `{"name":"${name}","arguments":${JSON.stringify(args)}${
        token === "" ? "" : `,"_meta":{"progressToken":${token}}`
      }}`,
    );
    assert.match(messages.at(-1) ?? "", /"result"/);
    return messages.slice(0, -1).map((text) => JSON.parse(text) as { method: string; params: Json });
  };
  return [
    ...['"tok"', '""', "7", "0"].map((token): Row => ({
      section: "basic/utilities/progress, Progress Flow",
      says: `progress carries the token that was given, in its own type: ${token}`,
      check: async (host) => {
        const told = await report(host, token, [1, 2.5]);
        has(
          told,
          [1, 2.5].map((progress) => ({
            method: "notifications/progress",
            params: { progressToken: JSON.parse(token) as unknown, progress },
          })),
        );
      },
    })),
    {
      section: "basic/utilities/progress, Behavior Requirements",
      says: "without a token nothing is reported",
      check: async (host) => assert.deepEqual(await report(host, "", [1]), []),
    },
    ...["{}", "null", "1.5", "true", "[1]"].map((token): Row => ({
      section: "basic/utilities/progress, Progress Flow",
      says: `a token is a string or an integer, and anything else is none: ${token}`,
      check: async (host) => assert.deepEqual(await report(host, token, [1]), []),
    })),
    {
      section: "basic/utilities/progress, Implementation Notes",
      says: "progress stops with the request, on every stream",
      check: async (host) => {
        await using told = await host.listen();
        assert.equal((await report(host, '"once"', [1])).length, 1);
        await host.serverSays(['{"jsonrpc":"2.0","id":"p1","method":"ping"}'], 1);
        assert.doesNotMatch(told.text, /progress/);
      },
    },
    {
      section: "basic/utilities/progress, Progress Flow",
      says: "what mcpx itself reports increases, and has only members of the revision",
      check: async (host) => {
        const told = await report(host, '"own"', [1, 2, 3], "mcpx_call");
        assert.ok(told.length >= 3, JSON.stringify(told));
        const values = told.map(({ params }) => params.progress as number);
        assert.deepEqual(values, [...new Set(values)].sort((a, b) => a - b));
        for (const { params } of told) hasOnly(params, membersOf(version).progress);
      },
    },
    {
      section: "basic/utilities/progress, Progress Flow",
      says: "values increase with each notification",
      why: "what a server reports about its own request is passed as it came: the values are the server's",
    },
  ];
}

function paginationRows(): Row[] {
  return [
    ...LISTS.map(([method, member]): Row => ({
      section: "server/utilities/pagination, Error Handling",
      says: `an invalid cursor of ${method} is -32602`,
      check: async (host) => {
        for (const cursor of ['"nobody"', '"bm9uZQ=="', "7", "{}", '""', "null"]) {
          assert.equal(await host.code(method, `{"cursor":${cursor}}`), -32602, cursor);
        }
        has(await host.result(method), { [member]: (await host.result(method))[member] });
      },
    })),
    {
      section: "server/utilities/pagination, Implementation Guidelines",
      says: "cursors are stable, and the pages together are the list, each entry once",
      check: async (host) => {
        const first = await host.result("tools/list");
        const cursor = JSON.stringify({ cursor: first.nextCursor });
        assert.equal((first.tools as Json[]).length, 7);
        assert.deepEqual(await host.result("tools/list", cursor), await host.result("tools/list", cursor));
        const names = (await host.all("tools/list", "tools")).map(({ name }) => name);
        assert.deepEqual([...new Set(names)], names);
        for (const name of ["mcpx_call", "give", "newer_give", "paged_a", "paged_b"]) {
          assert.ok(names.includes(name), name);
        }
      },
    },
    {
      section: "server/utilities/pagination, Response Format",
      says: "the last page has no nextCursor, and a cursor of one list is none of another",
      check: async (host) => {
        const { nextCursor } = await host.result("tools/list");
        assert.equal((await host.result("prompts/list")).nextCursor, undefined);
        assert.equal(await host.code("prompts/list", JSON.stringify({ cursor: nextCursor })), -32602);
      },
    },
  ];
}

function toolRows(version: string): Row[] {
  const members = membersOf(version);
  return [
    {
      section: "server/tools, Tool",
      says: "mcpx's own tools have a name, a schema of an object, and only members of the revision",
      check: async (host) => {
        const own = (await host.all("tools/list", "tools")).filter(({ name }) => /^mcpx_/.test(String(name)));
        assert.equal(own.length, 8);
        for (const tool of own) {
          has(tool, { name: /^[A-Za-z0-9_.-]{1,128}$/, inputSchema: { type: "object" } });
          hasOnly(tool, members.tool, String(tool.name));
          if (tool.outputSchema !== undefined) has(tool.outputSchema, { type: "object" });
        }
      },
    },
    {
      section: "server/tools, Tool Result",
      says: "results of mcpx's own tools have text for every model, and only members of the revision",
      check: async (host) => {
        for (
          const result of [
            await host.call("mcpx_search", { query: "progress" }),
            await host.call("mcpx_call", { tool: "raw.give" }),
          ]
        ) {
          has((result.content as Json[])[0], { type: "text", text: /./ });
          hasOnly(result, members.callResult);
          assert.equal(result.structuredContent !== undefined, version >= "2025-06-18");
        }
      },
    },
    {
      section: "server/tools, Tool Result",
      says:
        "kinds of content that came after the revision are told by those that it has, where mcpx passes them on from a newer server",
      check: async (host) => {
        const blocks = [
          { type: "text", text: "t", annotations: { priority: 1 } },
          { type: "image", data: "AA==", mimeType: "image/png" },
          { type: "audio", data: "AQ==", mimeType: "audio/wav" },
          { type: "resource_link", uri: "note://one", name: "one", title: "One" },
          { type: "hologram", x: 1 },
        ];
        const result = JSON.stringify({ resultType: "complete", content: blocks });
        const [audio, link] = [
          version < "2025-03-26" ? "resource" : "audio",
          version < "2025-06-18" ? "text" : "resource_link",
        ];
        const { content } = await host.call("newer_give", { result });
        const kinds = ["text", "image", audio, link, "hologram"];
        has((content as Json[]).map(({ type }) => type), kinds);
        if (version < "2025-03-26") {
          has((content as Json[])[2], { resource: { mimeType: "audio/wav", blob: "AQ==" } });
        }
        if (version < "2025-06-18") {
          has((content as Json[])[3], { text: "One (mcpx://newer/note://one)" });
        }
        const called = await host.call("mcpx_call", { tool: "newer.give", arguments: { result } });
        has((called.content as Json[]).map(({ type }) => type), kinds);
        const { messages } = await host.result("prompts/get", '{"name":"newer_greet"}') as {
          messages: { content: Json }[];
        };
        has(messages.map((message) => message.content.type), [audio, link]);
      },
    },
    {
      section: "server/tools, Tool Result",
      says: "what a server of the same revision sends passes untouched, whatever it is",
      check: async (host) => {
        const result =
          `{"content":[{"type":"resource_link","uri":"note://one","name":"one",${X}},{"type":"audio","data":"AQ==","mimeType":"a/b"}],"structuredContent":{"n":9007199254740993},"isError":false,"_meta":{"a/b":1},${X}}`;
        const { text } = await host.ask(
          "tools/call",
          `{"name":"give","arguments":{"result":${JSON.stringify(result)}}}`,
        );
        assert.ok(text.includes(`"result":${result}`), text);
        const give = (await host.all("tools/list", "tools")).find(({ name }) => name === "give");
        has(give, {
          title: "T",
          annotations: { readOnlyHint: true },
          icons: [{ src: /./ }],
          "x-unknown": { deep: /./ },
        });
      },
    },
    {
      section: "server/tools, Error Handling",
      says: "an unknown tool is -32602, and a tool's own failure is a result with isError",
      check: async (host) => {
        assert.equal(await host.code("tools/call", '{"name":"nope","arguments":{}}'), -32602);
        assert.equal(await host.code("tools/call", '{"arguments":{}}'), -32602);
        has(await host.call("mcpx_call", { tool: "raw.nope" }), {
          isError: true,
          content: [{ type: "text" }],
        });
        has(await host.call("mcpx_call", { nothing: 1 }), { isError: true, content: [{ type: "text" }] });
        has(await host.call("stranger_give").catch((error: Error) => ({ error: error.message })), {
          error: /-32602/,
        });
      },
    },
    {
      section: "server/tools, List Changed Notification",
      says: "a changed list is told, without params that the revision does not have",
      check: async (host) => {
        await using told = await host.listen();
        await host.serverSays(['{"jsonrpc":"2.0","method":"notifications/tools/list_changed","x":1}'], 0);
        // The list is read again, and told where it is another one.
        await host.serverSays(['{"jsonrpc":"2.0","id":"p2","method":"ping"}'], 1);
        for (const text of told.messages) {
          has(JSON.parse(text), { method: /list_changed$/, params: undefined });
        }
      },
    },
  ];
}

function resourceRows(): Row[] {
  return [
    {
      section: "server/resources, Error Handling",
      says: "a resource that does not exist is -32002 and names its URI",
      check: async (host) => {
        const { last } = await host.ask("resources/read", '{"uri":"mcpx://nobody/x"}');
        has(last, { error: { code: -32002, data: { uri: "mcpx://nobody/x" } } });
      },
    },
    {
      section: "server/resources, Security Considerations",
      says: "URIs are validated: what is none is -32602",
      check: async (host) => {
        for (const method of ["resources/read", "resources/subscribe", "resources/unsubscribe"]) {
          for (const params of ["{}", '{"uri":7}', '{"uri":null}']) {
            assert.equal(await host.code(method, params), -32602, `${method} ${params}`);
          }
        }
      },
    },
    {
      section: "server/resources, Reading Resources",
      says: "resources and templates are listed and read, with what the server said about them",
      check: async (host) => {
        has(await host.all("resources/list", "resources"), [{ uri: "note://one", title: "O" }, {
          uri: "mcpx://newer/note://one",
        }, { uri: "mcpx://paged/note://one" }]);
        has((await host.all("resources/templates/list", "resourceTemplates"))[0], {
          uriTemplate: "note://{id}",
        });
        has(await host.result("resources/read", '{"uri":"note://one"}'), { contents: [{ text: "1" }] });
      },
    },
    {
      section: "server/resources, Reading Resources",
      says: "a newer server's marks of its era do not reach a host that has no such era",
      check: async (host) => {
        const { text } = await host.ask("resources/read", '{"uri":"mcpx://newer/note://one"}');
        assert.doesNotMatch(text, /resultType|ttlMs|cacheScope|io\.modelcontextprotocol/);
      },
    },
    {
      section: "server/resources, Subscriptions",
      says: "a subscribed resource's change is told, and after unsubscribing no more",
      check: async (host) => {
        has(host.initialized, { capabilities: { resources: { subscribe: true } } });
        await using told = await host.listen();
        assert.deepEqual(await host.result("resources/subscribe", '{"uri":"note://one"}'), {});
        const updated =
          '{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"note://one"}}';
        await host.serverSays([updated], 0);
        await told.until("notifications/resources/updated");
        has(JSON.parse(told.messages.at(-1) ?? "{}"), { params: { uri: "note://one" } });
        assert.deepEqual(await host.result("resources/unsubscribe", '{"uri":"note://one"}'), {});
        const before = told.text;
        await host.serverSays([updated], 0);
        assert.equal(told.text, before);
      },
    },
  ];
}

function promptRows(): Row[] {
  const reference = '"ref":{"type":"ref/prompt","name":"greet","title":"G"}';
  return [
    {
      section: "server/prompts, Error Handling",
      says: "a prompt that does not exist is -32602, and one that does is got",
      check: async (host) => {
        assert.equal(await host.code("prompts/get", '{"name":"nope"}'), -32602);
        assert.equal(await host.code("prompts/get", "{}"), -32602);
        has(await host.result("prompts/get", '{"name":"greet","arguments":{"who":"x"}}'), {
          messages: [{ role: "user" }],
        });
      },
    },
    {
      section: "server/utilities/completion, Implementation Considerations",
      says: "what is completed is validated: an unknown reference or argument is -32602",
      check: async (host) => {
        for (
          const params of [
            "{}",
            '{"ref":7,"argument":{"name":"a","value":""}}',
            '{"ref":{"type":"ref/tool","name":"give"},"argument":{"name":"a","value":""}}',
            '{"ref":{"type":"ref/prompt","name":"nope"},"argument":{"name":"a","value":""}}',
            `{${reference},"argument":{"name":7,"value":""}}`,
            `{${reference},"argument":"who"}`,
            `{${reference},"argument":{"name":"who","value":""},"context":7}`,
          ]
        ) assert.equal(await host.code("completion/complete", params), -32602, params);
      },
    },
    {
      section: "server/utilities/completion, Completion Results",
      says: "values come with the server's order, a hundred at most",
      check: async (host) => {
        const params = `{${reference},"argument":{"name":"who","value":""}}`;
        const { completion } = await host.result("completion/complete", params) as { completion: Json };
        assert.ok((completion.values as string[]).length <= 100);
      },
    },
  ];
}

function loggingRows(version: string): Row[] {
  const logs = async (host: RevisionHost): Promise<Json[]> => {
    const lines = LEVELS.map((level) =>
      `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"${level}","logger":"l","data":{"a":1}}}`
    );
    const { messages } = await host.ask(
      "tools/call",
      JSON.stringify({ name: "say", arguments: { lines, answers: 0 } }),
    );
    return messages.slice(0, -1).map((text) => (JSON.parse(text) as { params: Json }).params);
  };
  return [
    ...["error", "debug", "emergency", "info"].map((level): Row => ({
      section: "server/utilities/logging, Setting Log Level",
      says: `after ${level} was set, messages of that level and above come, and none below`,
      check: async (host) => {
        assert.deepEqual(await host.result("logging/setLevel", `{"level":"${level}"}`), {});
        const told = await logs(host);
        assert.deepEqual(told.map((entry) => entry.level), LEVELS.slice(LEVELS.indexOf(level)));
        for (const entry of told) hasOnly(entry, membersOf(version).log);
      },
    })),
    {
      section: "server/utilities/logging, Log Levels",
      says: "all eight levels of RFC 5424 are taken",
      check: async (host) => {
        for (const level of [...LEVELS, "info"]) {
          assert.deepEqual(await host.result("logging/setLevel", `{"level":"${level}"}`), {});
        }
      },
    },
    {
      section: "server/utilities/logging, Error Handling",
      says: "an invalid level is -32602, and changes nothing",
      check: async (host) => {
        for (const level of ['"loud"', '"INFO"', "7", "null", '"toString"']) {
          assert.equal(await host.code("logging/setLevel", `{"level":${level}}`), -32602, level);
        }
        assert.equal((await logs(host)).length, 7);
      },
    },
  ];
}

function clientFeatureRows(version: string): Row[] {
  const ask = (method: string, params: string): string =>
    JSON.stringify({
      name: "say",
      arguments: {
        lines: [`{"jsonrpc":"2.0","id":"${method}","method":"${method}","params":${params}}`],
        answers: 1,
      },
    });
  return [
    {
      section: "client/roots",
      says: "roots are asked of the host only where it declared them",
      why: "tests/mcp/host_answers_test.ts has hosts that declared them and hosts that did not",
    },
    {
      section: "client/sampling",
      says:
        "a server's request for a completion reaches a host that declared sampling, with the server's own params",
      check: async (host) => {
        const sample =
          `{"messages":[{"role":"user","content":{"type":"text","text":"q",${X}}}],"maxTokens":9,${X}}`;
        const { text, answer } = await host.asked(
          ask("sampling/createMessage", sample),
          (question) =>
            `{"jsonrpc":"2.0","id":${
              JSON.stringify(question.id)
            },"result":{"role":"assistant","content":{"type":"text","text":"a"},"model":"m"}}`,
        );
        assert.ok(text.includes(`"method":"sampling/createMessage","params":${sample}`), text);
        has(answer, { result: { content: [{ text: /assistant/ }] } });
      },
    },
    {
      section: "client/elicitation",
      says: version < "2025-06-18"
        ? "the revision has no elicitation: a host of it is not asked, whatever it declares"
        : "a server's form reaches a host that declared elicitation, and the answer goes back whole",
      check: async (host) => {
        const form =
          `{"message":"Who?","requestedSchema":{"type":"object","properties":{"n":{"type":"string"}}}}`;
        if (version < "2025-06-18") {
          const { messages } = await host.ask("tools/call", ask("elicitation/create", form));
          assert.equal(messages.length, 1, messages.join("\n"));
          return;
        }
        const { text, answer } = await host.asked(
          ask("elicitation/create", form),
          (question) =>
            `{"jsonrpc":"2.0","id":${
              JSON.stringify(question.id)
            },"result":{"action":"accept","content":{"n":"v"}}}`,
        );
        assert.ok(text.includes(`"params":${form}`), text);
        has(answer, { result: { content: [{ text: /accept/ }] } });
      },
    },
  ];
}
