import assert from "node:assert/strict";
import fc from "fast-check";
import { childEnv } from "./child_env.ts";

const base = {
  PATH: "/bin",
  HOME: "/home/me",
  LANG: "C.UTF-8",
  LC_ALL: "C",
  TMPDIR: "/tmp",
  TERM: "xterm",
  SECRET_TOKEN: "1",
  MCPX_CONFIG: "/c",
};

Deno.test("a child sees the basics and its own variables, and nothing else of the daemon's", () => {
  assert.deepEqual(childEnv({ base, own: { TOKEN: "t" } }), {
    PATH: "/bin",
    HOME: "/home/me",
    LANG: "C.UTF-8",
    LC_ALL: "C",
    TMPDIR: "/tmp",
    TOKEN: "t",
  });
});

Deno.test("envPassthrough takes from the caller's environment, and skips what the caller did not send", () => {
  const env = childEnv({ base, caller: { SECRET_TOKEN: "mine" }, passthrough: ["SECRET_TOKEN", "TERM"] });
  assert.equal(env.SECRET_TOKEN, "mine");
  assert.equal("TERM" in env, false);
});

Deno.test("the child's own env wins over what is inherited, and the marker over all", () => {
  const env = childEnv({
    base,
    own: { PATH: "/own", TERM: "dumb", MCPX_DAEMON: "0" },
    passthrough: ["TERM"],
    marker: { MCPX_DAEMON: "1" },
  });
  assert.equal(env.PATH, "/own");
  assert.equal(env.TERM, "dumb");
  assert.equal(env.MCPX_DAEMON, "1");
});

Deno.test("no MCPX variable is inherited, named or not", () => {
  const name: fc.Arbitrary<string> = fc.constantFrom(
    "MCPX_CONFIG",
    "MCPX_TOKEN",
    "PATH",
    "LC_X",
    "X",
    "__proto__",
    "constructor",
  );
  fc.assert(fc.property(
    fc.dictionary(name, fc.string()),
    fc.dictionary(name, fc.string()),
    fc.array(name),
    (daemon, caller, passthrough) => {
      const env = childEnv({ base: daemon, caller, passthrough });
      for (const key of Object.keys(env)) {
        assert.equal(key.startsWith("MCPX_"), false);
        assert.ok(["PATH", "LC_X"].includes(key) || passthrough.includes(key), key);
      }
    },
  ));
});
