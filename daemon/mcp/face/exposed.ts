import { type CatalogTool, exposeNames, type McpPrompt } from "../../../lib/catalog/mod.ts";
import type { Caller } from "../../../lib/engine/caller.ts";
import type { CatalogServer } from "../../../lib/engine/catalog.ts";
import type { Engine } from "../../../lib/engine/engine.ts";
import { type RecipeTool, recipeTools } from "../../../lib/engine/recipes/recipe_tools.ts";
import type { AnyOperation } from "../../../lib/operations/table.ts";
import type { JsonObject } from "../../../lib/schema/mod.ts";
import { listablePrompt, listableResource, listableTool } from "./listable.ts";
import { offeredOperations, operationTool } from "./operation_tool.ts";
import { uriRule, withUri } from "./uris.ts";

/** What a tool's name stands for. */
export type ExposedTool =
  | { kind: "operation"; definition: JsonObject; operation: AnyOperation }
  | { kind: "recipe"; definition: JsonObject; recipe: RecipeTool }
  | { kind: "upstream"; definition: JsonObject; entry: CatalogServer; tool: CatalogTool };

/** What a prompt's name stands for. */
export interface ExposedPrompt {
  definition: JsonObject;
  entry: CatalogServer;
  prompt: McpPrompt;
}

/** Everything that a host is offered, by the names that it sees. Names are looked up here, never taken apart. */
export interface Exposed {
  tools: ReadonlyMap<string, ExposedTool>;
  prompts: ReadonlyMap<string, ExposedPrompt>;
  resources: readonly unknown[];
  resourceTemplates: readonly unknown[];
  /** The servers that can be seen. */
  servers: readonly CatalogServer[];
}

/** What decides what is offered. */
interface Choice {
  mode: readonly string[];
  nameLimit: number;
  admin: boolean;
  groups: readonly string[];
}

/** Makes the tables of names, and keeps them until the catalog changes. */
export class ExposedTables {
  readonly #engine: Engine;
  readonly #known = new Map<string, Exposed>();
  #revision = -1;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** The tables for one caller. */
  for({ settings }: Caller): Exposed {
    const { catalog } = this.#engine;
    if (this.#revision !== catalog.revision) this.#known.clear();
    this.#revision = catalog.revision;
    const choice: Choice = {
      mode: settings.get("serve.mode"),
      // A hash tail needs nine characters, and APIs take no more than sixty-four.
      nameLimit: Math.min(64, Math.max(16, settings.get("serve.nameLimit"))),
      admin: this.#engine.settings.base.get("serve.admin"),
      groups: settings.get("servers.groups"),
    };
    const key = JSON.stringify(choice);
    const known = this.#known.get(key);
    if (known) return known;
    const made = this.#make(choice);
    this.#known.set(key, made);
    return made;
  }

  #make({ mode, nameLimit, admin, groups }: Choice): Exposed {
    const { catalog } = this.#engine;
    const servers = catalog.visible(groups).filter(({ definition }) =>
      !definition.error && !definition.disabled
    );
    const operations = offeredOperations({ full: mode.includes("full"), code: mode.includes("code"), admin });
    const own = operations.map((operation): [string, ExposedTool] => {
      const definition = operationTool(operation);
      return [String(definition.name), { kind: "operation", definition, operation }];
    });
    const taken = new Set(own.map(([name]) => name));
    const upstream = mode.includes("passthrough")
      ? named(
        servers.flatMap((entry) =>
          catalog.toolsOf(entry).map((tool) => ({ entry, wire: tool.tool.name, value: { entry, tool } }))
        ),
        { nameLimit, taken },
      ).map(([name, { entry, tool }]): [string, ExposedTool] => [
        name,
        { kind: "upstream", definition: listableTool(renamed(tool.tool, name)), entry, tool },
      ])
      : [];
    const prompts = named(
      servers.flatMap((entry) =>
        (entry.cached?.listing.prompts ?? []).map((prompt) => ({
          entry,
          wire: prompt.name,
          value: { entry, prompt },
        }))
      ),
      { nameLimit, taken: new Set() },
    ).map(([name, { entry, prompt }]): [string, ExposedPrompt] => [
      name,
      { definition: listablePrompt(renamed(prompt, name)), entry, prompt },
    ]);
    const lists = (
      member: "resources" | "resourceTemplates",
      address: "uri" | "uriTemplate",
    ): unknown[] =>
      servers.flatMap(({ definition, cached }) =>
        (cached?.listing[member] ?? []).map((one: JsonObject) =>
          withUri(listableResource(one, address), uriRule(definition), address)
        )
      );
    return {
      tools: new Map([...own, ...upstream]),
      prompts: new Map(prompts),
      resources: lists("resources", "uri"),
      resourceTemplates: lists("resourceTemplates", "uriTemplate"),
      servers,
    };
  }
}

/** What a caller is offered, with the recipes of its own search path: files decide about those, so they are read anew. */
export async function withRecipes(engine: Engine, exposed: Exposed, caller: Caller): Promise<Exposed> {
  const mode = caller.settings.get("serve.mode");
  if (!mode.includes("code") && !mode.includes("full")) return exposed;
  const { tools } = await recipeTools(engine, caller, new Set(exposed.tools.keys()));
  if (tools.length === 0) return exposed;
  const named = tools.map((recipe): [string, ExposedTool] => {
    const { run: _run, ...definition } = recipe;
    return [recipe.name, { kind: "recipe", definition, recipe }];
  });
  return { ...exposed, tools: new Map([...exposed.tools, ...named]) };
}

/** Names for what servers offer: without a prefix where the server has none and nothing else is called that. */
function named<T>(
  items: readonly { entry: CatalogServer; wire: string; value: T }[],
  { nameLimit, taken }: { nameLimit: number; taken: ReadonlySet<string> },
): [string, T][] {
  const bare = new Set(taken);
  const wishes = items.map(({ entry, wire, value }) => {
    const { namespace, prefix } = entry.definition;
    if (prefix !== "none" || bare.has(wire)) return { namespace, wire, value };
    bare.add(wire);
    return { namespace: "", wire, value };
  });
  return [...exposeNames(wishes, nameLimit)].map(([name, { value }]) => [name, value]);
}

function renamed(definition: JsonObject & { name: string }, name: string): JsonObject {
  return definition.name === name ? definition : { ...definition, name };
}
