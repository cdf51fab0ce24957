import assert from "node:assert/strict";
import { clientRows } from "./client_rows.ts";
import { refusalRows } from "./refusals.ts";
import { has, type Requirement, requirements } from "./requirement.ts";
import { RevisionHost } from "./revision_host.ts";
import { serverRows } from "./server_rows.ts";
import { structuredRows } from "./structured_rows.ts";

const VERSION = "2025-06-18";
type Row = Requirement<RevisionHost>;

const SINCE: Row[] = [
  {
    section: "basic/transports, Protocol Version Header",
    says: "without the header the version that the session negotiated is meant",
    check: async (host) => {
      const { "mcp-session-id": session = "" } = host.headers;
      const { last } = await host.daemon.post('{"jsonrpc":"2.0","id":1,"method":"tools/list"}', {
        "mcp-session-id": session,
      });
      has(last, { result: { tools: /outputSchema/ } });
    },
  },
  {
    section: "client/elicitation, Capabilities",
    says: "the revision has forms alone: a page to open is not asked for, whatever the host declares",
    check: async (host) => {
      const page = '{"mode":"url","message":"m","url":"https://example.org/","elicitationId":"e"}';
      const line = `{"jsonrpc":"2.0","id":"page","method":"elicitation/create","params":${page}}`;
      const { messages } = await host.ask(
        "tools/call",
        JSON.stringify({ name: "say", arguments: { lines: [line], answers: 1 } }),
      );
      assert.equal(messages.length, 1, messages.join("\n"));
    },
  },
  {
    section: "client/elicitation, Security Considerations",
    says: "sensitive information is not asked for",
    why:
      "mcpx's own questions ask whether a call is to be made, which instance is meant, and for a recipe's parameters",
  },
];

requirements(`revision ${VERSION}`, () => RevisionHost.open(VERSION), [
  {
    of: "a server",
    rows: [...serverRows(VERSION), ...refusalRows(VERSION), ...structuredRows(), ...SINCE],
  },
  { of: "a client", rows: clientRows(VERSION) },
]);
