import assert from "node:assert/strict";
import { MODERN } from "./mcp_host.ts";

/** What a server declared: capability -> its members. */
export type Capabilities = Record<string, Record<string, unknown>>;

/** A host of one revision on some transport, as far as the walk needs it. */
export interface WalkingHost {
  readonly version: string;
  /** Begins, and gives what was declared. */
  begin(): Promise<Capabilities>;
  /** Sends a request; gives everything that came for it, the answer last. `logLevel` is for revisions that say it with each request. */
  send(method: string, params?: string, logLevel?: string): Promise<string>;
  /** Begins to hear of changes: with `filter` where the revision has subscriptions, by the id `sub`. */
  listen(filter: string): Promise<void>;
  /** Waits until a text has come of the server's own accord. */
  heard(text: string): Promise<void>;
  /** The messages that came of the server's own accord. */
  told(): string[];
  /** Has the configuration read again. */
  reload(): Promise<void>;
}

const FILTER =
  '{"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true,"resourceSubscriptions":["note://one"]}';
const ARGUMENT = '{"ref":{"type":"ref/prompt","name":"greet"},"argument":{"name":"who","value":""}}';

/** Uses every capability that is declared to a host, and asserts that there is no other one. The server behind is `verbatim.mjs`. */
export async function walkCapabilities(host: WalkingHost): Promise<void> {
  const isModern = host.version === MODERN;
  const capabilities = await host.begin();
  const exercised: string[] = [];
  const works = async (name: string, check: () => Promise<void>): Promise<void> => {
    await check();
    exercised.push(name);
  };
  await host.send("tools/list");
  await host.listen(FILTER);
  await works("tools", async () => {
    assert.match(await host.send("tools/list"), /"name":"echo"/);
    assert.match(await host.send("tools/call", '{"name":"echo"}'), /hologram/);
  });
  await works("prompts", async () => {
    assert.match(await host.send("prompts/get", '{"name":"greet"}'), /"messages"/);
  });
  await works("resources", async () => {
    assert.match(await host.send("resources/read", '{"uri":"note://one"}'), /"contents"/);
  });
  if (capabilities.resources?.subscribe) {
    await works("resources.subscribe", async () => {
      if (!isModern) await host.send("resources/subscribe", '{"uri":"note://one"}');
      await host.send("tools/call", '{"name":"tell"}');
      await host.heard("notifications/resources/updated");
    });
  }
  await works("tools.listChanged", async () => {
    await host.send("tools/call", '{"name":"change"}');
    await host.heard("notifications/tools/list_changed");
    assert.match(await host.send("tools/list"), /"name":"new\d+"/);
  });
  // The other two lists change with the configuration.
  for (const kind of ["prompts", "resources"]) {
    await works(`${kind}.listChanged`, async () => {
      await host.reload();
      await host.heard(`notifications/${kind}/list_changed`);
    });
  }
  await works("logging", async () => {
    const say = async (level?: string): Promise<string> => {
      if (!isModern) {
        if (level !== undefined) await host.send("logging/setLevel", `{"level":"${level}"}`);
        return await host.send("tools/call", '{"name":"say"}');
      }
      return await host.send("tools/call", '{"name":"say"}', level);
    };
    if (isModern) assert.doesNotMatch(await say(), /notifications\/message/);
    assert.doesNotMatch(await say("error"), /notifications\/message/);
    assert.match(await say("debug"), /notifications\/message/);
  });
  if (capabilities.completions) {
    await works("completions", async () => {
      assert.match(await host.send("completion/complete", ARGUMENT), /alpha/);
    });
  }
  const declared = Object.entries(capabilities).flatMap(([name, members]) => [
    name,
    ...Object.keys(members).map((member) => `${name}.${member}`),
  ]);
  assert.deepEqual(declared.sort(), exercised.sort());
  if (!isModern) return;
  // Every message of a subscription names it.
  const told = host.told();
  for (const line of told) assert.match(line, /"io\.modelcontextprotocol\/subscriptionId":"sub"/);
  assert.match(told[0] ?? "", /acknowledged/);
}
