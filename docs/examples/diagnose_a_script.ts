/**
 * Checks the tool calls of a script, with no daemon and no server: all that is needed is what a server once listed.
 *
 * `deno run docs/examples/diagnose_a_script.ts`
 */
import { type DiagnosedCatalog, diagnoseScript, type McpTool, renderFindings } from "../../mod.ts";

// What `tools/list` of a server gave, from wherever you keep it.
const listed: McpTool[] = [{
  name: "create_issue",
  inputSchema: {
    type: "object",
    properties: { title: { type: "string" }, labels: { type: "array", items: { type: "string" } } },
    required: ["title"],
  },
}];

const catalog: DiagnosedCatalog = {
  namespaces: new Map([["tracker", {
    server: "tracker",
    tools: new Map(listed.map((tool) => [tool.name, { wire: tool.name, fn: tool.name, ...tool }])),
  }]]),
};

const script = `
const issue = await tracker.create_issue({ labels: "bug" });
await tracker.close_issue({ id: issue.id });
`;

const findings = diagnoseScript(script, catalog);
console.log(renderFindings(findings));
console.log(`${findings.length} findings, ${findings.filter(({ fatal }) => fatal).length} of which would make a call fail`);
