import assert from "node:assert/strict";
import { configSetKey, findConfigFiles } from "./search.ts";
import { loadConfiguration } from "./load.ts";
import { ownUsers, passedOver, strangerOf } from "./stranger.ts";
import { listTrusted, recordTrust, trustPolicy } from "./trust.ts";
import { sha256 } from "./digest.ts";

const OWN = { uid: 1000, mode: 0o100644 };
const FOLDER = { uid: 1000, mode: 0o040755 };
const NOBODY = 65534;

Deno.test("root and this user are no strangers, and under sudo neither is whoever called it", () => {
  assert.deepEqual(ownUsers({}, 1000), [1000, 0]);
  assert.deepEqual(ownUsers({ SUDO_UID: "1000" }, 0), [0, 0, 1000]);
  assert.deepEqual(ownUsers({ SUDO_UID: "5" }, 1000), [1000, 0], "only root was called by sudo");
  assert.equal(ownUsers({}, null), undefined, "where users have no numbers nothing is checked");
});

Deno.test("a file is a stranger's by its owner, by its mode, and by the folder that it lies in", () => {
  const users = [1000, 0];
  const of = (file: { uid: number | null; mode: number | null }, folder = FOLDER): string | undefined =>
    strangerOf("/p/.mcpx.json", file, { users, real: "/p/.mcpx.json", folder });
  assert.equal(of(OWN), undefined);
  assert.equal(of({ uid: 0, mode: 0o100644 }), undefined);
  assert.equal(of({ uid: null, mode: null }), undefined);
  assert.equal(of({ ...OWN, mode: 0o100664 }), undefined, "a group of one's own is common");
  assert.match(of({ ...OWN, uid: NOBODY }) ?? "", /belongs to uid 65534/);
  assert.match(of({ ...OWN, mode: 0o100666 }) ?? "", /everybody can write it/);
  assert.match(of(OWN, { uid: 1000, mode: 0o040777 }) ?? "", /everybody can write its folder \/p/);
  assert.equal(of(OWN, { uid: 0, mode: 0o041777 }), undefined, "a sticky folder keeps a file its owner's");
  assert.match(of(OWN, { uid: NOBODY, mode: 0o041777 }) ?? "", /its folder \/p belongs to uid/);
});

Deno.test("the note about a file names the file, the reason and the way out", () => {
  assert.match(
    passedOver("/p/x", "it belongs to uid 5"),
    /^\/p\/x is passed over: it belongs to uid 5\. .*mcpx trust \/p\/x$/,
  );
  assert.match(passedOver("/p/x", "everybody can write it"), /chmod o-w \/p\/x if/);
  assert.match(passedOver("/p/x", "everybody can write its folder /p"), /chmod o-w \/p if/);
});

Deno.test({
  name: "somebody else's file in a shared folder is passed over with a note, until its content is trusted",
  ignore: Deno.uid() !== 0,
  async fn(): Promise<void> {
    const shared = await Deno.makeTempDir();
    try {
      await Deno.chmod(shared, 0o1777);
      const cwd = `${shared}/victim`;
      await Deno.mkdir(cwd);
      const path = `${shared}/.mcpx.json`;
      await Deno.writeTextFile(
        path,
        '{"mcpServers": {"evil": {"command": "sh"}}, "exec": {"timeout": "9h"}}',
      );
      await Deno.chown(path, NOBODY, NOBODY);
      await Deno.writeTextFile(`${cwd}/.mcpx.json`, '{"mcpServers": {"mine": {"command": "sh"}}}');
      const search = { cwd, env: { HOME: shared + "/home" } };
      const files = findConfigFiles(search);
      const load = (trust = trustPolicy([])) =>
        loadConfiguration({ ...search, files, settingGroups: ["exec"], trust });

      const passed = await load();
      assert.deepEqual(passed.servers.map(({ name }) => name), ["mine"]);
      assert.deepEqual([passed.settings, passed.sources.map((one) => one.path)], [[], [`${cwd}/.mcpx.json`]]);
      assert.match(passed.notes.join(), /belongs to uid 65534.*mcpx trust .*\/\.mcpx\.json/);

      const digest = await sha256(await Deno.readFile(path));
      const real = await Deno.realPath(path);
      const trusted = await load(trustPolicy([{ path: real, digest, at: "" }]));
      assert.deepEqual(trusted.servers.map(({ name }) => name), ["mine", "evil"]);
      const key = configSetKey(files);
      await Deno.writeTextFile(path, "this is no configuration {{{");
      const edited = await load(trustPolicy([{ path: real, digest, at: "" }]));
      assert.deepEqual(
        edited.servers.map(({ name }) => name),
        ["mine"],
        "an edit ends the trust, and breaks nothing",
      );
      assert.equal(
        configSetKey(findConfigFiles(search)),
        key,
        "the daemon stays the same whoever is trusted",
      );

      await Deno.chown(path, 1000, 1000);
      const caller = findConfigFiles({ ...search, env: { ...search.env, SUDO_UID: "1000" } });
      assert.equal(caller.some(({ stranger }) => stranger !== undefined), false);
    } finally {
      await Deno.remove(shared, { recursive: true });
    }
  },
});

Deno.test({
  name: "a link that somebody else has made is theirs, though what it points to is mine",
  ignore: Deno.uid() !== 0,
  async fn(): Promise<void> {
    const shared = await Deno.makeTempDir();
    try {
      await Deno.chmod(shared, 0o1777);
      await Deno.mkdir(`${shared}/mine`);
      await Deno.writeTextFile(`${shared}/mine/real.json`, "{}");
      await Deno.symlink(`${shared}/mine/real.json`, `${shared}/.mcpx.json`);
      const found = (): (string | undefined)[] =>
        findConfigFiles({ cwd: shared, env: {} }).filter(({ path }) => path.startsWith(shared)).map((one) =>
          one.stranger
        );
      assert.deepEqual(found(), [undefined]);
      await new Deno.Command("chown", { args: ["-h", "65534", `${shared}/.mcpx.json`] }).output();
      assert.deepEqual(found(), ["the link to it belongs to uid 65534"]);
    } finally {
      await Deno.remove(shared, { recursive: true });
    }
  },
});

Deno.test({
  name: "what somebody else says that this user has agreed to is no agreement",
  ignore: Deno.uid() !== 0,
  async fn(): Promise<void> {
    const state = await Deno.makeTempDir();
    try {
      await Deno.writeTextFile(`${state}/x.json`, "{}");
      await recordTrust(`${state}/x.json`, { state });
      assert.equal((await listTrusted(state)).length, 1);
      await Deno.chown(`${state}/trust.json`, NOBODY, NOBODY);
      assert.deepEqual(await listTrusted(state), []);
    } finally {
      await Deno.remove(state, { recursive: true });
    }
  },
});
