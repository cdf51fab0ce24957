import { addressOf, type Instance } from "./instance.ts";
import type { PooledServer } from "./types.ts";

/** The instances of one server that are not gone, and where new leases find them. */
export class InstanceSet implements Iterable<Instance> {
  readonly #all = new Set<Instance>();
  readonly #byAddress = new Map<string, Instance>();
  /** Started ahead, under no caller's key yet. */
  readonly #spares = new Set<Instance>();

  get size(): number {
    return this.#all.size;
  }

  [Symbol.iterator](): Iterator<Instance> {
    return this.#all.values();
  }

  /** The instance that new leases at `address` are given on. */
  at(address: string): Instance | undefined {
    return this.#byAddress.get(address);
  }

  add(instance: Instance, options: { spare: boolean }): void {
    this.#all.add(instance);
    this.#byAddress.set(instance.address, instance);
    if (options.spare) this.#spares.add(instance);
  }

  /** Keeps new leases off it; it still takes its place until it is gone. */
  detach(instance: Instance): void {
    const { address } = instance;
    if (this.#byAddress.get(address) === instance) this.#byAddress.delete(address);
    this.#spares.delete(instance);
  }

  remove(instance: Instance): void {
    this.detach(instance);
    this.#all.delete(instance);
  }

  /** Gives a spare of the definition to the first caller of a new key. */
  claimSpare(server: PooledServer, key: string, owner: Instance["owner"]): Instance | undefined {
    for (const spare of this.#spares) {
      if (spare.server.definition !== server.definition) continue;
      this.detach(spare);
      spare.key = key;
      spare.owner = owner;
      this.#byAddress.set(spare.address, spare);
      return spare;
    }
    return undefined;
  }

  /**
   * How many places are taken. One that another waits to follow shares its place with it, so that there are never
   * more processes than places.
   */
  places(): number {
    let count = 0;
    for (const instance of this.#all) if (!instance.superseded) count++;
    return count;
  }

  /** How many serve, or start to: of one definition, or of all. */
  serving(definition?: string): number {
    let count = 0;
    for (const instance of this.#all) {
      if (instance.serves && (definition ?? instance.server.definition) === instance.server.definition) {
        count++;
      }
    }
    return count;
  }

  /** What has to be gone before one may start at that address. */
  before(server: PooledServer, key: string): Instance[] {
    const address = addressOf(server, key);
    return [...this.#all].filter((instance) => instance.goesFirst || instance.address === address);
  }

  /** Idle ones, the longest idle first. */
  idle(): Instance[] {
    return [...this.#all].filter((instance) => instance.isIdle)
      .sort((a, b) => (a.idleSince ?? 0) - (b.idleSince ?? 0));
  }

  /** Whose place another can have: what leaves anyway, else the longest idle, else a start nobody waits for. */
  replaceable(isWanted: (instance: Instance) => boolean): Instance | undefined {
    const all = [...this.#all].filter((instance) => !instance.superseded);
    return all.find((instance) => instance.goesFirst || instance.state === "stopping") ??
      this.idle().find((instance) => !instance.superseded) ??
      all.find((instance) => instance.state === "starting" && !isWanted(instance));
  }
}
