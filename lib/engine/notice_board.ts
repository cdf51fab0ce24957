import type { InstanceView } from "../pool/mod.ts";
import type { JsonObject } from "../schema/mod.ts";
import type { CatalogChange } from "./catalog.ts";

/** Something that happened without being asked for. */
export type Notice =
  | { type: "lists" } & CatalogChange
  /** What an instance said outside of any request. */
  | { type: "notification"; instance: InstanceView; method: string; params: JsonObject }
  /** The server of an instance had forgotten its session, and with it all that was set and subscribed to. */
  | { type: "renewed"; instance: InstanceView };

/** Tells whoever listens what changes and what servers say of their own accord. */
export class NoticeBoard {
  readonly #listeners = new Set<(notice: Notice) => void>();

  /** Calls `listener` for every notice until what comes back is disposed. */
  listen(listener: (notice: Notice) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  /** Tells all listeners. */
  publish(notice: Notice): void {
    for (const listener of [...this.#listeners]) listener(notice);
  }
}
