import assert from "node:assert/strict";
import { httpPlace } from "./http_place.ts";

Deno.test("what is shown of an address has neither user nor query, and a user becomes a header", () => {
  const place = httpPlace({ url: "https://me:pa%3Ass@host/path?key=topsecret#x", headers: {} });
  assert.equal(place.shown, "https://host/path");
  assert.equal(place.url.href, "https://host/path?key=topsecret");
  assert.equal(place.headers.authorization, `Basic ${btoa("me:pa:ss")}`);
});

Deno.test("header values, their parts and query values are taken out of texts", () => {
  const place = httpPlace({
    url: "http://h/?key=topsecret",
    headers: { Authorization: "Bearer abcdef", "X-Id": "1" },
  });
  assert.equal(place.redact("1 Bearer abcdef, abcdef, ?key=topsecret"), "1 •••, •••, ?•••");
});
