import { isObject } from "../json/mod.ts";
import type { ArtifactRef } from "../store/mod.ts";
import { coerceArguments } from "../schema/mod.ts";
import { nearest } from "../catalog/mod.ts";
import { McpxError } from "../errors/mod.ts";
import type { Caller } from "./caller.ts";
import type { CatalogServer } from "./catalog.ts";
import type { Engine } from "./engine.ts";
import type { ListingScope } from "./list_tools.ts";

/** One line of `mcpx prompts list`. */
export interface PromptLine {
  /** `<namespace>.<prompt>`. */
  name: string;
  description?: string | undefined;
  arguments: Record<string, unknown>[];
}

/** One line of `mcpx resources list`. */
export interface ResourceLine {
  /** `mcpx://<namespace>/<uri or template>`. */
  uri: string;
  kind: "resource" | "template";
  name: string;
  description?: string | undefined;
  mimeType?: string | undefined;
}

const URI_PREFIX = "mcpx://";

/** The prompts that a caller sees. */
export async function listPrompts(
  engine: Engine,
  caller: Caller,
  scope: ListingScope,
): Promise<{ prompts: PromptLine[] }> {
  const servers = await readServers(engine, caller, scope);
  const prompts = servers.flatMap(({ definition, cached }) =>
    (cached?.listing.prompts ?? []).map((prompt) => ({
      name: `${definition.namespace}.${prompt.name}`,
      ...(typeof prompt.description === "string" ? { description: prompt.description } : {}),
      arguments: prompt.arguments ?? [],
    }))
  );
  return { prompts };
}

/** The resources and templates that a caller sees. */
export async function listResources(
  engine: Engine,
  caller: Caller,
  scope: ListingScope,
): Promise<{ resources: ResourceLine[] }> {
  const servers = await readServers(engine, caller, scope);
  const resources = servers.flatMap(({ definition, cached }) => {
    const line = (
      uri: string,
      kind: ResourceLine["kind"],
      entry: { name: string; description?: string; mimeType?: string },
    ): ResourceLine => ({
      uri: `${URI_PREFIX}${definition.namespace}/${uri}`,
      kind,
      name: entry.name,
      ...(typeof entry.description === "string" ? { description: entry.description } : {}),
      ...(typeof entry.mimeType === "string" ? { mimeType: entry.mimeType } : {}),
    });
    return [
      ...(cached?.listing.resources ?? []).map((resource) => line(resource.uri, "resource", resource)),
      ...(cached?.listing.resourceTemplates ?? []).map((template) =>
        line(template.uriTemplate, "template", template)
      ),
    ];
  });
  return { resources };
}

/** Renders a prompt. @throws {McpxError} `unknown-prompt`, `unknown-server`, and what the server answers */
export async function getPrompt(
  engine: Engine,
  caller: Caller,
  input: {
    name: string;
    arguments?: Record<string, unknown> | undefined;
    textArguments?: [string, string][] | undefined;
  },
): Promise<Record<string, unknown>> {
  const dot = input.name.indexOf(".");
  if (dot < 0) {
    throw new McpxError(
      "unknown-prompt",
      `Cannot render ${input.name}: a prompt is named <namespace>.<prompt>.`,
      {
        hint: "mcpx prompts list",
      },
    );
  }
  const entry = engine.catalog.server(input.name.slice(0, dot));
  const name = input.name.slice(dot + 1);
  if (!entry.cached) await engine.readListings(caller, { only: entry.definition.name });
  const prompts = entry.cached?.listing.prompts ?? [];
  if (entry.cached && !prompts.some((prompt) => prompt.name === name)) {
    const near = nearest(name, prompts.map((prompt) => prompt.name));
    throw new McpxError(
      "unknown-prompt",
      `Cannot render ${input.name}: ${entry.definition.namespace} has no such prompt.`,
      {
        hint: near.length > 0 ? `Did you mean ${near.join(" or ")}?` : "mcpx prompts list",
      },
    );
  }
  const text = input.textArguments
    ? coerceArguments({ additionalProperties: { type: "string" } }, input.textArguments)
    : {};
  return await engine.request(
    entry,
    "prompts/get",
    { name, arguments: { ...input.arguments, ...text } },
    caller,
    { idempotent: true },
  );
}

/** Reads a resource; binary contents become artifacts. */
export async function readResource(
  engine: Engine,
  caller: Caller,
  uri: string,
): Promise<{ contents: Record<string, unknown>[]; artifacts?: ArtifactRef[] }> {
  const { entry, upstreamUri } = await locate(engine, caller, uri);
  const answer = await engine.request(entry, "resources/read", { uri: upstreamUri }, caller, {
    idempotent: true,
  });
  const contents = Array.isArray(answer.contents) ? answer.contents : [];
  const artifacts: ArtifactRef[] = [];
  const shown = await Promise.all(contents.map(async (content: unknown): Promise<Record<string, unknown>> => {
    if (!isObject(content)) return { value: content };
    if (typeof content.blob !== "string") return content;
    const { blob, ...rest } = content;
    const mimeType = typeof content.mimeType === "string" ? content.mimeType : "application/octet-stream";
    const ref = await engine.artifacts.putBase64(String(content.uri ?? "resource"), blob, mimeType);
    if (!ref) return content;
    artifacts.push(ref);
    return { ...rest, artifact: ref };
  }));
  return { contents: shown, ...(artifacts.length > 0 ? { artifacts } : {}) };
}

async function locate(
  engine: Engine,
  caller: Caller,
  uri: string,
): Promise<{ entry: CatalogServer; upstreamUri: string }> {
  if (uri.startsWith(URI_PREFIX)) {
    const rest = uri.slice(URI_PREFIX.length);
    const slash = rest.indexOf("/");
    const entry = engine.catalog.server(slash < 0 ? rest : rest.slice(0, slash));
    return { entry, upstreamUri: slash < 0 ? "" : rest.slice(slash + 1) };
  }
  const owners = (await readServers(engine, caller, {})).filter(({ cached }) =>
    cached?.listing.resources.some((resource) => resource.uri === uri)
  );
  const [entry] = owners;
  if (entry && owners.length === 1) return { entry, upstreamUri: uri };
  const among = owners.map(({ definition }) => `${URI_PREFIX}${definition.namespace}/${uri}`);
  throw new McpxError(
    "unknown-resource",
    owners.length === 0
      ? `Cannot read ${uri}: no server lists it.`
      : `Cannot read ${uri}: more than one server lists it.`,
    {
      hint: among.length > 0
        ? `Name one: ${among.join(", ")}.`
        : "Name its server: mcpx://<namespace>/<uri>. See mcpx resources list.",
    },
  );
}

async function readServers(engine: Engine, caller: Caller, scope: ListingScope): Promise<CatalogServer[]> {
  const only = scope.namespace === undefined
    ? undefined
    : engine.catalog.server(scope.namespace).definition.name;
  if (!scope.cached) await engine.readListings(caller, only === undefined ? {} : { only });
  return engine.visibleServers(caller).filter(({ definition }) =>
    (only === undefined || definition.name === only) && !definition.error && !definition.disabled
  );
}
