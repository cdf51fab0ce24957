import type { JsonObject } from "../schema/mod.ts";
import type { Engine } from "./engine.ts";
import { configuredModel } from "./model_provider.ts";
import type { Sampler } from "./questions/broker_types.ts";

/**
 * The configured endpoint as somebody who answers servers' requests for completions; undefined where none is configured.
 *
 * Only conversations of text are answered by it: the providers behind it take nothing else.
 */
export function modelSampler(engine: Engine): Sampler | undefined {
  const { base } = engine.settings;
  const provider = base.get("model.provider");
  if (provider !== "openai" && provider !== "anthropic") return undefined;
  const model = base.get("model.name");
  return {
    name: `the model ${model}`,
    sample: async (params, signal) => {
      const prompt = promptOf(params.messages);
      if (prompt === undefined) return undefined;
      const wanted = typeof params.maxTokens === "number" ? params.maxTokens : Infinity;
      const system = typeof params.systemPrompt === "string" ? params.systemPrompt : "";
      const maxTokens = Math.max(1, Math.min(wanted, base.get("model.maxTokens")));
      const text = await (await configuredModel(engine)).generate({ system, prompt, maxTokens }, signal);
      return { role: "assistant", content: { type: "text", text }, model, stopReason: "endTurn" };
    },
  };
}

/** A conversation as one text; undefined where it holds anything but text. */
function promptOf(messages: unknown): string | undefined {
  if (!Array.isArray(messages)) return undefined;
  const turns = messages.map((message: JsonObject) => {
    const blocks: unknown[] = Array.isArray(message.content) ? message.content : [message.content];
    const texts = blocks.map(textOf);
    return texts.every((text) => text !== undefined)
      ? { role: message.role, text: texts.join("\n") }
      : undefined;
  });
  const known = turns.filter((turn) => turn !== undefined);
  if (known.length === 0 || known.length < turns.length) return undefined;
  const [only] = known;
  if (known.length === 1 && only) return only.text;
  return known.map(({ role, text }) => `${role === "assistant" ? "Assistant" : "User"}: ${text}`).join(
    "\n\n",
  );
}

function textOf(block: unknown): string | undefined {
  if (typeof block !== "object" || block === null || !("text" in block)) return undefined;
  return "type" in block && block.type === "text" && typeof block.text === "string" ? block.text : undefined;
}
