import {
  buildSearchIndex,
  type CatalogTool,
  type CatalogView,
  catalogView,
  nearest,
  resolveTool,
  type SearchIndex,
  searchTools,
  type ServerListing,
  toolVisible,
} from "../catalog/mod.ts";
import { deriveFunctions } from "../catalog/names.ts";
import type { ServerDefinition } from "../config/mod.ts";
import { McpxError } from "../errors/mod.ts";
import { checkToolSchemas } from "../schema/mod.ts";
import type { CachedListing, SchemaCache } from "../store/mod.ts";
import { definitionDigest } from "./definition_digest.ts";

/** One server as the catalog knows it. */
export interface CatalogServer {
  definition: ServerDefinition;
  /** The definition whose process serves it: another one for an alias. */
  process: ServerDefinition;
  /** Key of the schema cache. */
  digest: string;
  cached?: CachedListing;
  /** Why the last reading failed. */
  failure?: McpxError;
}

/** Which lists of which servers are not what they were. */
export interface CatalogChange {
  /** Their names in the configuration. */
  servers: string[];
  tools: boolean;
  prompts: boolean;
  resources: boolean;
}

/** Every known tool, prompt and resource, from the schema cache; nothing in here starts a server. */
export class Catalog {
  /** Grows with every change. */
  revision = 0;
  readonly #cache: SchemaCache;
  readonly #onChange: (change: CatalogChange) => void;
  #servers = new Map<string, CatalogServer>();
  #tools = new Map<string, CatalogTool[]>();
  /** By the groups that a caller names; forgotten with every change. */
  readonly #views = new Map<string, CatalogView>();
  #index: SearchIndex | undefined;
  #indexIsFresh = false;

  constructor(cache: SchemaCache, options: { onChange?: (change: CatalogChange) => void } = {}) {
    this.#cache = cache;
    this.#onChange = options.onChange ?? ((): void => undefined);
  }

