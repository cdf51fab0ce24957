import assert from "node:assert/strict";
import type { ServerListing } from "../catalog/mod.ts";
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

const EMPTY: ServerListing = {
  serverInfo: {},
  protocolVersion: "2025-11-25",
  capabilities: {},
  tools: [],
  prompts: [],
  resources: [],
  resourceTemplates: [],
  warnings: [],
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

Deno.test("a host does not wait for a server that takes long to start, and a shell does", async () => {
  const folder = await Deno.makeTempDir({ prefix: "mcpx-keeper-" });
  try {
    await using engine = await Engine.open({ cwd: folder, env: { HOME: folder, XDG_RUNTIME_DIR: folder } });
    const catalog = new Catalog(new SchemaCache(folder));
    const other: ServerDefinition = {
      ...DEMO,
      name: "other",
      namespace: "other",
      target: { kind: "stdio", command: "other", args: [], env: {} },
      disabled: true,
    };
    await catalog.setServers([DEMO, other]);
    const { promise: started, resolve: start } = Promise.withResolvers<void>();
    const timers: { run(): void; ms: number }[] = [];
    let now = 0;
    const keeper = new ListingKeeper({
      catalog,
      read: async () => {
        await started;
        return { ...EMPTY, tools: [{ name: "late" }] };
      },
      background: () => engine.caller({}),
      setTimer: (run, ms) => {
        timers.push({ run, ms });
        return { cancel: (): void => undefined };
      },
      now: () => now,
      note: () => undefined,
    });
    const asHost = (): Promise<{ code: string }[]> =>
      keeper.readAll(catalog.servers(), engine.caller({ surface: "mcp" }), false);
    const first = asHost();
    timers[0]?.run();
    assert.deepEqual((await first).map(({ code }) => code), ["upstream-start-timeout"]);
    now = 9_000;
    const second = asHost();
    assert.deepEqual(timers.map(({ ms }) => ms), [10_000, 1000]);
    const shell = keeper.readAll(catalog.servers(), engine.caller({ surface: "cli" }), false);
    start();
    assert.deepEqual(await Promise.all([second, shell]), [[], []]);
    assert.equal(catalog.servers()[0]?.cached?.listing.tools[0]?.name, "late");
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
