import assert from "node:assert/strict";
import type { ServerDefinition } from "../config/mod.ts";
import { McpxError } from "../errors/mod.ts";
import { SchemaCache } from "../store/mod.ts";
import type { Caller } from "./caller.ts";
import { Catalog } from "./catalog.ts";
import { ListingKeeper } from "./listing_keeper.ts";
import { Engine } from "./engine.ts";

const DEMO: ServerDefinition = {
  name: "demo",
  namespace: "demo",
  target: { kind: "stdio", command: "demo", args: [], env: {} },
  envPassthrough: [],
  disabled: false,
  sharing: "shared",
  scope: "global",
  limits: {},
  filter: { exclude: [] },
  groups: [],
  default: true,
  protocol: "auto",
  prefix: "namespace",
  source: { file: "/x/.mcpx.json", folder: "/x", trusted: true },
  variables: [],
};

Deno.test("why a server cannot be read is said though a reload came in between", async () => {
  const folder = await Deno.makeTempDir({ prefix: "mcpx-keeper-" });
  try {
    await using engine = await Engine.open({ cwd: folder, env: { HOME: folder, XDG_RUNTIME_DIR: folder } });
    const catalog = new Catalog(new SchemaCache(folder));
    await catalog.setServers([DEMO]);
    const background = (): Caller => engine.caller({});
    const keeper = new ListingKeeper({
      catalog,
      read: async () => {
        await catalog.setServers([{ ...DEMO, description: "edited" }]);
        throw new McpxError("upstream-command-missing", "Cannot start demo.");
      },
      background,
      setTimer: () => ({ cancel: (): void => undefined }),
      now: () => 0,
      note: () => undefined,
    });
    const problems = await keeper.readAll(catalog.servers(), background(), true);
    assert.deepEqual(problems, [
      { server: "demo", code: "upstream-command-missing", message: "Cannot start demo." },
    ]);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
