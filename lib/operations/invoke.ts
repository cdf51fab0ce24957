import type { z } from "zod";
import { nearest } from "../catalog/mod.ts";
import { isAgent } from "../engine/caller.ts";
import { McpxError } from "../errors/mod.ts";
import type { Operation, OperationContext } from "./define.ts";
import { operationFields } from "./fields.ts";

/**
 * The single door to every operation: parse, run, check, and turn anything thrown into the one error type.
 *
 * @param raw the input as it came, unchecked
 * @throws {McpxError} `forbidden`, `invalid-input` with the field's path, or what the operation raises
 */
export async function invoke<I, O>(
  operation: Operation<I, O>,
  raw: unknown,
  context: OperationContext,
): Promise<O> {
  if (operation.admin !== undefined) requireAdmin(operation, context);
  const parsed = operation.input.safeParse(raw ?? {});
  if (!parsed.success) throw refuseInput(operation, parsed.error);
  try {
    return operation.output.parse(await run(operation, parsed.data, context));
  } catch (thrown) {
    throw McpxError.from(thrown);
  }
}

function run<I, O>(
  operation: Operation<I, O>,
  input: I,
  { engine, caller }: OperationContext,
): Promise<O> {
  if (!operation.task) return operation.run(input, { engine, caller });
  return engine.tasks.run(
    caller,
    { title: operation.task(input), succeeded: (output) => !isFailure(output) },
    (working) => operation.run(input, { engine, caller: working }),
  );
}

/** Refuses an agent what is for whoever runs the daemon. @throws {McpxError} `forbidden` */
function requireAdmin({ id, admin }: { id: string; admin?: string }, context: OperationContext): void {
  const { engine, caller } = context;
  if (!isAgent(caller) || engine.settings.base.get("serve.admin")) return;
  throw new McpxError(
    "forbidden",
    `Cannot run ${id} over ${caller.surface === "mcp" ? "MCP" : "TCP"}: ${admin}`,
    {
      hint:
        "Run it on the machine itself, or set `serve.admin` in a configuration file and restart the daemon.",
    },
  );
}

/** Whether a document says that what it is about failed. */
function isFailure(output: unknown): boolean {
  return typeof output === "object" && output !== null && "ok" in output && output.ok === false;
}

function refuseInput<I, O>(operation: Operation<I, O>, error: z.ZodError): McpxError {
  const issue = error.issues[0];
  const path = issue?.path.join(".") ?? "";
  if (issue?.code === "unrecognized_keys") {
    const key = [path, issue.keys[0] ?? ""].filter((part) => part !== "").join(".");
    const names = operationFields(operation).map((field) => field.name);
    const near = nearest(key, names)[0];
    return new McpxError("invalid-input", `Cannot run ${operation.id}: it takes no \`${key}\`.`, {
      hint: near ? `Did you mean \`${near}\`?` : `It takes: ${names.join(", ")}.`,
      data: { field: key },
    });
  }
  const where = path === "" ? "its input" : `\`${path}\``;
  return new McpxError(
    "invalid-input",
    `Cannot run ${operation.id}: ${where} does not fit: ${issue?.message ?? "unknown reason"}.`,
    {
      data: { field: path },
    },
  );
}
