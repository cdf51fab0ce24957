import assert from "node:assert/strict";
import { clientRows } from "./client_rows.ts";
import { refusalRows } from "./refusals.ts";
import { has, type Requirement, requirements } from "./requirement.ts";
import { RevisionHost } from "./revision_host.ts";
import { serverRows } from "./server_rows.ts";
import { structuredRows } from "./structured_rows.ts";

const VERSION = "2025-11-25";
type Json = Record<string, unknown>;
type Row = Requirement<RevisionHost>;

const question = (id: string, method: string, params: string): string =>
  JSON.stringify({
    name: "say",
    arguments: {
      lines: [`{"jsonrpc":"2.0","id":"${id}","method":"${method}","params":${params}}`],
      answers: 1,
    },
  });

/** What came with this revision. */
const SINCE: Row[] = [
  {
    section: "basic, Error Responses",
    says: "an error whose request could not be read has no id",
    check: async (host) => {
      for (const text of ["{nope", "7", '{"jsonrpc":"2.0","id":null,"method":"ping"}']) {
        const { last } = await host.post(text);
        has(last, { error: { message: /./ } });
        assert.equal("id" in last, false, text);
      }
    },
  },
  {
    section: "server/tools, Tool Names",
    says: "names have at most 128 characters of those that are allowed, and each is there once",
    check: async (host) => {
      const names = (await host.all("tools/list", "tools")).map(({ name }) => String(name));
      for (const name of names) assert.match(name, /^[A-Za-z0-9_.-]{1,128}$/);
      assert.equal(new Set(names).size, names.length);
    },
  },
  {
    section: "server/tools, Error Handling",
    says: "arguments that do not fit are an error for the model to read, not one of the protocol",
    check: async (host) => {
      for (const args of [{}, { tool: 7 }, { tool: "raw.give", arguments: "x" }, { query: 1 }]) {
        has(await host.call("mcpx_call", args), { isError: true, content: [{ type: "text", text: /./ }] });
      }
    },
  },
  {
    section: "client/elicitation, Capabilities",
    says: "a page to open is asked for only of a host that declared pages; an empty declaration means forms",
    check: async (host) => {
      const page = '{"mode":"url","message":"m","url":"https://example.org/","elicitationId":"e"}';
      const { messages } = await host.ask("tools/call", question("page", "elicitation/create", page));
      assert.equal(messages.filter((text) => text.includes('"method":"elicitation/create"')).length, 0);
    },
  },
  {
    section: "client/sampling, Capabilities",
    says: "tools for a completion are offered only to a host that declared them",
    check: async (host) => {
      const sample = '{"messages":[],"maxTokens":1,"tools":[{"name":"t","inputSchema":{"type":"object"}}]}';
      const { messages } = await host.ask("tools/call", question("tools", "sampling/createMessage", sample));
      assert.equal(messages.filter((text) => text.includes('"method":"sampling/createMessage"')).length, 0);
    },
  },
  {
    section: "basic/transports, Sending Messages 6",
    says: "an event stream begins with an event that has an id and no data, to come back with",
    check: async (host) => {
      const { text } = await host.ask(
        "tools/call",
        '{"name":"progress","arguments":{"values":[1]},"_meta":{"progressToken":"prime"}}',
      );
      assert.match(text, /^(?:retry: ?\d+\n)?id: ?\S+\n(?:retry: ?\d+\n)?data: ?\n\n/);
    },
  },
  {
    section: "basic/utilities/tasks",
    says: "tasks are declared where a server has them, and then run as it says",
    why: "tests/mcp/legacy_tasks_test.ts and tests/mcp/tasks_test.ts run them",
  },
  {
    section: "basic/transports, Security Warning",
    says: "a foreign Origin is refused with 403",
    why: "tests/mcp/tcp_test.ts sends one: on the socket there are no web pages",
  },
];

const CLIENT: Row[] = [
  {
    section: "client/elicitation, Capabilities",
    says: "forms and pages are declared each",
    check: async (host) =>
      has(((await host.log())[0]?.params as Json).capabilities, { elicitation: { form: {}, url: {} } }),
  },
];

requirements(`revision ${VERSION}`, () => RevisionHost.open(VERSION), [
  {
    of: "a server",
    rows: [...serverRows(VERSION), ...refusalRows(VERSION), ...structuredRows(), ...SINCE],
  },
  { of: "a client", rows: [...clientRows(VERSION), ...CLIENT] },
]);
