import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";

const ROOT = new URL("../../", import.meta.url);
const CORE = ["diagnose", "recipes", "intent", "elicit", "settings", "catalog", "schema", "errors", "json"];
const ADAPTERS = ["pool", "mcp", "sandbox", "store", "config", "model"];

/** Where a file stands: a file may import what stands lower or level, never what stands higher. */
function layerOf(path: string): { rank: number; name: string } {
  const [top = "", second = ""] = path.split("/");
  if (path === "lib/version.ts" || (top === "lib" && CORE.includes(second))) return { rank: 0, name: "core" };
  if (top === "lib" && ADAPTERS.includes(second)) return { rank: 1, name: "adapters" };
  if (top === "lib" && second === "engine") return { rank: 2, name: "engine" };
  if (top === "lib" && second === "operations") return { rank: 3, name: "operations" };
  if (top === "lib" && second === "cli") return { rank: 4, name: "surface cli" };
  if (top === "daemon" && (second === "http" || second === "mcp")) {
    return { rank: 4, name: `surface ${second}` };
  }
  return { rank: 5, name: "entry" };
}

interface Import {
  from: string;
  to: string;
}

async function imports(): Promise<Import[]> {
  const entries = ["cli.ts", "mod.ts", "daemon/main.ts"].map((path) => fileURLToPath(new URL(path, ROOT)));
  const found: Import[] = [];
  for (const entry of entries) {
    const { stdout } = await new Deno.Command(Deno.execPath(), {
      args: ["info", "--json", entry],
      cwd: fileURLToPath(ROOT),
    }).output();
    const { modules } = JSON.parse(new TextDecoder().decode(stdout)) as {
      modules: {
        specifier: string;
        dependencies?: { code?: { specifier?: string }; type?: { specifier?: string } }[];
      }[];
    };
    for (const { specifier, dependencies = [] } of modules) {
      if (!specifier.startsWith(ROOT.href)) continue;
      for (const { code, type } of dependencies) {
        const target = code?.specifier ?? type?.specifier;
        if (target?.startsWith(ROOT.href)) {
          found.push({ from: specifier.slice(ROOT.href.length), to: target.slice(ROOT.href.length) });
        }
      }
    }
  }
  return found;
}

Deno.test("imports point down only, and surfaces do not import one another", async () => {
  const all = await imports();
  assert.ok(all.length > 100, `only ${all.length} imports were read`);
  const wrong = all.filter(({ from, to }) => {
    const [source, target] = [layerOf(from), layerOf(to)];
    if (target.rank > source.rank) return true;
    return source.rank === 4 && target.rank === 4 && source.name !== target.name;
  });
  assert.deepEqual(
    wrong.map(({ from, to }) => `${from} (${layerOf(from).name}) imports ${to} (${layerOf(to).name})`),
    [],
  );
});

Deno.test("nothing below lib imports the daemon, the recipes or the tests", async () => {
  const wrong = (await imports()).filter(({ from, to }) =>
    from.startsWith("lib/") && /^(daemon|recipes|tests|tools)\//.test(to)
  );
  assert.deepEqual(wrong, []);
});

Deno.test("the core compiles without the Deno namespace", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const config = `${folder}/deno.json`;
    const { imports } = JSON.parse(await Deno.readTextFile(new URL("deno.json", ROOT))) as {
      imports: Record<string, string>;
    };
    await Deno.writeTextFile(
      config,
      JSON.stringify({
        imports,
        compilerOptions: {
          strict: true,
          noUncheckedIndexedAccess: true,
          lib: ["esnext", "dom", "dom.iterable"],
        },
      }),
    );
    const doors = [];
    for (const name of CORE) {
      const door = fileURLToPath(new URL(`lib/${name}/mod.ts`, ROOT));
      if (await Deno.stat(door).then(() => true, () => false)) doors.push(door);
    }
    assert.ok(doors.length >= 5);
    const { code, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["check", "--config", config, "--no-lock", ...doors],
      env: { NO_COLOR: "1" },
    }).output();
    assert.equal(code, 0, new TextDecoder().decode(stderr));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("the command line's quick path loads no schema library, SDK, HTTP framework or database", async () => {
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--json", fileURLToPath(new URL("lib/cli/main.ts", ROOT))],
    cwd: fileURLToPath(ROOT),
  }).output();
  const { modules } = JSON.parse(new TextDecoder().decode(stdout)) as {
    modules: {
      specifier: string;
      dependencies?: { specifier: string; code?: { specifier?: string }; isDynamic?: boolean }[];
    }[];
  };
  const byName = new Map(modules.map((module) => [module.specifier, module]));
  const reached = new Set<string>();
  const visit = (specifier: string): void => {
    if (reached.has(specifier)) return;
    reached.add(specifier);
    for (const { code, isDynamic } of byName.get(specifier)?.dependencies ?? []) {
      if (code?.specifier && !isDynamic) visit(code.specifier);
    }
  };
  visit(new URL("lib/cli/main.ts", ROOT).href);
  const heavy = [...reached].filter((specifier) =>
    /^(npm:|node:(http|sqlite|crypto|vm|module))/.test(specifier)
  );
  assert.deepEqual(heavy, []);
});
