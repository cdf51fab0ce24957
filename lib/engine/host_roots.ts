import type { InstanceView } from "../pool/mod.ts";
import type { JsonObject } from "../schema/mod.ts";

/** A host that may say which folders it works in. */
export interface RootsHost {
  /** Whether an instance serves it. */
  holds(instance: InstanceView): boolean;
  /** Its answer to `roots/list`; undefined where it has none, or cannot be asked now. */
  roots(): Promise<JsonObject | undefined>;
}

/** The roots of hosts that have an instance for themselves: that of a session. Whoever shares one is not asked. */
export class HostRoots {
  readonly #hosts = new Set<RootsHost>();
  readonly #instances: () => readonly InstanceView[];

  /** @param instances what serves now */
  constructor(instances: () => readonly InstanceView[]) {
    this.#instances = instances;
  }

  /** Counts a host in until what comes back is disposed. */
  join(host: RootsHost): Disposable {
    this.#hosts.add(host);
    return { [Symbol.dispose]: () => void this.#hosts.delete(host) };
  }

  /** What the only host of an instance answers to `roots/list`; undefined where there is no such host. */
  async of(instance: InstanceView): Promise<JsonObject | undefined> {
    return await this.#only(instance)?.roots();
  }

  /** A host says that its roots have changed: those instances are told that it has for itself. */
  async changed(host: RootsHost): Promise<void> {
    const own = this.#instances().filter((instance) => this.#only(instance) === host);
    await Promise.all(own.map(async ({ connection }) => {
      if (connection?.era !== "legacy") return;
      // One that is gone will ask when it starts again.
      await connection.notify("notifications/roots/list_changed").catch(() => undefined);
    }));
  }

  #only(instance: InstanceView): RootsHost | undefined {
    if (instance.server.scope !== "session") return undefined;
    const [host, ...others] = [...this.#hosts].filter((one) => one.holds(instance));
    return others.length === 0 ? host : undefined;
  }
}
