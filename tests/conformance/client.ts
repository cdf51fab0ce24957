/**
 * mcpx as the client that the conformance suite looks at: its engine lists the tools of the server at the given URL and calls each
 * of them, answering questions with their defaults.
 *
 * @module
 */
import { Engine } from "../../lib/engine/engine.ts";
import type { Answerer } from "../../lib/engine/answerer.ts";
import { minimalValue } from "../../lib/schema/mod.ts";

interface ToolCall {
  name: string;
  arguments: Record<string, unknown>;
}

const ANSWERER: Answerer = {
  name: "the conformance client",
  canElicit: { form: true, url: true },
  canSample: false,
  ask: (question) =>
    Promise.resolve({
      action: "accept",
      ...(question.kind === "elicitation" ? { content: defaultsOf(question) } : {}),
    }),
};

/** What the form fills in by itself; a field without a default gets the smallest value that fits. */
function defaultsOf({ schema }: { schema?: Record<string, unknown> }): Record<string, unknown> {
  const properties = schema?.properties;
  if (typeof properties !== "object" || properties === null) return {};
  return Object.fromEntries(
    Object.entries(properties as Record<string, Record<string, unknown>>).map(([name, property]) => [
      name,
      "default" in property ? property.default : minimalValue(property),
    ]),
  );
}

/** One tool of the suite's wants the schema of the other one back. */
function echoesSchema({ inputSchema }: { inputSchema?: unknown }): boolean {
  return JSON.stringify(inputSchema ?? {}).includes("passed back verbatim");
}

async function main(url: string): Promise<void> {
  const version = Deno.env.get("MCP_CONFORMANCE_PROTOCOL_VERSION") ?? "2025-11-25";
  const context = JSON.parse(Deno.env.get("MCP_CONFORMANCE_CONTEXT") ?? "{}") as { toolCalls?: ToolCall[] };
  const root = await Deno.makeTempDir({ prefix: "mcpx-conformance-client-" });
  const config = {
    mcpServers: { target: { url, mcpx: { protocol: version >= "2026" ? "modern" : "legacy" } } },
  };
  await Deno.writeTextFile(`${root}/.mcpx.json`, JSON.stringify(config));
  const env = { ...Deno.env.toObject(), HOME: root, XDG_RUNTIME_DIR: root };
  try {
    await using engine = await Engine.open({ cwd: root, env });
    const caller = engine.caller({ answerer: ANSWERER, identity: { cwd: root } });
    await engine.readListings(caller);
    const entry = engine.catalog.server("target");
    if (entry.failure) throw entry.failure;
    const tools = engine.catalog.toolsOf(entry).map(({ tool }) => tool);
    const calls = context.toolCalls ?? tools.map((tool) => ({
      name: tool.name,
      arguments: echoesSchema(tool)
        ? { schema: tools.find((other) => other !== tool)?.inputSchema }
        : minimalValue(tool.inputSchema ?? {}) as Record<string, unknown>,
    }));
    // All at once: answers must not cross.
    const outcomes = await Promise.allSettled(
      calls.map((call) => engine.request(entry, "tools/call", { ...call }, caller, { idempotent: false })),
    );
    for (const outcome of outcomes) {
      if (outcome.status === "rejected") {
        await Deno.stderr.write(new TextEncoder().encode(`${String(outcome.reason)}\n`));
      }
    }
  } finally {
    await Deno.remove(root, { recursive: true });
  }
}

await main(Deno.args.at(-1) ?? "");
