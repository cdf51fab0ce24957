import { modelProvider, type Provider, type SamplingPort } from "../model/mod.ts";
import type { Engine } from "./engine.ts";

/**
 * The provider that the daemon's settings name, its key expanded from the daemon's own environment or a file.
 *
 * @param sampling how the caller's own host is asked; absent where it has none
 * @throws {McpxError} `model-unavailable`, `missing-variable`
 */
export async function configuredModel(engine: Engine, sampling?: SamplingPort): Promise<Provider> {
  const { base } = engine.settings;
  const apiKey = await engine.secret("model.apiKey");
  return modelProvider({
    provider: base.get("model.provider"),
    baseUrl: base.get("model.baseUrl"),
    model: base.get("model.name"),
    apiKey,
    timeoutMs: base.get("model.timeout"),
    ...(sampling ? { sampling } : {}),
  });
}
