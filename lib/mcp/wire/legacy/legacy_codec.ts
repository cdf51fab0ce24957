import type { McpTool } from "../../../catalog/types.ts";
import { McpxError } from "../../../errors/mod.ts";
import type { JsonObject } from "../../../schema/types.ts";
import type { PreparedRequest } from "../../dispatcher.ts";
import type { EraCodec, RequestWishes, Wire } from "../codec.ts";
import { META } from "../modern/envelope.ts";

/** Messages of the revisions 2024-11-05 to 2025-11-25. */
export class LegacyCodec implements EraCodec {
  readonly era = "legacy";
  readonly #wire: Wire;
  readonly #version: string;

  constructor(wire: Wire, version: string) {
    this.#wire = wire;
    this.#version = version;
  }

  request(
    id: number,
    { method, params }: { method: string; params: JsonObject },
    { progress, meta }: RequestWishes,
  ): PreparedRequest {
    if (!progress && !meta) return { method, params, resumable: true };
    const own = typeof params._meta === "object" ? params._meta : undefined;
    const members = withoutEnvelope({ ...own, ...meta });
    return {
      method,
      params: { ...params, _meta: { ...members, ...(progress ? { progressToken: id } : {}) } },
      resumable: true,
    };
  }

  notification(_method: string, params: JsonObject | undefined): { params?: JsonObject } {
    return params ? { params } : {};
  }

  cancelNotice(id: number, reason: string): JsonObject {
    return { requestId: id, reason };
  }

  /** Results of this era have no kinds. */
  checkResult(): void {}

  async begin(): Promise<void> {
    const { transport, dispatcher } = this.#wire;
    transport.setHeaders({ "mcp-protocol-version": this.#version });
    await dispatcher.notify("notifications/initialized", undefined).catch((error) =>
      dispatcher.note(`The server did not take notifications/initialized: ${McpxError.from(error).message}`)
    );
    transport.openStandingStream();
  }

  repair(): Promise<boolean> {
    return Promise.resolve(false);
  }

  admitTools(tools: McpTool[]): { tools: McpTool[]; warnings: string[] } {
    return { tools, warnings: [] };
  }
}

const MODERN_ONLY: ReadonlySet<string> = new Set(Object.values(META));

/** What a host of the modern era says about itself means nothing to a server of this one. */
function withoutEnvelope(meta: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(meta).filter(([key]) => !MODERN_ONLY.has(key)));
}
