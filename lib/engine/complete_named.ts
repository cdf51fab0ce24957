import { isObject } from "../json/mod.ts";
import { McpxError } from "../errors/mod.ts";
import { recipeSchema } from "../recipes/mod.ts";
import type { JsonObject } from "../schema/mod.ts";
import type { Caller } from "./caller.ts";
import type { CatalogServer } from "./catalog.ts";
import { completeArgument, type CompletionAnswer, type CompletionRequest, withinLimit } from "./complete.ts";
import type { Engine } from "./engine.ts";
import { listRecipes } from "./recipes/shelf.ts";

/** What is asked, by the names that mcpx gives things. */
export interface CompleteInput {
  of?: string | undefined;
  name?: string | undefined;
  value?: string | undefined;
  ref?: JsonObject | undefined;
  argument?: JsonObject | undefined;
  context?: JsonObject | undefined;
  caller?: { cwd?: string | undefined; session?: string | undefined } | undefined;
}

const URI_PREFIX = "mcpx://";

/**
 * Completes an argument of a prompt, a resource template, a tool or a recipe.
 *
 * @throws {McpxError} `invalid-input`, `unknown-server`, and what the server answers
 */
export async function completeNamed(
  engine: Engine,
  input: CompleteInput,
  caller: Caller,
): Promise<CompletionAnswer> {
  const argument = readArgument(input);
  const ref = readReference(input);
  const context = input.context === undefined ? {} : { context: input.context };
  if (ref.type === "ref/resource") {
    const uri = textMember(ref, "uri", "ref.uri");
    const { entry, own } = ownerOf(engine, caller, uri);
    return await completeArgument(engine, { entry, ref: { ...ref, uri: own }, argument, ...context }, caller);
  }
  const name = textMember(ref, "name", "ref.name");
  const dot = name.indexOf(".");
  if (dot < 0 && input.of !== undefined) return await completeParameter(engine, name, argument, caller);
  if (dot < 0) throw refuse("ref.name", `${name} is not <namespace>.<prompt>`);
  const entry = engine.catalog.server(name.slice(0, dot));
  const own = name.slice(dot + 1);
  if (!entry.cached) await engine.readListings(caller, { only: entry.definition.name });
  const isPrompt = entry.cached?.listing.prompts.some((prompt) => prompt.name === own) ?? false;
  if (!isPrompt && input.of !== undefined) return completeToolArgument(engine, name, argument, caller);
  return await completeArgument(engine, { entry, ref: { ...ref, name: own }, argument, ...context }, caller);
}

/** A tool's schema says what an argument is limited to. */
async function completeToolArgument(
  engine: Engine,
  name: string,
  argument: CompletionRequest["argument"],
  caller: Caller,
): Promise<CompletionAnswer> {
  const { tool } = await engine.resolveTool(name, caller);
  return answerFrom(valuesOf(tool.inputSchema, argument.name), argument.value, caller);
}

/** A recipe's header does, too; a parameter that names a server or an instance has those that there are. */
async function completeParameter(
  engine: Engine,
  name: string,
  argument: CompletionRequest["argument"],
  caller: Caller,
): Promise<CompletionAnswer> {
  const found = (await listRecipes(engine, caller)).find(({ recipe }) => recipe.name === name);
  if (!found) throw refuse("of", `there is no prompt, tool or recipe ${name}`);
  const declared = valuesOf(recipeSchema(found.recipe), argument.name);
  const known = argument.name === "namespace" || argument.name === "server"
    ? engine.visibleServers(caller).map(({ definition }) => definition.namespace)
    : argument.name === "instance"
    ? engine.pool.status().map(({ key }) => key)
    : [];
  return answerFrom(declared.length > 0 ? declared : known, argument.value, caller);
}

/** The values that a schema limits one property to. */
function valuesOf(schema: unknown, name: string): string[] {
  const properties = isObject(schema) && isObject(schema.properties) ? schema.properties : {};
  const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
  if (!isObject(property)) return [];
  if (Array.isArray(property.enum)) return property.enum.map(String);
  return property.type === "boolean" ? ["true", "false"] : [];
}

function answerFrom(all: readonly string[], typed: string, caller: Caller): CompletionAnswer {
  const values = all.filter((value) => value.startsWith(typed));
  return withinLimit({ values, total: values.length, hasMore: false, source: "cache" }, caller);
}

function readReference({ of, ref }: CompleteInput): JsonObject {
  if (of !== undefined && ref !== undefined) throw refuse("ref", "`of` says it already");
  if (of !== undefined) {
    return of.includes("://") ? { type: "ref/resource", uri: of } : { type: "ref/prompt", name: of };
  }
  if (ref?.type === "ref/prompt" || ref?.type === "ref/resource") return ref;
  throw refuse("ref.type", "it is neither ref/prompt nor ref/resource");
}

function readArgument({ name, value, argument }: CompleteInput): CompletionRequest["argument"] {
  if (name !== undefined && argument !== undefined) throw refuse("argument", "`name` says it already");
  if (name !== undefined) return { name, value: value ?? "" };
  if (argument === undefined) throw refuse("argument", "it is missing");
  return {
    ...argument,
    name: textMember(argument, "name", "argument.name"),
    value: textMember(argument, "value", "argument.value"),
  };
}

/** The server of a `mcpx://` URI, and the URI as that server knows it. */
function ownerOf(engine: Engine, caller: Caller, uri: string): { entry: CatalogServer; own: string } {
  if (!uri.startsWith(URI_PREFIX)) {
    const owners = engine.visibleServers(caller).filter(({ cached }) =>
      cached?.listing.resourceTemplates.some(({ uriTemplate }) => uriTemplate === uri) ||
      cached?.listing.resources.some((resource) => resource.uri === uri)
    );
    const [entry] = owners;
    if (entry && owners.length === 1) return { entry, own: uri };
    throw refuse("ref.uri", `${uri} is not mcpx://<namespace>/<uri or template>`);
  }
  const rest = uri.slice(URI_PREFIX.length);
  const slash = rest.indexOf("/");
  return {
    entry: engine.catalog.server(slash < 0 ? rest : rest.slice(0, slash)),
    own: slash < 0 ? "" : rest.slice(slash + 1),
  };
}

function textMember(object: JsonObject, member: string, field: string): string {
  const value = object[member];
  if (typeof value === "string") return value;
  throw refuse(field, "it is not a string");
}

function refuse(field: string, why: string): McpxError {
  return new McpxError("invalid-input", `Cannot complete: ${why}.`, { data: { field } });
}
