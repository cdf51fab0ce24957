import type { BridgeMessage } from "./bridge_message.ts";

/** How many watched resources are remembered; the oldest goes first. */
const MOST = 1000;

/** What a host has asked of its session that lasts longer than a request: another session has to be asked for it again. */
export class SessionWishes {
  readonly #watching = new Map<string, string>();
  #level: string | undefined;

  /** Takes a request that the session has answered. */
  note(line: string, { method, params }: BridgeMessage): void {
    if (method === "logging/setLevel") this.#level = line;
    const uri = params?.uri;
    if (typeof uri !== "string") return;
    if (method === "resources/unsubscribe") this.#watching.delete(uri);
    if (method !== "resources/subscribe") return;
    this.#watching.set(uri, line);
    const [oldest] = this.#watching.keys();
    if (this.#watching.size > MOST && oldest !== undefined) this.#watching.delete(oldest);
  }

  /** The requests to make again. */
  requests(): string[] {
    return [...(this.#level === undefined ? [] : [this.#level]), ...this.#watching.values()];
  }

  /** What is watched, and may have changed while there was no session. */
  watched(): string[] {
    return [...this.#watching.keys()];
  }
}
