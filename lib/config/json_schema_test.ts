import assert from "node:assert/strict";
import { SETTINGS } from "../settings/mod.ts";
import { configJsonSchema } from "./json_schema.ts";
import { TARGET_KEYS } from "./merge.ts";
import { BLOCK_KEYS } from "./server.ts";

interface Schema {
  properties: Record<string, Schema & { additionalProperties?: Schema }>;
}

const schema = configJsonSchema() as unknown as Schema;
const server = schema.properties.mcpServers?.additionalProperties;

Deno.test("the schema for editors knows every key of a server's mcpx block, and no other", () => {
  assert.deepEqual(Object.keys(server?.properties.mcpx?.properties ?? {}).sort(), [...BLOCK_KEYS].sort());
});

Deno.test("it knows every key that says what a server is, other hosts' spellings aside", () => {
  const known = new Set(Object.keys(server?.properties ?? {}));
  const foreign = new Set(["serverUrl", "httpUrl", "type"]);
  assert.deepEqual([...TARGET_KEYS].filter((key) => !known.has(key) && !foreign.has(key)), []);
});

Deno.test("it knows every setting under its group", () => {
  for (const path of Object.keys(SETTINGS)) {
    const [group = "", ...rest] = path.split(".");
    assert.ok(schema.properties[group]?.properties[rest.join(".")], path);
  }
});
