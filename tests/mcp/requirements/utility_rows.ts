import assert from "node:assert/strict";
import { membersOf } from "./members.ts";
import { has, hasOnly, type Requirement } from "./requirement.ts";
import type { RevisionHost } from "./revision_host.ts";

type Json = Record<string, unknown>;
type Row = Requirement<RevisionHost>;

const LEVELS = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];
const LISTS = [
  ["tools/list", "tools"],
  ["prompts/list", "prompts"],
  ["resources/list", "resources"],
  ["resources/templates/list", "resourceTemplates"],
] as const;

/** What every revision with a handshake asks of a server's utilities. */
export function utilityRows(version: string): Row[] {
  return [...cancellationRows(), ...progressRows(version), ...paginationRows(), ...loggingRows(version)];
}

function cancellationRows(): Row[] {
  return [
    ...['{"requestId":"nobody"}', '{"requestId":{}}', "{}", '{"requestId":null,"reason":7}'].map((
      params,
    ): Row => ({
      section: "basic/utilities/cancellation, Error Handling",
      says: `a cancellation of an unknown request, or a malformed one, is ignored: ${params}`,
      check: async (host) => {
        await host.tell("notifications/cancelled", params);
        assert.deepEqual(await host.result("ping"), {});
      },
    })),
    {
      section: "basic/utilities/cancellation, Timing Considerations",
      says: "a cancellation of a request that is over is ignored, even where its id is used again",
      check: async (host) => {
        const id = host.freshId();
        await host.ask("ping", "{}", { id });
        await host.tell("notifications/cancelled", `{"requestId":${id}}`);
        has((await host.ask("ping", "{}", { id })).last, { result: {} });
      },
    },
    {
      section: "basic/utilities/cancellation, Timing Considerations",
      says: "a cancellation that overtakes its request cancels it",
      check: async (host) => {
        const id = host.freshId();
        await host.tell("notifications/cancelled", `{"requestId":${id}}`);
        assert.equal((await host.ask("tools/call", '{"name":"hang"}', { id })).text, "");
      },
    },
    {
      section: "basic/utilities/cancellation, Behavior Requirements",
      says: "a cancelled request is stopped and not responded to, even when its answer comes late",
      check: async (host) => {
        const id = host.freshId();
        await using told = await host.listen();
        const late = host.ask("tools/call", '{"name":"late"}', { id });
        const sent = await host.logged(({ params }) => (params as Json | undefined)?.name === "late");
        await host.tell("notifications/cancelled", `{"requestId":${id},"reason":"no more"}`);
        assert.doesNotMatch((await late).text, /"jsonrpc"/);
        await host.logged(({ method, params }) =>
          method === "notifications/cancelled" && (params as Json).requestId === sent.id
        );
        await host.call("give");
        assert.doesNotMatch(told.text, /too late/);
      },
    },
    {
      section: "basic/utilities/cancellation, Behavior Requirements",
      says: "initialize cannot be cancelled",
      check: async (host) => {
        await host.tell("notifications/cancelled", '{"requestId":0}');
        assert.deepEqual(await host.result("ping"), {});
      },
    },
  ];
}

function progressRows(version: string): Row[] {
  const report = async (host: RevisionHost, token: string, values: number[], name = "progress") => {
    const args = name === "progress"
      ? { values, after: [98, 99] }
      : { tool: "raw.progress", arguments: { values } };
    const { messages } = await host.ask(
      "tools/call",
      `{"name":"${name}","arguments":${JSON.stringify(args)}${
        token === "" ? "" : `,"_meta":{"progressToken":${token}}`
      }}`,
    );
    assert.match(messages.at(-1) ?? "", /"result"/);
    return messages.slice(0, -1).map((text) => JSON.parse(text) as { method: string; params: Json });
  };
  return [
    ...['"tok"', '""', "7", "0"].map((token): Row => ({
      section: "basic/utilities/progress, Progress Flow",
      says: `progress carries the token that was given, in its own type: ${token}`,
      check: async (host) => {
        const told = await report(host, token, [1, 2.5]);
        has(
          told,
          [1, 2.5].map((progress) => ({
            method: "notifications/progress",
            params: { progressToken: JSON.parse(token) as unknown, progress },
          })),
        );
      },
    })),
    {
      section: "basic/utilities/progress, Behavior Requirements",
      says: "without a token nothing is reported",
      check: async (host) => assert.deepEqual(await report(host, "", [1]), []),
    },
    ...["{}", "null", "1.5", "true", "[1]"].map((token): Row => ({
      section: "basic/utilities/progress, Progress Flow",
      says: `a token is a string or an integer, and anything else is none: ${token}`,
      check: async (host) => assert.deepEqual(await report(host, token, [1]), []),
    })),
    {
      section: "basic/utilities/progress, Implementation Notes",
      says: "progress stops with the request, on every stream",
      check: async (host) => {
        await using told = await host.listen();
        assert.equal((await report(host, '"once"', [1])).length, 1);
        await host.serverSays(['{"jsonrpc":"2.0","id":"p1","method":"ping"}'], 1);
        assert.doesNotMatch(told.text, /progress/);
      },
    },
    {
      section: "basic/utilities/progress, Progress Flow",
      says: "what mcpx itself reports increases, and has only members of the revision",
      check: async (host) => {
        const told = await report(host, '"own"', [1, 2, 3], "mcpx_call");
        assert.ok(told.length >= 3, JSON.stringify(told));
        const values = told.map(({ params }) => params.progress as number);
        assert.deepEqual(values, [...new Set(values)].sort((a, b) => a - b));
        for (const { params } of told) hasOnly(params, membersOf(version).progress);
      },
    },
    {
      section: "basic/utilities/progress, Progress Flow",
      says: "values increase with each notification",
      why: "what a server reports about its own request is passed as it came: the values are the server's",
    },
  ];
}

