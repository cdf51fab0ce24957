import type { ServerDefinition } from "../config/mod.ts";
import type { RequestOptions } from "../mcp/mod.ts";
import type { PoolLimits } from "../pool/mod.ts";
import { type ResolvedSettings, settingFlag } from "../settings/mod.ts";

/** The limits of one server in the pool: its own go before the general ones. */
export function poolLimits(settings: ResolvedSettings, own: ServerDefinition["limits"] = {}): PoolLimits {
  return {
    min: own.min ?? settings.get("pool.min"),
    max: own.max ?? settings.get("pool.max"),
    idleTimeoutMs: own.idleTimeout ?? settings.get("pool.idleTimeout"),
    startTimeoutMs: own.startTimeout ?? settings.get("pool.startTimeout"),
    callTimeoutMs: own.callTimeout ?? settings.get("pool.callTimeout"),
    probeTimeoutMs: settings.get("upstream.probeTimeout"),
    queueTimeoutMs: settings.get("pool.queueTimeout"),
    queueMax: settings.get("pool.queueMax"),
    stopGraceMs: settings.get("pool.stopGrace"),
    stderrTailBytes: settings.get("pool.stderrTail"),
    maxMessageBytes: settings.get("upstream.maxMessage"),
  };
}

/**
 * The limits of one request: its own go before the server's, and those before the general ones; errors name which it was.
 *
 * @param options.waitsForTask whether the request is open until a task has ended: silence is no sign then, unless the caller said
 * how much of it is too much
 */
export function callLimits(
  settings: ResolvedSettings,
  definition: ServerDefinition,
  { waitsForTask = false }: { waitsForTask?: boolean } = {},
): Pick<RequestOptions, "timeoutMs" | "maxTotalMs" | "timeoutName" | "maxTotalName"> {
  const general = settings.explain("pool.callTimeout");
  const own = definition.limits.callTimeout;
  const isGeneral = own === undefined || general.layer === "request" || general.layer === "flag";
  if (waitsForTask && general.layer !== "request") {
    return { maxTotalMs: settings.get("pool.maxTotal"), maxTotalName: limitName(settings, "pool.maxTotal") };
  }
  return {
    timeoutMs: isGeneral ? settings.get("pool.callTimeout") : own,
    timeoutName: isGeneral ? limitName(settings, "pool.callTimeout") : `callTimeout of ${definition.name}`,
    maxTotalMs: settings.get("pool.maxTotal"),
    maxTotalName: limitName(settings, "pool.maxTotal"),
  };
}

/** The setting and where its value came from, as whoever gave it wrote it. */
function limitName(settings: ResolvedSettings, path: "pool.callTimeout" | "pool.maxTotal"): string {
  const { layer, source } = settings.explain(path);
  if (layer === "default") return path;
  return `${path} (${layer === "request" ? `--${settingFlag(path)}` : source})`;
}
