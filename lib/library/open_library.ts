import { nearest } from "../catalog/mod.ts";
import { Engine } from "../engine/engine.ts";
import { McpxError } from "../errors/mod.ts";
import { invoke } from "../operations/invoke.ts";
import { type AnyOperation, OPERATIONS } from "../operations/table.ts";
import type { InvokeOptions, Mcpx, McpxOptions } from "./open_mcpx.ts";

/** Opens an engine in this process and puts the operations in front of it. @throws {McpxError} `invalid-config` */
export async function openLibrary(options: McpxOptions): Promise<Mcpx> {
  const cwd = options.cwd ?? Deno.cwd();
  const engine = await Engine.open({
    cwd,
    env: options.env ?? Deno.env.toObject(),
    flags: options.settings ?? {},
    ...(options.configFile === undefined ? {} : { configFile: options.configFile }),
  });
  const run = async (
    id: string,
    input: Readonly<Record<string, unknown>> = {},
    { signal, settings }: InvokeOptions = {},
  ): Promise<Record<string, unknown>> => {
    const operation = operationOf(id);
    await engine.refresh();
    const caller = engine.caller({
      surface: "http",
      identity: { cwd },
      ...(signal ? { signal } : {}),
      ...(settings ? { values: settings } : {}),
    });
    return await invoke(operation, input, { engine, caller });
  };
  return {
    invoke: run,
    call: async (tool, args, given) => (await run("call", { tool, arguments: args ?? {} }, given)).result,
    close: () => engine.close(),
    [Symbol.asyncDispose]: () => engine.close(),
  };
}

function operationOf(id: string): AnyOperation {
  const found = OPERATIONS.find((operation) => operation.id === id);
  if (found) return found;
  const near = nearest(id, OPERATIONS.map((operation) => operation.id))[0];
  throw new McpxError("not-found", `Cannot run ${id}: there is no such operation.`, {
    hint: near === undefined ? "docs/reference/operations.md lists them." : `Did you mean ${near}?`,
  });
}
