import type { InstanceStatus } from "../pool/types.ts";
import type { Caller } from "./caller.ts";
import type { CatalogServer } from "./catalog.ts";
import type { Engine } from "./engine.ts";

/** One line of `mcpx ls`. */
export interface ServerLine {
  namespace: string;
  server: string;
  /** `ready`: connected; `idle`: known, not started; `unread`: never read; `error`: see `error`. */
  state: "ready" | "idle" | "starting" | "unread" | "disabled" | "error";
  tools?: number | undefined;
  prompts?: number | undefined;
  resources?: number | undefined;
  protocolVersion?: string | undefined;
  /** When its lists were last read: ISO 8601, UTC. */
  readAt?: string | undefined;
  description?: string | undefined;
  error?: { code: string; message: string; hint?: string | undefined } | undefined;
}

const NO_SERVER =
  "No server is configured here. Run mcpx servers add <name> -- <command> to add one, mcpx init to make a file, or mcpx config " +
  "import to take over another host's servers.";

/** The servers that a caller sees, each with what it offers. Never-read ones are read once, unless `cached`. */
export async function listServers(
  engine: Engine,
  caller: Caller,
  options: { cached: boolean },
): Promise<{ servers: ServerLine[]; notes: string[] }> {
  if (!options.cached) await engine.readListings(caller);
  const instances = engine.pool.status();
  const servers = engine.visibleServers(caller).map((entry) => serverLine(engine, entry, instances));
  const { servers: configured, notes } = engine.configuration;
  return { servers, notes: configured.length === 0 ? [...notes, NO_SERVER] : notes };
}

function serverLine(engine: Engine, entry: CatalogServer, instances: readonly InstanceStatus[]): ServerLine {
  const { definition, process, cached } = entry;
  const live = instances.filter((instance) => instance.server === process.name);
  const failure = definition.error ?? entry.failure;
  const description = definition.description ?? title(cached?.listing.serverInfo);
  return {
    namespace: definition.namespace,
    server: definition.name,
    state: stateOf(entry, live),
    ...(cached
      ? {
        tools: engine.catalog.toolsOf(entry).length,
        prompts: cached.listing.prompts.length,
        resources: cached.listing.resources.length + cached.listing.resourceTemplates.length,
        protocolVersion: cached.listing.protocolVersion,
        readAt: cached.readAt,
      }
      : {}),
    ...(description === undefined ? {} : { description }),
    ...(failure ? { error: failure.toBody() } : {}),
  };
}

function stateOf(
  { definition, cached, failure }: CatalogServer,
  live: readonly InstanceStatus[],
): ServerLine["state"] {
  if (definition.error) return "error";
  if (definition.disabled) return "disabled";
  if (live.some((instance) => instance.state === "ready")) return "ready";
  if (live.some((instance) => instance.state === "starting")) return "starting";
  if (failure) return "error";
  return cached ? "idle" : "unread";
}

function title(serverInfo: Record<string, unknown> | undefined): string | undefined {
  const text = serverInfo?.description ?? serverInfo?.title;
  return typeof text === "string" ? text : undefined;
}
