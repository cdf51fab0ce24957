import type { JsonObject } from "../schema/types.ts";
import { type SettingPath, type SettingRow, settingRow, SETTINGS } from "../settings/mod.ts";

/** The JSON Schema of a configuration file, for editors: servers, and the settings from their table. */
export function configJsonSchema(): JsonObject {
  const groups: Record<string, Record<string, JsonObject>> = {};
  for (const path of Object.keys(SETTINGS) as SettingPath[]) {
    const [group = "", ...rest] = path.split(".");
    groups[group] = { ...groups[group], [rest.join(".")]: settingSchema(settingRow(path)) };
  }
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "mcpx configuration",
    type: "object",
    properties: {
      mcpServers: { type: "object", additionalProperties: SERVER, description: "MCP servers by name." },
      ...Object.fromEntries(
        Object.entries(groups).map(([group, properties]) => [group, { type: "object", properties }]),
      ),
    },
  };
}

function settingSchema(row: SettingRow): JsonObject {
  const description = `${row.help} Default ${
    row.default === "" ? "empty" : row.default
  }; ${row.scope}-scoped${row.hot ? ", takes effect at once" : ""}.`;
  switch (row.kind) {
    case "bool":
      return { type: "boolean", description };
    case "int":
      return { type: "integer", minimum: 0, description };
    case "duration":
    case "bytes":
      return { type: ["string", "integer"], description };
    case "enum":
      return { enum: [...row.values ?? []], description };
    case "list":
      return {
        type: "array",
        items: row.values ? { enum: [...row.values] } : { type: "string" },
        description,
      };
    case "string":
      return { type: "string", description };
    case "json":
      return { description };
  }
}

const STRINGS: JsonObject = { type: "object", additionalProperties: { type: "string" } };
const DURATION: JsonObject = {
  type: ["string", "integer"],
  description: "A duration such as 90s; a number is milliseconds.",
};

const SERVER: JsonObject = {
  type: "object",
  properties: {
    command: { type: "string", description: "The program of a stdio server." },
    args: { type: "array", items: { type: "string" } },
    env: STRINGS,
    cwd: { type: "string" },
    url: { type: "string", description: "The address of a remote server." },
    headers: STRINGS,
    transport: { enum: ["http", "sse", "auto"] },
    auth: {
      type: "object",
      description: "Credentials of a remote server.",
      required: ["type"],
      properties: {
        type: { enum: ["bearer", "basic", "header", "query", "oauth"] },
        token: { type: "string" },
        username: { type: "string" },
        password: { type: "string" },
        name: { type: "string" },
        value: { type: "string" },
        clientId: { type: "string" },
        clientSecret: { type: "string" },
        scope: { type: "string" },
      },
    },
    envPassthrough: {
      type: "array",
      items: { type: "string" },
      description: "Variables of the caller's that the child also sees.",
    },
    disabled: { type: "boolean" },
    aliasOf: { type: "string", description: "The server whose process this one shares." },
    mcpx: {
      type: "object",
      additionalProperties: false,
      properties: {
        namespace: { type: "string" },
        description: { type: "string" },
        sharing: { enum: ["shared", "exclusive"] },
        scope: { enum: ["global", "repo", "worktree", "cwd", "session", "parent-session", "pid", "call"] },
        min: { type: "integer", minimum: 0 },
        max: { type: "integer", minimum: 1 },
        idleTimeout: DURATION,
        callTimeout: DURATION,
        startTimeout: DURATION,
        tools: {
          type: "array",
          items: { type: "string" },
          description: "Only these: names, globs or /regexp/.",
        },
        extraIncludeTools: { type: "array", items: { type: "string" } },
        excludeTools: { type: "array", items: { type: "string" } },
        groups: { type: "array", items: { type: "string" } },
        default: { type: "boolean", description: "Whether it is seen by commands that name no group." },
        protocol: { enum: ["auto", "legacy", "modern"] },
        prefix: { enum: ["namespace", "none"] },
      },
    },
  },
};
