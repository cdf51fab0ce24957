import type { CatalogTool } from "../catalog/types.ts";
import { deriveFunctions, deriveNamespaces } from "../catalog/names.ts";
import { checkToolSchemas } from "./check_tool_schemas.ts";
import type { NamespaceTypes } from "./emit_namespace.ts";
import { emitTypes } from "./emit_types.ts";
import { flattenSchema } from "./flatten_schema.ts";
import { signature } from "./signature.ts";

const fixture = new URL("../../tests/fixtures/livemcptool.tools.json", import.meta.url);
const { tools }: { tools: { server: string; tool: string; inputSchema?: Record<string, unknown> }[] } = JSON
  .parse(
    await Deno.readTextFile(fixture),
  );
const byServer = Map.groupBy(tools, ({ server }) => server);
const namespaces = deriveNamespaces([...byServer.keys()].map((name) => ({ name })));
const upstreams = [...byServer].map(([server, entries]): NamespaceTypes => {
  const namespace = namespaces.get(server) ?? server;
  const names = deriveFunctions(entries.map(({ tool }) => tool));
  return {
    namespace,
    server,
    tools: entries.map(({ tool, ...rest }) => ({
      namespace,
      fn: names.get(tool) ?? tool,
      server,
      tool: { ...rest, name: tool },
      findings: [],
    })),
  };
});
const all: CatalogTool[] = upstreams.flatMap((upstream) => upstream.tools);

Deno.bench("types of 527 tools", () => {
  emitTypes(upstreams);
});

Deno.bench("signatures of 527 tools", () => {
  all.forEach(signature);
});

Deno.bench("flattened schemas of 527 tools", () => {
  for (const { tool } of all) flattenSchema(tool.inputSchema);
});

Deno.bench("findings of 527 tools", () => {
  for (const { tool } of all) checkToolSchemas(tool);
});
