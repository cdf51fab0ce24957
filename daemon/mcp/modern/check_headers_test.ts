import assert from "node:assert/strict";
import { parseJson } from "../../../lib/json/mod.ts";
import { checkParamHeaders } from "./check_headers.ts";

// 2026-07-28 streamable-http, Server Validation: the header, the argument as JSON, whether they are the same.
const ROWS: [header: string | null, args: string, same: boolean][] = [
  ["42", '{"p":42}', true],
  ["42.0", '{"p":42}', true],
  ["+42", '{"p":42}', true],
  ["042", '{"p":42}', true],
  ["-0", '{"p":0}', true],
  ["42.5", '{"p":42}', false],
  ["43", '{"p":42}', false],
  ["0x2a", '{"p":42}', false],
  ["4.2e1", '{"p":42}', false],
  ["9007199254740993", '{"p":9007199254740992}', false],
  ["42", '{"p":"42"}', true],
  ["42.0", '{"p":"42"}', false],
  ["042", '{"p":"42"}', false],
  ["US", '{"p":"us"}', false],
  ["true", '{"p":true}', true],
  ["True", '{"p":true}', false],
  ["=?base64?w6k=?=", '{"p":"é"}', true],
  ["=?BASE64?w6k=?=", '{"p":"é"}', false],
  [null, '{"p":null}', true],
  [null, "{}", true],
  [null, '{"p":"x"}', false],
  ["x", "{}", false],
];

Deno.test("arguments and the headers that repeat them are compared as the specification says", () => {
  for (const [header, args, same] of ROWS) {
    const headers = new Headers(header === null ? {} : { "mcp-param-p": header });
    const check = (): void => checkParamHeaders([{ header: "P", path: ["p"] }], parseJson(args), headers);
    if (same) check();
    else assert.throws(check, /^RpcError: Header mismatch: Mcp-Param-P is /, `${header} and ${args}`);
  }
});