function paginationRows(): Row[] {
  return [
    ...LISTS.map(([method, member]): Row => ({
      section: "server/utilities/pagination, Error Handling",
      says: `an invalid cursor of ${method} is -32602`,
      check: async (host) => {
        for (const cursor of ['"nobody"', '"bm9uZQ=="', "7", "{}", '""', "null"]) {
          assert.equal(await host.code(method, `{"cursor":${cursor}}`), -32602, cursor);
        }
        has(await host.result(method), { [member]: (await host.result(method))[member] });
      },
    })),
    {
      section: "server/utilities/pagination, Implementation Guidelines",
      says: "cursors are stable, and the pages together are the list, each entry once",
      check: async (host) => {
        const first = await host.result("tools/list");
        const cursor = JSON.stringify({ cursor: first.nextCursor });
        assert.equal((first.tools as Json[]).length, 7);
        assert.deepEqual(await host.result("tools/list", cursor), await host.result("tools/list", cursor));
        const names = (await host.all("tools/list", "tools")).map(({ name }) => name);
        assert.deepEqual([...new Set(names)], names);
        for (const name of ["mcpx_call", "give", "newer_give", "paged_a", "paged_b"]) {
          assert.ok(names.includes(name), name);
        }
      },
    },
    {
      section: "server/utilities/pagination, Response Format",
      says: "the last page has no nextCursor, and a cursor of one list is none of another",
      check: async (host) => {
        const { nextCursor } = await host.result("tools/list");
        assert.equal((await host.result("prompts/list")).nextCursor, undefined);
        assert.equal(await host.code("prompts/list", JSON.stringify({ cursor: nextCursor })), -32602);
      },
    },
  ];
}

function loggingRows(version: string): Row[] {
  const logs = async (host: RevisionHost): Promise<Json[]> => {
    const lines = LEVELS.map((level) =>
      `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"${level}","logger":"l","data":{"a":1}}}`
    );
    const { messages } = await host.ask(
      "tools/call",
      JSON.stringify({ name: "say", arguments: { lines, answers: 0 } }),
    );
    return messages.slice(0, -1).map((text) => (JSON.parse(text) as { params: Json }).params);
  };
  return [
    ...["error", "debug", "emergency", "info"].map((level): Row => ({
      section: "server/utilities/logging, Setting Log Level",
      says: `after ${level} was set, messages of that level and above come, and none below`,
      check: async (host) => {
        assert.deepEqual(await host.result("logging/setLevel", `{"level":"${level}"}`), {});
        const told = await logs(host);
        assert.deepEqual(told.map((entry) => entry.level), LEVELS.slice(LEVELS.indexOf(level)));
        for (const entry of told) hasOnly(entry, membersOf(version).log);
      },
    })),
    {
      section: "server/utilities/logging, Log Levels",
      says: "all eight levels of RFC 5424 are taken",
      check: async (host) => {
        for (const level of [...LEVELS, "info"]) {
          assert.deepEqual(await host.result("logging/setLevel", `{"level":"${level}"}`), {});
        }
      },
    },
    {
      section: "server/utilities/logging, Error Handling",
      says: "an invalid level is -32602, and changes nothing",
      check: async (host) => {
        for (const level of ['"loud"', '"INFO"', "7", "null", '"toString"']) {
          assert.equal(await host.code("logging/setLevel", `{"level":${level}}`), -32602, level);
        }
        assert.equal((await logs(host)).length, 7);
      },
    },
  ];
}