  /** Takes a new configuration, with what the cache holds for it. */
  async setServers(definitions: readonly ServerDefinition[]): Promise<void> {
    const byName = new Map(definitions.map((definition) => [definition.name, definition]));
    const next = new Map<string, CatalogServer>();
    await Promise.all(definitions.map(async (definition) => {
      const process = processOf(definition, byName);
      const digest = definitionDigest(process);
      const before = this.#servers.get(definition.name);
      const cached = before?.digest === digest ? before.cached : await this.#cache.read(digest);
      next.set(definition.name, { definition, process, digest, ...(cached ? { cached } : {}) });
    }));
    this.#servers = new Map(definitions.flatMap(({ name }) => {
      const entry = next.get(name);
      return entry ? [[name, entry] as const] : [];
    }));
    this.#tools = new Map();
    this.#changed();
    this.#onChange({
      servers: definitions.map(({ name }) => name),
      tools: true,
      prompts: true,
      resources: true,
    });
  }

  /** Every configured server, in the order of the configuration. */
  servers(): CatalogServer[] {
    return [...this.#servers.values()];
  }

  /**
   * One server, by namespace or by its configured name.
   *
   * @throws {McpxError} `unknown-server`
   */
  server(name: string): CatalogServer {
    const found = this.#servers.get(name) ??
      this.servers().find((entry) => entry.definition.namespace === name);
    if (found) return found;
    const names = this.servers().map((entry) => entry.definition.namespace);
    const near = nearest(name, names);
    throw new McpxError("unknown-server", `Cannot find ${name}: no server is called that.`, {
      hint: near.length > 0
        ? `Did you mean ${near.join(" or ")}?`
        : names.length > 0
        ? `There are: ${names.join(", ")}.`
        : "No server is configured: run `mcpx init` or `mcpx config --path`.",
      data: { server: name, known: names },
    });
  }

  /** Keeps a good reading, in memory and on disk, for every server that the same process serves. */
  async keep(digest: string, listing: ServerListing, readAt: string): Promise<void> {
    const cached = { listing, readAt };
    const change: CatalogChange = { servers: [], tools: false, prompts: false, resources: false };
    for (const entry of this.#servers.values()) {
      if (entry.digest !== digest) continue;
      noteChange(change, entry, listing);
      entry.cached = cached;
      delete entry.failure;
      this.#tools.delete(entry.definition.name);
    }
    this.#changed();
    if (change.tools || change.prompts || change.resources) this.#onChange(change);
    await this.#cache.write(digest, cached);
  }

  /** Remembers why a reading failed; what the cache holds stays as it is. */
  fail(digest: string, failure: McpxError): void {
    for (const entry of this.#servers.values()) if (entry.digest === digest) entry.failure = failure;
  }

  /** The visible tools of one server. */
  toolsOf(entry: CatalogServer): CatalogTool[] {
    const { definition } = entry;
    const known = this.#tools.get(definition.name);
    if (known) return known;
    const tools = visibleTools(entry);
    this.#tools.set(definition.name, tools);
    return tools;
  }

  /** The servers that a caller sees: those of the groups it names, or without any those that need not be named. */
  visible(groups: readonly string[]): CatalogServer[] {
    return this.servers().filter(({ definition }) =>
      groups.length === 0 ? definition.default : definition.groups.some((group) => groups.includes(group))
    );
  }

  /** The tools of all servers that a caller sees. */
  tools(groups: readonly string[]): CatalogTool[] {
    return this.visible(groups).flatMap((entry) => this.toolsOf(entry));
  }

  /** The tool that a name means. @throws {McpxError} `unknown-server`, `unknown-tool`, `ambiguous-tool`, `hidden-tool` */
  resolve(name: string, groups: readonly string[]): CatalogTool {
    try {
      return resolveTool(this.#view(groups), name);
    } catch (error) {
      throw this.#hidden(name) ?? error;
    }
  }

  /** Ranked tools. */
  search(query: string, limit: number, groups: readonly string[]): { tool: CatalogTool; score: number }[] {
    if (!this.#index || !this.#indexIsFresh) {
      const all = this.servers().flatMap((entry) => this.toolsOf(entry));
      this.#index = buildSearchIndex(all, this.#index ? { previous: this.#index } : {});
      this.#indexIsFresh = true;
    }
    const names = new Set(this.visible(groups).map(({ definition }) => definition.name));
    if (names.size === this.#servers.size) return searchTools(this.#index, query, { limit });
    return searchTools(this.#index, query, { limit: this.#index.tools.length })
      .filter(({ tool }) => names.has(tool.server)).slice(0, limit);
  }

  #view(groups: readonly string[]): CatalogView {
    const key = groups.join(",");
    const known = this.#views.get(key);
    if (known) return known;
    const servers = this.visible(groups).map(({ definition }) => ({
      namespace: definition.namespace,
      server: definition.name,
    }));
    const view = catalogView(servers, this.tools(groups));
    this.#views.set(key, view);
    return view;
  }

  #changed(): void {
    this.revision++;
    this.#views.clear();
    this.#indexIsFresh = false;
  }

  #hidden(name: string): McpxError | undefined {
    for (const { definition, cached } of this.#servers.values()) {
      const prefix = [definition.namespace, definition.name].find((part) => name.startsWith(`${part}.`));
      const wire = prefix === undefined ? undefined : name.slice(prefix.length + 1);
      if (wire === undefined || !cached?.listing.tools.some((tool) => tool.name === wire)) continue;
      if (toolVisible(definition.filter, wire, wire)) continue;
      return new McpxError("hidden-tool", `Cannot call ${name}: the configuration hides this tool.`, {
        hint: `See \`tools\`, \`excludeTools\` of ${definition.name} in ${definition.source.file}.`,
        data: { tool: name },
      });
    }
    return undefined;
  }
}

/** The definition whose process serves `definition`: an alias shares its target's where nothing of the process differs. */
function processOf(
  definition: ServerDefinition,
  byName: ReadonlyMap<string, ServerDefinition>,
): ServerDefinition {
  const target = definition.aliasOf === undefined ? undefined : byName.get(definition.aliasOf);
  if (!target) return definition;
  const shares = definition.sharing === target.sharing && definition.scope === target.scope &&
    definition.protocol === target.protocol &&
    JSON.stringify(definition.target) === JSON.stringify(target.target) &&
    JSON.stringify(definition.auth) === JSON.stringify(target.auth) &&
    JSON.stringify(definition.envPassthrough) === JSON.stringify(target.envPassthrough);
  return shares ? target : definition;
}

function visibleTools({ definition, cached }: CatalogServer): CatalogTool[] {
  if (!cached || definition.disabled || definition.error) return [];
  const functions = deriveFunctions(cached.listing.tools.map((tool) => tool.name));
  return cached.listing.tools.flatMap((tool) => {
    const fn = functions.get(tool.name) ?? tool.name;
    if (!toolVisible(definition.filter, tool.name, fn)) return [];
    return [{
      namespace: definition.namespace,
      server: definition.name,
      fn,
      tool,
      findings: checkToolSchemas(tool),
    }];
  });
}

function noteChange(change: CatalogChange, { definition, cached }: CatalogServer, next: ServerListing): void {
  const differs = (...lists: (keyof ServerListing)[]): boolean =>
    lists.some((list) => JSON.stringify(cached?.listing[list]) !== JSON.stringify(next[list]));
  change.servers.push(definition.name);
  change.tools ||= differs("tools");
  change.prompts ||= differs("prompts");
  change.resources ||= differs("resources", "resourceTemplates");
}
