import { McpxError } from "../errors/mod.ts";
import type { JsonObject } from "../schema/types.ts";
import { memberOf } from "./endpoint.ts";
import type { Provider } from "./types.ts";

/** How the caller's own MCP host is asked. */
export interface SamplingPort {
  /** Gives a `sampling/createMessage` result, or undefined where the host gives none. */
  createMessage(params: JsonObject, signal: AbortSignal): Promise<JsonObject | undefined>;
}

/**
 * A provider that asks the caller's own MCP host.
 *
 * @param port absent where the caller has no host that samples: then there is no answer, at once
 */
export function samplingProvider(port: SamplingPort | undefined, options: { timeoutMs: number }): Provider {
  const name = "the caller's own model";
  return {
    name,
    async generate({ system, prompt, maxTokens }, signal): Promise<string> {
      if (port === undefined) {
        throw new McpxError(
          "model-unavailable",
          "Cannot ask the caller's own model: the caller offers no sampling.",
          {
            hint: "Ask from an MCP host that supports sampling, or set model.provider to an endpoint.",
          },
        );
      }
      const deadline = AbortSignal.timeout(options.timeoutMs);
      const params = {
        messages: [{ role: "user", content: { type: "text", text: prompt } }],
        systemPrompt: system,
        maxTokens,
      };
      const result = await bounded(port.createMessage(params, AbortSignal.any([signal, deadline])), {
        signal,
        deadline,
        name,
      });
      const text = textOf(memberOf(result, "content"));
      if (text !== "") return text;
      throw new McpxError("model-unavailable", `Cannot get an answer from ${name}: it gave no text.`);
    },
  };
}

/** A host that ignores its signal does not keep the caller waiting. */
async function bounded<T>(
  answer: Promise<T>,
  { signal, deadline, name }: { signal: AbortSignal; deadline: AbortSignal; name: string },
): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const onCancel = (): void => reject(new McpxError("cancelled", "Cancelled by the caller."));
  const onDeadline = (): void =>
    reject(
      new McpxError(
        "model-unavailable",
        `Cannot get an answer from ${name}: it did not answer in time (model.timeout).`,
      ),
    );
  signal.addEventListener("abort", onCancel, { once: true });
  deadline.addEventListener("abort", onDeadline, { once: true });
  try {
    return await Promise.race([answer, promise]);
  } finally {
    signal.removeEventListener("abort", onCancel);
    deadline.removeEventListener("abort", onDeadline);
  }
}

function textOf(content: unknown): string {
  const blocks = Array.isArray(content) ? content : [content];
  return blocks.filter((block) => memberOf(block, "type") === "text")
    .map((block) => String(memberOf(block, "text") ?? "")).join("");
}
