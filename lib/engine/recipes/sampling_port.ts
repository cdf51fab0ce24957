import type { SamplingPort } from "../../model/mod.ts";
import { answererOf } from "../answerer.ts";
import type { Caller } from "../caller.ts";
import type { Engine } from "../engine.ts";

/** How the caller's own MCP host is asked for a completion; undefined where it offers none. */
export function samplingPort(engine: Engine, caller: Caller): SamplingPort | undefined {
  if (!answererOf(caller)?.canSample) return undefined;
  return {
    createMessage: async (params, signal) => {
      const answer = await engine.broker.ask({
        from: "mcpx",
        kind: "sampling",
        message: "mcpx asks for a script that answers a request.",
        sampling: params,
        default: { action: "cancel" },
        deadlineMs: engine.settings.base.get("model.timeout"),
      }, { ...caller, signal });
      return answer.action === "accept" ? answer.content : undefined;
    },
  };
}
