import { McpxError } from "../errors/mod.ts";
import { type MembersOf, readShape, shapeDigest } from "./listing_shape.ts";
import type { ServerListing } from "./types.ts";

const CACHE_HINT = { optional: { members: { ttlMs: "number", cacheScope: "string" } } } as const;

/**
 * The cached type, row by row. It is tied to {@link ServerListing} by `satisfies`: a member added to the type
 * without a row here does not type-check, and a row added here changes {@link CACHE_FORMAT}, so that entries
 * written before are read again instead of being taken for complete.
 */
const LISTING = {
  serverInfo: "object",
  protocolVersion: "string",
  capabilities: "object",
  instructions: { optional: "string" },
  tools: {
    items: {
      members: {
        name: "string",
        title: { optional: "string" },
        description: { optional: "string" },
        inputSchema: { optional: "any" },
        outputSchema: { optional: "any" },
        annotations: {
          optional: {
            members: {
              title: { optional: "string" },
              readOnlyHint: { optional: "boolean" },
              destructiveHint: { optional: "boolean" },
              idempotentHint: { optional: "boolean" },
              openWorldHint: { optional: "boolean" },
            },
          },
        },
      },
    },
  },
  prompts: {
    items: {
      members: {
        name: "string",
        title: { optional: "string" },
        description: { optional: "string" },
        arguments: {
          optional: {
            items: {
              members: {
                name: "string",
                description: { optional: "string" },
                required: { optional: "boolean" },
              },
            },
          },
        },
      },
    },
  },
  resources: {
    items: {
      members: {
        uri: "string",
        name: "string",
        title: { optional: "string" },
        description: { optional: "string" },
        mimeType: { optional: "string" },
      },
    },
  },
  resourceTemplates: {
    items: {
      members: {
        uriTemplate: "string",
        name: "string",
        title: { optional: "string" },
        description: { optional: "string" },
        mimeType: { optional: "string" },
      },
    },
  },
  cacheHints: {
    optional: {
      members: {
        tools: CACHE_HINT,
        prompts: CACHE_HINT,
        resources: CACHE_HINT,
        resourceTemplates: CACHE_HINT,
      },
    },
  },
  warnings: { items: "string" },
} as const satisfies MembersOf<ServerListing>;

/** The format of cached listings: it changes whenever the cached type does. */
export const CACHE_FORMAT: string = `listing-${shapeDigest(LISTING)}`;

/**
 * Reads a listing out of the cache.
 *
 * @param json what was stored under {@link CACHE_FORMAT}
 * @returns the listing; entries that were odd are repaired or left out, with a sentence in `warnings`
 * @throws {McpxError} `invalid-input` when it is no listing: the server has to be read again
 *
 * @example
 * ```ts
 * import { parseCachedListing } from "./format_version.ts";
 * const lists = { tools: [], prompts: [], resources: [], resourceTemplates: [], warnings: [] };
 * const listing = parseCachedListing({ serverInfo: {}, protocolVersion: "2025-11-25", capabilities: {}, ...lists });
 * console.assert(listing.tools.length === 0);
 * ```
 */
export function parseCachedListing(json: unknown): ServerListing {
  const warnings: string[] = [];
  const reading = readShape({ members: LISTING }, json, { pointer: "", inList: false, warnings });
  if (!reading.ok) {
    throw new McpxError(
      "invalid-input",
      `Cannot read the cached listing: ${reading.pointer || "the whole"} is not ${reading.expected}.`,
      { hint: "mcpx refresh reads the servers again.", data: { pointer: reading.pointer } },
    );
  }
  const listing = reading.value;
  if (!isListing(listing)) throw new TypeError("A value that fits the shape of a listing is a listing.");
  return warnings.length === 0 ? listing : { ...listing, warnings: [...listing.warnings, ...warnings] };
}

/** `readShape` has established it; the compiler cannot follow a walk over a table. */
function isListing(value: unknown): value is ServerListing {
  return typeof value === "object" && value !== null;
}
