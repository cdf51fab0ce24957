import { isConfirmed } from "../../elicit/mod.ts";
import { McpxError } from "../../errors/mod.ts";
import type { Caller } from "../caller.ts";
import type { Engine } from "../engine.ts";

/**
 * Asks whether what a dry run would have done is to be done.
 *
 * @param plan what it is called, and the sentences of what it would do
 * @param caller who is asked, or waited for
 * @throws {McpxError} `not-confirmed`, `waiting-input`
 */
export async function askApproval(
  engine: Engine,
  plan: { filename: string; notes: readonly string[] },
  caller: Caller,
): Promise<void> {
  const { filename, notes } = plan;
  let raised: string | undefined;
  const answer = await engine.broker.ask(
    {
      from: "mcpx",
      kind: "confirmation",
      message: `${[`Run ${filename} for real?`, ...notes].join("\n")}`,
      schema: {
        type: "object",
        properties: { confirm: { type: "boolean", title: "Confirm", description: "Make these calls." } },
        required: ["confirm"],
      },
      default: { action: "decline" },
      deadlineMs: engine.settings.base.get("elicit.askTimeout"),
    },
    caller,
    (id) => raised = id,
  );
  caller.signal.throwIfAborted();
  if (isConfirmed(answer)) return;
  const about = raised === undefined ? "" : ` (question ${raised})`;
  throw new McpxError("not-confirmed", `Cannot run ${filename}: it was not confirmed${about}.`, {
    hint: "Without --approve, --dry-run shows what it would do; without both it runs.",
    ...(raised === undefined ? {} : { data: { question: raised } }),
  });
}
