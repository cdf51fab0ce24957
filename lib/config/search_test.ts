import assert from "node:assert/strict";
import { McpxError } from "../errors/mod.ts";
import { configSetKey, findConfigFiles } from "./search.ts";
import { testFolder } from "./fixture_test.ts";

const EMPTY = "{}";

Deno.test("files are found upward from the working directory, then the user's, nearest first", async () => {
  await using at = await testFolder({
    "a/b/.mcp.json": EMPTY,
    "a/b/.mcpx.json": EMPTY,
    "a/.mcpx/config.json": EMPTY,
    "home/.config/mcpx/config.json": EMPTY,
    "home/.mcpx.json": EMPTY,
    "a/b/c/other.json": EMPTY,
  });
  const files = findConfigFiles({ cwd: `${at.path}/a/b/c`, env: { HOME: `${at.path}/home` } });
  const inside = files.filter((file) => file.path.startsWith(at.path));
  assert.deepEqual(
    inside.map((file) => `${file.kind} ${file.path.slice(at.path.length)}`),
    [
      "project /a/b/.mcpx.json",
      "project /a/b/.mcp.json",
      "project /a/.mcpx/config.json",
      "user /home/.config/mcpx/config.json",
      "user /home/.mcpx.json",
    ],
  );
});

Deno.test("an empty or relative XDG_CONFIG_HOME counts as unset", async () => {
  await using at = await testFolder({
    "home/.config/mcpx/config.json": EMPTY,
    "xdg/mcpx/config.json": EMPTY,
  });
  const user = (XDG_CONFIG_HOME: string): (string | undefined)[] =>
    findConfigFiles({ cwd: at.path, env: { HOME: `${at.path}/home`, XDG_CONFIG_HOME } })
      .filter((file) => file.kind === "user").map((file) => file.path);
  assert.deepEqual(user(""), [`${at.path}/home/.config/mcpx/config.json`]);
  assert.deepEqual(user("xdg"), [`${at.path}/home/.config/mcpx/config.json`]);
  assert.deepEqual(user(`${at.path}/xdg`), [`${at.path}/xdg/mcpx/config.json`]);
});

Deno.test("the home folder's file keeps the user's rank where the walk upward passes it", async () => {
  await using at = await testFolder({
    "home/.mcpx.json": EMPTY,
    "home/.config/mcpx/config.json": EMPTY,
    "home/p/.mcp.json": EMPTY,
  });
  const files = findConfigFiles({ cwd: `${at.path}/home/p`, env: { HOME: `${at.path}/home` } })
    .filter((file) => file.path.startsWith(at.path));
  assert.deepEqual(files.map((file) => file.kind), ["project", "user", "user"]);
});

Deno.test("--config and MCPX_CONFIG replace the search; a relative path starts at the working directory", async () => {
  await using at = await testFolder({ "p/.mcpx.json": EMPTY, "p/cfg/x.json": EMPTY });
  const cwd = `${at.path}/p`;
  const expected = [{ path: `${cwd}/cfg/x.json`, real: `${cwd}/cfg/x.json`, kind: "explicit", bytes: 2 }];
  assert.deepEqual(findConfigFiles({ cwd, env: {}, explicit: "cfg/x.json" }), expected);
  assert.deepEqual(findConfigFiles({ cwd, env: { MCPX_CONFIG: "./cfg/../cfg/x.json" } }), expected);
  assert.deepEqual(
    findConfigFiles({ cwd: `${cwd}/cfg`, env: { MCPX_CONFIG: "nowhere" }, explicit: "x.json" }),
    expected,
  );
  assert.equal(findConfigFiles({ cwd, env: { MCPX_CONFIG: "" } })[0]?.path, `${cwd}/.mcpx.json`);
});

Deno.test("a --config that does not exist says so with the whole path", async () => {
  await using at = await testFolder();
  assert.throws(
    () => findConfigFiles({ cwd: at.path, env: {}, explicit: "cfg/none.json" }),
    (error) => {
      assert.ok(error instanceof McpxError);
      assert.equal(error.code, "invalid-config");
      assert.match(error.message, /--config cfg\/none\.json: there is no file \/.*\/cfg\/none\.json\.$/);
      return true;
    },
  );
});

Deno.test("the key of a set follows the real paths and their order, not the contents", async () => {
  await using at = await testFolder({ "real/.mcp.json": EMPTY, "other/.mcp.json": EMPTY });
  await Deno.symlink(`${at.path}/real`, `${at.path}/link`);
  const key = (folder: string): string =>
    configSetKey(findConfigFiles({ cwd: `${at.path}/${folder}`, env: {} }));
  const before = key("real");
  assert.equal(key("link"), before);
  assert.notEqual(key("other"), before);
  await at.write("real/.mcp.json", '{"mcpServers": {}}');
  assert.equal(key("real"), before);
  assert.match(before, /^[0-9a-f]{26}$/);
  assert.notEqual(
    configSetKey([{ real: "/a" }, { real: "/b" }]),
    configSetKey([{ real: "/b" }, { real: "/a" }]),
  );
  assert.notEqual(configSetKey([{ real: "/ab" }]), configSetKey([{ real: "/a" }, { real: "/b" }]));
});

Deno.test("folders and dangling links that bear a configuration's name are passed over", async () => {
  await using at = await testFolder({ "p/.mcp.json/x": "", "p/.mcpx": "a file" });
  await Deno.symlink(`${at.path}/gone`, `${at.path}/p/.mcpx.json`);
  const files = findConfigFiles({ cwd: `${at.path}/p`, env: {} });
  assert.deepEqual(files.filter((file) => file.path.startsWith(at.path)), []);
});

Deno.test("finding and naming the variables loads no package and no heavy module", async () => {
  for (const name of ["search.ts", "mentioned_variables.ts", "paths.ts"]) {
    const { stdout } = await new Deno.Command(Deno.execPath(), {
      args: ["info", "--json", new URL(name, import.meta.url).pathname],
      env: { NO_COLOR: "1" },
    }).output();
    const { modules } = JSON.parse(new TextDecoder().decode(stdout)) as { modules: { specifier: string }[] };
    const names = modules.map((module) => module.specifier.split("/").at(-1));
    assert.deepEqual(
      names.filter((one) =>
        !["search.ts", "paths.ts", "mentioned_variables.ts", "stranger.ts", "mcpx_error.ts", "codes.ts"]
          .includes(one ?? "")
      ),
      [],
    );
  }
});
