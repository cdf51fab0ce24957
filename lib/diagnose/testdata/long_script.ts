import type { DiagnosedNamespace, DiagnosedTool } from "../types.ts";

/** A hundred namespaces of a hundred tools. */
export function tenThousandTools(): Map<string, DiagnosedNamespace> {
  const fields = Array.from({ length: 8 }, (_, index) => [`field${index}`, { type: "string" }]);
  const inputSchema = { properties: Object.fromEntries(fields), required: ["field0", "field1"] };
  const names = Array.from({ length: 100 }, (_, index) => index);
  return new Map(names.map((server) => {
    const tools = names.map((number): [string, DiagnosedTool] => {
      const name = `tool_${number}`;
      return [name, { wire: name, fn: name, inputSchema: { ...inputSchema } }];
    });
    return [`server${server}`, { server: `server${server}`, tools: new Map(tools) }];
  }));
}

/** Five hundred lines with a hundred calls, each of which has something to be said about. */
export function longScript(): string {
  return Array.from(
    { length: 500 },
    (_, line) =>
      line % 5 === 0
        ? `const r${line} = await server${line % 100}.tool_${
          line % 97
        }({ field0: "x", field1: "y", field9: ${line} });`
        : `const v${line} = [r${line - (line % 5)}].map((x) => x / 2 + \`\${x}\`.length); // line ${line}`,
  ).join("\n");
}
