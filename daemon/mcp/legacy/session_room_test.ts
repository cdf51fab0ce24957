import assert from "node:assert/strict";
import { rpcErrorOf } from "../wire/rpc_error.ts";
import { firstToGo, NoRoomError, type SessionUse } from "./session_room.ts";

function sessions(...uses: [isBusy: boolean, lastUsed: number][]): Map<string, SessionUse> {
  return new Map(uses.map(([isBusy, lastUsed], at) => [`${at}`, { isBusy, lastUsed }]));
}

Deno.test("while there is room no session goes", () => {
  assert.equal(firstToGo(sessions([false, 1], [false, 2]), 3), undefined);
});

Deno.test("the longest unused session makes room, and never one with something under way", () => {
  assert.equal(firstToGo(sessions([false, 3], [false, 2], [false, 4]), 3)?.lastUsed, 2);
  assert.equal(firstToGo(sessions([true, 1], [false, 3], [true, 2]), 3)?.lastUsed, 3);
});

Deno.test("where every session is busy one more is refused with a sentence that says so", () => {
  const all = sessions([true, 1], [true, 2]);
  assert.throws(() => firstToGo(all, 2), (error) => {
    assert.ok(error instanceof NoRoomError);
    assert.deepEqual(rpcErrorOf(error), {
      code: -32603,
      message: "Cannot begin a session: all 2 that there may be are in use; end one, or try again later.",
    });
    return true;
  });
});
