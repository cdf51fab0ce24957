import type { CatalogTool } from "../../catalog/mod.ts";
import {
  chosenInstance,
  confirmationQuestion,
  destructiveReason,
  disambiguationQuestion,
  isConfirmed,
  NEW_INSTANCE,
} from "../../elicit/mod.ts";
import { McpxError } from "../../errors/mod.ts";
import { type CallerIdentity, type InstanceStatus, type PooledServer, scopeKey } from "../../pool/mod.ts";
import type { JsonObject } from "../../schema/mod.ts";
import type { ResolvedSettings } from "../../settings/mod.ts";
import type { Caller } from "../caller.ts";
import type { Broker } from "./broker.ts";

/** A call that is about to be made. */
export interface PlannedCall {
  server: PooledServer;
  identity: CallerIdentity;
  /** The namespace that the caller knows the server by. */
  namespace: string;
  /** The tool's own name; absent for what is no tool call. */
  toolName?: string;
  /** The tool as the catalog knows it. */
  tool(): CatalogTool | undefined;
  arguments: JsonObject;
}

/** What {@link CallPolicies} works with. */
export interface CallPoliciesOptions {
  broker: Pick<Broker, "ask">;
  settings(): ResolvedSettings;
  /** The live instances of a server, by its name. */
  instances(server: string): InstanceStatus[];
  now(): number;
}

/** The two questions that mcpx asks by itself, between resolving an instance and using it. Both are off by default. */
export class CallPolicies {
  readonly #options: CallPoliciesOptions;

  constructor(options: CallPoliciesOptions) {
    this.#options = options;
  }

  /**
   * Asks what has to be asked before a call.
   *
   * @returns the key of the instance to use; nothing where the caller's scope decides
   * @throws {McpxError} `not-confirmed`
   */
  async beforeCall(call: PlannedCall, caller: Caller): Promise<string | undefined> {
    const instance = await this.#disambiguate(call, caller);
    await this.#confirm(call, caller);
    return instance;
  }

  async #disambiguate(call: PlannedCall, caller: Caller): Promise<string | undefined> {
    const settings = this.#options.settings();
    const { server, namespace } = call;
    if (settings.get("elicit.disambiguate") !== "ask" || server.sharing !== "exclusive") return undefined;
    const known = caller.work?.chosen;
    const live = this.#live(server.name);
    if (known?.has(server.name)) {
      const chosen = known.get(server.name);
      return live.some(({ key }) => key === chosen) ? chosen : undefined;
    }
    const own = scopeKey(server.scope, call.identity);
    if (live.length < 2 || ("key" in own && live.some(({ key }) => key === own.key))) return undefined;
    const recent = live.toSorted((a, b) => lastUse(b) - lastUse(a))[0]?.key ?? NEW_INSTANCE;
    const fallback = settings.get("elicit.disambiguateDefault") === "recent" ? recent : NEW_INSTANCE;
    const now = this.#options.now();
    const answer = await this.#options.broker.ask(
      disambiguationQuestion({
        server: namespace,
        ...(call.toolName === undefined ? {} : { tool: `${namespace}.${call.toolName}` }),
        fallback,
        deadlineMs: settings.get("elicit.askTimeout"),
        instances: live.map(({ key, leases, calls, idleSince, pid }) => ({
          key,
          holders: leases,
          calls,
          ...(idleSince === undefined ? {} : { idleMs: now - Date.parse(idleSince) }),
          ...(pid === undefined ? {} : { pid }),
        })),
      }),
      caller,
    );
    caller.signal.throwIfAborted();
    const chosen = chosenInstance(answer) ?? fallback;
    const key = chosen === NEW_INSTANCE ? undefined : chosen;
    known?.set(server.name, key);
    return key !== undefined && this.#live(server.name).some((instance) => instance.key === key)
      ? key
      : undefined;
  }

  /** Instances that outlive the call or the run that they were started for. */
  #live(server: string): InstanceStatus[] {
    return this.#options.instances(server).filter(({ state, key }) =>
      state !== "stopping" && !key.startsWith("call:") && !key.startsWith("run:")
    );
  }

  async #confirm(call: PlannedCall, caller: Caller): Promise<void> {
    const settings = this.#options.settings();
    const { namespace, toolName, arguments: sent } = call;
    if (toolName === undefined || !settings.get("elicit.confirmDestructive")) return;
    const tool = call.tool();
    const why = destructiveReason(tool?.tool.annotations);
    if (why === undefined) return;
    const name = `${namespace}.${tool?.fn ?? toolName}`;
    let raised: string | undefined;
    const answer = await this.#options.broker.ask(
      confirmationQuestion({
        server: namespace,
        tool: name,
        why,
        arguments: sent,
        deadlineMs: settings.get("elicit.askTimeout"),
      }),
      caller,
      (id) => raised = id,
    );
    caller.signal.throwIfAborted();
    if (isConfirmed(answer)) return;
    const about = raised === undefined ? "" : ` (question ${raised})`;
    throw new McpxError(
      "not-confirmed",
      `Cannot call ${name}: it was not confirmed${about}, so it was not called.`,
      {
        hint: raised === undefined ? "Call it again and confirm." : `mcpx elicit show ${raised}`,
        data: { tool: name, ...(raised === undefined ? {} : { question: raised }) },
      },
    );
  }
}

function lastUse({ leases, idleSince }: InstanceStatus): number {
  return leases > 0 || idleSince === undefined ? Infinity : Date.parse(idleSince);
}
