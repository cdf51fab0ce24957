import { McpxError } from "../errors/mod.ts";
import type { Instance } from "./instance.ts";
import type { InstanceSet } from "./instance_set.ts";
import { StartFailures } from "./start_failures.ts";
import type { PooledServer } from "./types.ts";

/** What the keeping asks of the pool it belongs to. */
export interface KeptServersOptions {
  name: string;
  instances: InstanceSet;
  backoff: { baseMs: number; maxMs: number };
  now: () => number;
  /** How many of a definition are to be kept. */
  min: (server: PooledServer) => number;
  /** When a definition whose start failed may be started again. */
  retryAt: (definition: string) => number;
  hasRoom: () => boolean;
  wake: (at: number) => void;
  /** Starts one under that key; a spare goes to the first caller of a new key. */
  start: (server: PooledServer, key: string, spare: boolean) => void;
}

/** Keeps `min` instances of one server's definitions started, ever more patiently with those that keep dying. */
export class KeptServers {
  readonly #options: KeptServersOptions;
  /** Waits before one that died is started again. They hold back nothing that a caller asks for. */
  readonly #deaths: StartFailures;
  #servers: PooledServer[] = [];
  #spares = 0;

  constructor(options: KeptServersOptions) {
    this.#options = options;
    this.#deaths = new StartFailures(options.name, options.backoff);
  }

  get isEmpty(): boolean {
    return this.#servers.length === 0;
  }

  set(servers: PooledServer[]): void {
    this.#servers = servers;
  }

  /** Keeps no longer what is not configured any more. */
  prune(isCurrent: (server: PooledServer) => boolean): void {
    this.#servers = this.#servers.filter(isCurrent);
    this.#deaths.prune(isCurrent);
  }

  /** Lets what died be started again at once. */
  forgive(): void {
    this.#deaths.clear();
  }

  /** Notes that an instance ended by itself. */
  died({ server, startedAt }: Instance): void {
    const now = this.#options.now();
    // One that lived for long is no part of a crash loop.
    if (now - startedAt > this.#options.backoff.maxMs) this.#deaths.clear(server.definition);
    this.#deaths.record(server, new McpxError("upstream-exited", `${server.name} ended by itself.`), now);
  }

  /** Whether an idle instance has to stay for its definition to have enough. */
  needs({ server: { definition } }: Instance): boolean {
    const { instances, min } = this.#options;
    const kept = this.#servers.find((server) => server.definition === definition);
    return kept !== undefined && instances.serving(definition) <= min(kept);
  }

  /** Starts what is missing, as far as there is room without stopping anything. */
  fill(): void {
    const { instances, min, retryAt, now, wake, hasRoom, start } = this.#options;
    for (const server of this.#servers) {
      const { definition } = server;
      for (let have = instances.serving(definition); have < min(server); have++) {
        const allowedAt = Math.max(retryAt(definition), this.#deaths.retryAt(definition));
        if (now() < allowedAt) {
          wake(allowedAt);
          break;
        }
        if (!hasRoom()) break;
        const spare = server.scope !== "global";
        start(server, spare ? `spare:${++this.#spares}` : "global", spare);
        if (allowedAt > 0) break; // After a failure one start at a time shows whether it is over.
      }
    }
  }
}
