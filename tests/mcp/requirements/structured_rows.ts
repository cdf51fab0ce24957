import assert from "node:assert/strict";
import { has, type Requirement } from "./requirement.ts";
import type { RevisionHost } from "./revision_host.ts";

type Json = Record<string, unknown>;
type Row = Requirement<RevisionHost>;

/** What the revisions with structured content and a handshake ask of it. */
export function structuredRows(): Row[] {
  return [
    {
      section: "server/tools, Output Schema",
      says: "structured results fit the schema that their tool declared",
      check: async (host) => {
        const tools = await host.all("tools/list", "tools");
        for (
          const [name, args] of [
            ["mcpx_search", { query: "progress" }],
            ["mcpx_call", { tool: "raw.give" }],
            ["mcpx_types", { namespace: "raw" }],
            ["mcpx_elicit_list", {}],
          ] as const
        ) {
          const schema = tools.find((tool) => tool.name === name)?.outputSchema as {
            properties: Record<string, { type?: string }>;
            required?: string[];
          };
          const { structuredContent, isError } = await host.call(name, args);
          assert.notEqual(isError, true, name);
          const structured = structuredContent as Json;
          for (const member of schema.required ?? []) assert.ok(member in structured, `${name}.${member}`);
          for (const [member, value] of Object.entries(structured)) {
            const declared = schema.properties[member];
            assert.ok(declared, `${name} did not declare ${member}`);
            if (declared.type !== undefined) {
              assert.equal(typeOf(value, declared.type), declared.type, member);
            }
          }
        }
      },
    },
    {
      section: "server/tools, Structured Content",
      says: "a tool with structured content gives the same as text",
      check: async (host) => {
        const { content, structuredContent } = await host.call("mcpx_search", { query: "progress" });
        const [block] = content as { text: string }[];
        assert.deepEqual(JSON.parse(block?.text ?? ""), structuredContent);
      },
    },
    {
      section: "server/tools, Structured Content",
      says: "mcpx_call gives its structured content as text",
      why: "the text is what the called tool said itself: that is what its caller reads",
    },
    {
      section: "server/tools, Structured Content",
      says: "structured content is an object: what a newer server gives otherwise becomes the member of one",
      check: async (host) => {
        for (const value of [[1], "text", 7, null]) {
          const result = JSON.stringify({ resultType: "complete", content: [], structuredContent: value });
          has((await host.call("newer_give", { result })).structuredContent, { result: value });
        }
      },
    },
    {
      section: "server/tools, Resource Links",
      says: "links of several servers lead back to theirs",
      check: async (host) => {
        const link = { type: "resource_link", uri: "note://one", name: "one" };
        const result = JSON.stringify({ resultType: "complete", content: [link] });
        const { content } = await host.call("newer_give", { result });
        has(content, [{ uri: "mcpx://newer/note://one" }]);
        has(await host.result("resources/read", '{"uri":"mcpx://newer/note://one"}'), {
          contents: [{ uri: "mcpx://newer/note://one", text: "1" }],
        });
      },
    },
  ];
}

/** A value's type in JSON Schema's words; an integer is a number where one is wanted. */
function typeOf(value: unknown, wanted: string): string {
  if (Array.isArray(value)) return "array";
  if (value === null) return "null";
  if (typeof value === "number" && wanted === "integer" && Number.isInteger(value)) return "integer";
  return typeof value;
}
