import { isObject } from "../json/mod.ts";
import { z } from "zod";
import { ERROR_CODES } from "../errors/mod.ts";
import type { JsonObject } from "../schema/mod.ts";
import { VERSION } from "../version.ts";
import type { AnyOperation } from "./table.ts";
import { OPERATIONS } from "./table.ts";

/** The OpenAPI 3.1 document of `/v1`, derived from the operations. */
export function openApiDocument(): JsonObject {
  const paths: Record<string, Record<string, JsonObject>> = {};
  for (const operation of OPERATIONS) {
    if (operation.notOn?.http !== undefined) continue;
    const { method, path } = operation.http;
    paths[path] = { ...paths[path], [method.toLowerCase()]: pathItem(operation) };
  }
  return {
    openapi: "3.1.0",
    info: { title: "mcpx", version: VERSION, description: "Tools of many MCP servers behind one daemon." },
    jsonSchemaDialect: "https://json-schema.org/draft/2020-12/schema",
    servers: [{ url: "/" }],
    paths,
    components: { schemas: { Error: errorSchema() } },
  };
}

function pathItem(operation: AnyOperation): JsonObject {
  const input = plainSchema(operation.input, "input");
  const properties = isObject(input.properties) ? input.properties : {};
  const required = Array.isArray(input.required) ? input.required : [];
  const inPath = new Set([...operation.http.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? ""));
  const inQuery = operation.http.method === "GET" || operation.http.method === "DELETE";
  const parameters = Object.entries(properties)
    .filter(([name]) => inPath.has(name) || inQuery)
    .map(([name, schema]) => ({
      name,
      in: inPath.has(name) ? "path" : "query",
      required: inPath.has(name) || required.includes(name),
      schema,
    }));
  const body = Object.fromEntries(Object.entries(properties).filter(([name]) => !inPath.has(name)));
  return {
    operationId: operation.id,
    summary: operation.summary,
    ...(operation.description === undefined ? {} : { description: operation.description }),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(inQuery ? {} : {
      requestBody: {
        required: required.some((name) => typeof name === "string" && !inPath.has(name)),
        content: {
          "application/json": {
            schema: {
              ...input,
              properties: body,
              required: required.filter((name) => typeof name === "string" && !inPath.has(name)),
            },
          },
        },
      },
    }),
    responses: {
      "200": {
        description: "The answer.",
        content: {
          "application/json": { schema: plainSchema(operation.output, "output") },
          ...(operation.streams ? { "text/event-stream": { schema: { type: "string" } } } : {}),
        },
      },
      default: {
        description: `An error: ${operation.errors.join(", ") || "see the error table"}.`,
        content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
      },
    },
  };
}

function plainSchema(schema: z.ZodType, io: "input" | "output"): JsonObject {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: "any" });
  return rest;
}

function errorSchema(): JsonObject {
  return {
    type: "object",
    required: ["error"],
    properties: {
      error: {
        type: "object",
        required: ["code", "message"],
        properties: {
          code: { type: "string", enum: Object.keys(ERROR_CODES) },
          message: { type: "string" },
          hint: { type: "string" },
          data: { type: "object" },
        },
      },
      diagnostics: { type: "array", items: { type: "object" } },
    },
  };
}
