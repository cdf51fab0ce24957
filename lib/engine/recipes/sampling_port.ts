import type { SamplingPort } from "../../model/mod.ts";
import type { Question } from "../../elicit/types.ts";
import type { Caller } from "../caller.ts";

/** How the caller's own MCP host is asked for a completion; undefined where it offers none. */
export function samplingPort(caller: Caller): SamplingPort | undefined {
  const { answerer } = caller;
  if (!answerer?.canSample) return undefined;
  return {
    createMessage: async (params, signal) => {
      const now = Date.now();
      const question: Question = {
        id: `elc-${crypto.randomUUID()}`,
        kind: "sampling",
        message: "mcpx asks for a script.",
        sampling: params,
        audience: "agent",
        reason: "the caller's own model is asked for a script",
        createdAt: new Date(now).toISOString(),
        expiresAt: new Date(now + 600_000).toISOString(),
        state: "pending",
      };
      const answer = await answerer.ask(question, signal);
      return answer?.action === "accept" ? answer.content : undefined;
    },
  };
}
