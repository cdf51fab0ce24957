import { McpxError } from "../errors/mod.ts";
import { type JsonPost, postJson, unavailable } from "./post_json.ts";
import type { GenerateRequest, Provider } from "./types.ts";

/** A model's endpoint, as the settings name it. */
export interface EndpointOptions {
  baseUrl: string;
  /** The model. */
  model: string;
  apiKey: string;
  timeoutMs: number;
}

/** How one protocol writes requests and reads answers. */
export interface EndpointDialect {
  /** The path behind the base. */
  path(base: string): string;
  headers(apiKey: string): Record<string, string>;
  body(model: string, request: GenerateRequest): unknown;
  /** The text of an answer; undefined where it has none. */
  text(answer: unknown): string | undefined;
}

/**
 * A provider behind an HTTP endpoint.
 *
 * @throws {McpxError} `model-unavailable` where the settings are incomplete or the base is no HTTP URL
 */
export function endpointProvider(options: EndpointOptions, dialect: EndpointDialect): Provider {
  const { baseUrl, model, apiKey, timeoutMs } = options;
  const base = readBase(baseUrl);
  if (model === "") throw incomplete("model.name");
  const name = `the model ${model} at ${base.host}`;
  return {
    name,
    async generate(request, signal): Promise<string> {
      const root = `${base.origin}${base.pathname.replace(/\/+$/, "")}`;
      const post: JsonPost = {
        url: `${root}${dialect.path(root)}${base.search}`,
        headers: dialect.headers(apiKey),
        body: dialect.body(model, request),
        timeoutMs,
        secret: apiKey,
        name,
      };
      const text = dialect.text(await postJson(post, signal));
      if (text === undefined) throw unavailable(post, "its answer holds no text");
      return text;
    },
  };
}

function readBase(baseUrl: string): URL {
  if (baseUrl === "") throw incomplete("model.baseUrl");
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (url?.protocol === "http:" || url?.protocol === "https:") return url;
  throw new McpxError("model-unavailable", "Cannot ask a model: model.baseUrl is no HTTP URL.");
}

function incomplete(setting: string): McpxError {
  return new McpxError("model-unavailable", `Cannot ask a model: ${setting} is not set.`, {
    hint: `mcpx settings set ${setting} …`,
  });
}

/** A member of a value that may be anything. */
export function memberOf(value: unknown, ...path: (string | number)[]): unknown {
  let at = value;
  for (const part of path) {
    if (typeof at !== "object" || at === null) return undefined;
    at = (at as Record<string | number, unknown>)[part];
  }
  return at;
}
