import { briefQuestion } from "../../elicit/mod.ts";
import { processStamp } from "../../pool/mod.ts";
import type { InstanceStatus } from "../../pool/mod.ts";
import type { ResolvedSettings } from "../../settings/mod.ts";
import { QuestionStore } from "../../store/mod.ts";
import { Broker } from "./broker.ts";
import { CallPolicies } from "./call_policies.ts";
import { Tasks } from "./tasks.ts";
import { UpstreamRequests } from "./upstream_requests.ts";

/** What {@link QuestionDesk} works with. */
export interface QuestionDeskOptions {
  /** The file that questions and tasks are kept in; undefined keeps them in memory. */
  path(): string | undefined;
  /** Whether this process outlives its requests. */
  holdsTasks: boolean;
  settings(): ResolvedSettings;
  instances(server: string): InstanceStatus[];
  namespaceOf(server: string): string;
  publish(type: string, data: unknown): void;
  note(level: "info" | "warn" | "error", text: string): void;
}

/** Everything about questions that an engine has: who is asked, what goes on meanwhile, and what is kept of it. */
export class QuestionDesk {
  readonly broker: Broker;
  readonly tasks: Tasks;
  readonly requests: UpstreamRequests;
  readonly policies: CallPolicies;
  readonly #options: QuestionDeskOptions;
  #store: Promise<QuestionStore> | undefined;

  constructor(options: QuestionDeskOptions) {
    this.#options = options;
    const { settings, publish, note } = options;
    const store = (): Promise<QuestionStore> => this.#opened();
    const newId = (prefix: string) => (): string => `${prefix}-${randomWord()}`;
    this.broker = new Broker({
      store,
      upstreamMs: () => settings().get("elicit.ttl"),
      maxOpen: () => settings().get("elicit.maxOpen"),
      holdsTasks: options.holdsTasks,
      onWaiting: (work, waiter) => this.tasks.waiting(work, waiter),
      onSettled: (work) => this.tasks.settled(work),
      onChange: (question) => publish("question", briefQuestion(question)),
      note,
      newId: newId("elc"),
      now: Date.now,
    });
    this.tasks = new Tasks({
      broker: this.broker,
      store,
      ttlMs: () => settings().get("task.ttl"),
      onChange: (task) => publish("task", task),
      note,
      newId: newId("tsk"),
      newTrace: newId("trc"),
      now: Date.now,
    });
    this.requests = new UpstreamRequests({
      broker: this.broker,
      namespaceOf: options.namespaceOf,
      samplesByHand: () => settings().get("elicit.sampling") === "ask",
      note,
    });
    this.policies = new CallPolicies({
      broker: this.broker,
      settings,
      instances: options.instances,
      now: Date.now,
    });
  }

  /** Takes no questions any more, and settles when no task runs: for a daemon that leaves. */
  async leave(): Promise<void> {
    this.broker.close("the daemon stops");
    await this.tasks.idle();
  }

  /** Ends everything and writes down that and why. */
  async close(): Promise<void> {
    const ended = this.tasks.close();
    this.broker.close("the daemon stops");
    await ended;
    const store = await this.#store?.catch(() => undefined);
    this.#store = undefined;
    store?.[Symbol.dispose]();
  }

  async #opened(): Promise<QuestionStore> {
    this.#store ??= QuestionStore.open(this.#options.path(), {
      owner: `${Deno.pid} ${processStamp(Deno.pid)}`,
      isAlive: (owner) => {
        const [pid = "", ...stamp] = owner.split(" ");
        return processStamp(Number(pid)) === stamp.join(" ");
      },
      onSetAside: (message) => this.#options.note("error", message),
    });
    try {
      return await this.#store;
    } catch (error) {
      this.#store = undefined;
      throw error;
    }
  }
}

const LETTERS = "abcdefghjkmnpqrstvwxyz0123456789";

/** Ten letters and digits that are hard to confuse: 50 bits. */
function randomWord(): string {
  return [...crypto.getRandomValues(new Uint8Array(10))].map((byte) => LETTERS[byte % 32]).join("");
}
