import { createHash } from "node:crypto";
import { expandServer, type ExpandServerOptions, type ServerDefinition } from "../config/mod.ts";
import { McpxError } from "../errors/mod.ts";
import { childEnv, type PooledServer } from "../pool/mod.ts";
import type { Caller } from "./caller.ts";
import { definitionDigest } from "./definition_digest.ts";
import { isOwnAddress } from "./own_address.ts";

/** Marks a child with the configuration set and the entry that started it, so that an mcpx among them does not call itself. */
export const CHILD_MARKER = "MCPX_UPSTREAM";
/** How many servers, each as some caller's environment has it, are remembered. */
const MOST_KNOWN = 1000;

/** Expands servers for callers, and remembers: the same definition with the same variables is expanded once. */
export class ServerPreparer {
  readonly #base: Readonly<Record<string, string>>;
  readonly #note: (text: string) => void;
  readonly #learn: (secrets: readonly string[]) => void;
  readonly #configurationSet: () => string;
  readonly #ownUrl: () => string | undefined;
  /** What `${cmd:…}` printed, for as long as the configuration is the same. */
  #commands: NonNullable<ExpandServerOptions["commands"]> = new Map();
  readonly #prepared = new Map<string, Promise<PooledServer>>();
  /** What was prepared last under each key, beyond a change of the configuration. */
  readonly #known = new Map<string, PooledServer>();
  /** What each expanded definition was made from. */
  readonly #origins = new Map<string, string>();

  /**
   * @param base the daemon's environment
   * @param options.note told when an expansion has to wait
   * @param options.learn told the values that must not show
   * @param options.configurationSet the key of what is configured now
   * @param options.ownUrl where the daemon itself listens
   */
  constructor(
    base: Readonly<Record<string, string>>,
    options: {
      note: (text: string) => void;
      learn: (secrets: readonly string[]) => void;
      configurationSet: () => string;
      ownUrl: () => string | undefined;
    },
  ) {
    this.#base = base;
    this.#note = options.note;
    this.#learn = options.learn;
    this.#configurationSet = options.configurationSet;
    this.#ownUrl = options.ownUrl;
  }

  /**
   * A server as the pool takes it, expanded for one caller.
   *
   * @throws {McpxError} `missing-variable`, `server-config`
   */
  prepare(definition: ServerDefinition, caller: Caller): Promise<PooledServer> {
    const key = keyOf(definition, caller);
    const known = this.#prepared.get(key);
    if (known) return known;
    const prepared = this.#expand(definition, caller.env);
    this.#prepared.set(key, prepared);
    prepared.then((server) => this.#keep(key, server), () => this.#prepared.delete(key));
    return prepared;
  }

  /** A server as it was last prepared for callers like this one. */
  known(definition: ServerDefinition, caller: Caller): PooledServer | undefined {
    return this.#known.get(keyOf(definition, caller));
  }

  /** Forgets everything: the definitions have changed. */
  clear(): void {
    this.#prepared.clear();
    this.#commands = new Map();
  }

  /** Whether a server, as it was expanded for whomever, is still configured so. */
  isCurrent(server: PooledServer, definitions: readonly ServerDefinition[]): boolean {
    const definition = definitions.find(({ name }) => name === server.name);
    return definition !== undefined && !definition.error && !definition.disabled &&
      this.#origins.get(server.definition) === originOf(definition);
  }

  #keep(key: string, server: PooledServer): void {
    this.#known.delete(key);
    this.#known.set(key, server);
    const [oldest] = this.#known.keys();
    if (this.#known.size > MOST_KNOWN && oldest !== undefined) this.#known.delete(oldest);
  }

  async #expand(
    definition: ServerDefinition,
    callerEnv: Readonly<Record<string, string>>,
  ): Promise<PooledServer> {
    const expanded = await expandServer(definition, { HOME: this.#base.HOME, ...callerEnv }, {
      onWait: this.#note,
      commands: this.#commands,
    });
    this.#learn(expanded.secrets);
    let { target } = expanded;
    let digest = expanded.digest;
    if (target.kind === "http" && isOwnAddress(target.url, this.#ownUrl())) {
      throw new McpxError("server-config", `Cannot use ${definition.name}: ${target.url} is mcpx itself.`, {
        hint: `Take it out of ${definition.source.file}: what it would offer is here already.`,
      });
    }
    if (target.kind === "stdio") {
      const env = childEnv({
        base: this.#base,
        own: target.env,
        passthrough: definition.envPassthrough,
        caller: callerEnv,
        marker: { [CHILD_MARKER]: `${this.#configurationSet()}:${definition.name}` },
      });
      target = { ...target, env };
      digest = createHash("sha256").update(digest).update(JSON.stringify(env)).digest("hex");
    }
    const { name, protocol, sharing, scope } = definition;
    this.#origins.set(digest, originOf(definition));
    return { name, definition: digest, target, protocol, sharing, scope };
  }
}

/** What decides how a definition is expanded for a caller. */
function keyOf({ name, variables, envPassthrough }: ServerDefinition, { env }: Caller): string {
  return JSON.stringify([name, [...variables, ...envPassthrough].map((variable) => env[variable] ?? null)]);
}

/** Whatever makes instances of one configuration unfit for another. */
function originOf(definition: ServerDefinition): string {
  return `${definitionDigest(definition)} ${definition.sharing} ${definition.scope}`;
}
