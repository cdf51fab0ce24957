import assert from "node:assert/strict";
import fc from "fast-check";
import { daemonFiles } from "./socket_path.ts";

Deno.test("a socket's path fits the system's limit, however deep the runtime folder is", () => {
  fc.assert(fc.property(fc.string({ unit: "grapheme", maxLength: 200 }), (name) => {
    const { socket, lock } = daemonFiles({
      runtime: `/home/${name}/run/mcpx`,
      key: "0".repeat(26),
      uid: 1000,
    });
    assert.ok(new TextEncoder().encode(socket).length <= 103, socket);
    assert.equal(socket.slice(0, socket.lastIndexOf("/")), lock.slice(0, lock.lastIndexOf("/")));
  }));
});

Deno.test("two deep runtime folders do not share a socket, and one user's is not another's", () => {
  const of = (runtime: string, uid: number): string => daemonFiles({ runtime, key: "k", uid }).socket;
  const deep = "/x".repeat(80);
  const all = [of(deep + "/a", 1), of(deep + "/b", 1), of(deep + "/a", 2)];
  assert.equal(new Set(all).size, 3);
  assert.equal(of(deep + "/a", 1), of(deep + "/a", 1));
});
