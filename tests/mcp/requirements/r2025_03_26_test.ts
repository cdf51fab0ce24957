import assert from "node:assert/strict";
import { clientRows } from "./client_rows.ts";
import { refusalRows } from "./refusals.ts";
import { has, type Requirement, requirements } from "./requirement.ts";
import { RevisionHost } from "./revision_host.ts";
import { serverRows } from "./server_rows.ts";

const VERSION = "2025-03-26";
type Json = Record<string, unknown>;
type Row = Requirement<RevisionHost>;

const PING = (id: string): string => `{"jsonrpc":"2.0","id":${id},"method":"ping"}`;
const NOTICE = '{"jsonrpc":"2.0","method":"notifications/whatever"}';
const INITIALIZE =
  `{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"${VERSION}","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}`;

const byId = (text: string): Record<string, Json> =>
  Object.fromEntries((JSON.parse(text) as Json[]).map((one) => [JSON.stringify(one.id ?? null), one]));

/** JSON-RPC batches, which only this revision has. */
const BATCHES: Row[] = [
  {
    section: "basic/transports, Sending Messages 5",
    says: "a batch of requests and notifications is answered as one list, one answer for each request",
    check: async (host) => {
      const { status, text } = await host.post(`[${PING("1")},${NOTICE},${PING('"1"')},${NOTICE}]`);
      assert.equal(status, 200);
      const answers = byId(text);
      assert.deepEqual(Object.keys(answers).sort(), ['"1"', "1"]);
      for (const one of Object.values(answers)) has(one, { result: {} });
    },
  },
  {
    section: "basic/transports, Sending Messages 4",
    says: "a batch of notifications or responses alone is accepted with 202 and no body",
    check: async (host) => {
      for (
        const batch of [
          `[${NOTICE}]`,
          `[${NOTICE},${NOTICE}]`,
          '[{"jsonrpc":"2.0","id":"nobody","result":{}}]',
          `[${NOTICE},{"jsonrpc":"2.0","id":"nobody","error":{"code":1,"message":"m"}}]`,
        ]
      ) {
        const { status, text } = await host.post(batch);
        assert.deepEqual([status, text], [202, ""], batch);
      }
    },
  },
  {
    section: "JSON-RPC 2.0, 6",
    says: "an empty batch is one error, not a list",
    check: async (host) => {
      const { status, last } = await host.post("[]");
      assert.equal(status, 400);
      has(last, { error: { code: -32600 } });
    },
  },
  {
    section: "JSON-RPC 2.0, 6",
    says: "each bad member is an error of its own beside the other members' answers",
    check: async (host) => {
      const { text } = await host.post(`[1,${PING("2")},null,[${PING("3")}],{"id":4,"method":"ping"},{}]`);
      const answers = JSON.parse(text) as Json[];
      assert.equal(answers.length, 6);
      has(answers.find(({ id }) => id === 2), { result: {} });
      has(answers.find(({ id }) => id === 4), { error: { code: -32600 } });
      assert.equal(answers.filter(({ error }) => (error as Json | undefined)?.code === -32600).length, 5);
      assert.equal(text.includes('"id":3'), false);
    },
  },
  {
    section: "JSON-RPC 2.0, 6",
    says: "a batch of bad members alone is a list of errors",
    check: async (host) => {
      const { text } = await host.post("[1,2]");
      has(JSON.parse(text), [{ error: { code: -32600 } }, { error: { code: -32600 } }]);
    },
  },
  {
    section: "basic, Requests",
    says:
      "ids that come twice in a batch are answered twice, and the second request is not run beside the first",
    check: async (host) => {
      const call = (args: string): string =>
        `{"jsonrpc":"2.0","id":"twice","method":"tools/call","params":{"name":"give","arguments":${args}}}`;
      const { text } = await host.post(`[${call("{}")},${call('{"n":2}')}]`);
      const answers = JSON.parse(text) as Json[];
      assert.deepEqual(answers.map(({ id }) => id), ["twice", "twice"]);
      assert.equal(answers.filter(({ error }) => error !== undefined).length, 1);
    },
  },
  {
    section: "basic/lifecycle, Initialization",
    says: "initialize must not be part of a batch",
    check: async (host) => {
      const inSession = byId((await host.post(`[${INITIALIZE},${PING("1")}]`)).text);
      has(inSession['"i"'], { error: { code: -32600 } });
      has(inSession["1"], { result: {} });
      const without = await host.daemon.post(`[${INITIALIZE}]`);
      assert.equal(without.status, 400);
      assert.equal(without.headers.get("mcp-session-id"), null);
      has(without.last, { error: { code: -32600 } });
    },
  },
  {
    section: "basic/transports, Sending Messages 6",
    says: "what is told while a batch runs comes before its answers, on one stream that ends with the last",
    check: async (host) => {
      const call =
        '{"jsonrpc":"2.0","id":"p","method":"tools/call","params":{"name":"progress","arguments":{"values":[1,2]},"_meta":{"progressToken":"t"}}}';
      const { messages } = await host.post(`[${call},${PING("9")}]`);
      const all = messages.flatMap((text) => [JSON.parse(text)].flat() as Json[]);
      const told = all.filter(({ method }) => method === "notifications/progress");
      assert.equal(told.length, 2);
      assert.deepEqual(all.flatMap(({ id }) => id ?? []).sort(), [9, "p"]);
      const answered = all.findIndex(({ id }) => id === "p");
      assert.ok(all.every(({ method }, at) => method === undefined || at < answered));
    },
  },
  {
    section: "basic/utilities/cancellation, Behavior Requirements",
    says: "a cancelled member of a batch is left out of its answers",
    check: async (host) => {
      const id = host.freshId();
      const hang =
        `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"hang","arguments":{"in":"batch"}}}`;
      const batch = host.post(`[${hang},${PING('"b"')}]`);
      await host.logged(({ params }) =>
        JSON.stringify((params as Json | undefined)?.arguments) === '{"in":"batch"}'
      );
      await host.tell("notifications/cancelled", `{"requestId":${id}}`);
      has(JSON.parse((await batch).text), [{ id: "b", result: {} }]);
    },
  },
  {
    section: "basic/transports, Sending Messages 3",
    says: "an answer to a server's request may come in a batch",
    check: async (host) => {
      const sample = '{"messages":[],"maxTokens":1}';
      const call = JSON.stringify({
        name: "say",
        arguments: {
          lines: [`{"jsonrpc":"2.0","id":"in a list","method":"sampling/createMessage","params":${sample}}`],
          answers: 1,
        },
      });
      const { answer } = await host.asked(
        call,
        ({ id }) =>
          `[{"jsonrpc":"2.0","id":${
            JSON.stringify(id)
          },"result":{"role":"assistant","content":{"type":"text","text":"in a list"},"model":"m"}}]`,
      );
      has(answer, { result: { content: [{ text: /in a list/ }] } });
    },
  },
];

const UPSTREAM_BATCHES: Row[] = [
  {
    section: "basic, Batching",
    says:
      "batches of a server's are received: requests, notifications and the answer to the client's own request in one",
    check: async (host) => {
      const answers = await host.serverSays([`[${PING('"a"')},${NOTICE},${PING('"b"')},7,null]`], 2);
      assert.deepEqual(answers.map(({ id }) => id).sort(), ["a", "b"]);
      has(await host.call("batched"), { content: [{ text: "in a batch" }] });
    },
  },
  {
    section: "JSON-RPC 2.0, 6",
    says: "the answers to a batch should come as a list",
    why:
      "each is sent as soon as it is there, as the revision leaves open: a person's answer would hold back the others",
  },
  {
    section: "basic, Batching",
    says: "a client may send batches",
    why: "mcpx sends none",
  },
];

requirements(`revision ${VERSION}`, () => RevisionHost.open(VERSION), [
  { of: "a server", rows: [...serverRows(VERSION), ...refusalRows(VERSION), ...BATCHES] },
  { of: "a client", rows: [...clientRows(VERSION), ...UPSTREAM_BATCHES] },
]);
