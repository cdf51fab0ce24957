import assert from "node:assert/strict";
import { McpxError } from "../errors/mod.ts";
import { CACHE_FORMAT, parseCachedListing } from "./format_version.ts";
import { type Members, shapeDigest } from "./listing_shape.ts";
import type { ServerListing } from "./types.ts";

const listing: ServerListing = {
  serverInfo: { name: "demo", extra: true },
  protocolVersion: "2025-11-25",
  capabilities: {},
  instructions: "Be kind.",
  tools: [{
    name: "echo",
    description: "Echo.",
    inputSchema: { type: "object" },
    outputSchema: true,
    annotations: { readOnlyHint: true, ownHint: 7 },
    _meta: { kept: 1 },
  }],
  prompts: [{ name: "p", arguments: [{ name: "a", required: true }] }],
  resources: [{ uri: "a://b", name: "b" }],
  resourceTemplates: [{ uriTemplate: "a://{b}", name: "b" }],
  warnings: ["odd"],
};

Deno.test("a stored listing comes back whole, unknown members and all", () => {
  assert.deepEqual(parseCachedListing(JSON.parse(JSON.stringify(listing))), listing);
});

Deno.test("what is no listing is refused with the place", () => {
  const rows: [unknown, string][] = [
    [null, ""],
    [[], ""],
    [{ ...listing, protocolVersion: 1 }, "/protocolVersion"],
    [{ ...listing, tools: undefined }, "/tools"],
    [{ ...listing, tools: {} }, "/tools"],
    [{ ...listing, instructions: 5 }, "/instructions"],
  ];
  for (const [value, pointer] of rows) {
    assert.throws(
      () => parseCachedListing(value),
      (error) =>
        error instanceof McpxError && error.code === "invalid-input" && error.data?.pointer === pointer,
    );
  }
});

Deno.test("one bad entry never hides the rest", () => {
  const parsed = parseCachedListing({
    ...listing,
    tools: [
      null,
      { description: "nameless" },
      { name: "ok", description: 5, inputSchema: "odd" },
      ...listing.tools,
    ],
  });
  assert.deepEqual(parsed.tools, [{ name: "ok", inputSchema: "odd" }, ...listing.tools]);
  assert.equal(parsed.warnings.length, 4);
  assert.match(parsed.warnings.join("\n"), /\/tools\/2\/description is left out: it is not a string/);
});

Deno.test("the format follows the shape: a member more, fewer, or of another type is another format", () => {
  assert.match(CACHE_FORMAT, /^listing-[0-9a-f]{16}$/);
  const base: Members = { a: "string", b: { items: { members: { c: { optional: "boolean" } } } } };
  const shapes: Members[] = [
    base,
    { ...base, d: { optional: "any" } },
    { a: "string" },
    { ...base, a: { optional: "string" } },
    { ...base, b: { items: { members: { c: "boolean" } } } },
    { ...base, b: { items: { members: { c: { optional: "boolean" }, d: "string" } } } },
  ];
  const digests = shapes.map(shapeDigest);
  assert.equal(new Set(digests).size, digests.length);
  assert.equal(shapeDigest(Object.fromEntries(Object.entries(base).reverse())), digests[0]);
});
