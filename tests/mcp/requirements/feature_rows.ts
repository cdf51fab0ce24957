import assert from "node:assert/strict";
import { membersOf } from "./members.ts";
import { has, hasOnly, type Requirement } from "./requirement.ts";
import type { RevisionHost } from "./revision_host.ts";

type Json = Record<string, unknown>;
type Row = Requirement<RevisionHost>;

const X = '"x-unknown":{"deep":[1,{"n":9007199254740993}]}';

/** What every revision with a handshake asks of what a server offers, and of what it asks its client. */
export function featureRows(version: string): Row[] {
  return [...toolRows(version), ...resourceRows(), ...promptRows(), ...clientFeatureRows(version)];
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
