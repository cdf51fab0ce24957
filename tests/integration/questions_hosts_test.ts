import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { Client as ClientV2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as StdioV2 } from "@modelcontextprotocol/client/stdio";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as StdioV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { CreateMessageRequestSchema, ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { fixtureServer, World } from "../support/world.ts";

const CLI = fileURLToPath(new URL("../../cli.ts", import.meta.url));
const COMPLETION = {
  role: "assistant" as const,
  content: { type: "text" as const, text: "from the host" },
  model: "host-model",
};

type Json = Record<string, unknown>;

// The SDKs' clients leave timers behind when they are closed.
const OF_SDKS = { sanitizeOps: false, sanitizeResources: false };

/** A host that calls tools; what it is asked it keeps, and answers by `reply`. */
interface Host extends AsyncDisposable {
  call(name: string, args?: Json): Promise<Json>;
  asked: Json[];
}

interface HostOptions {
  /** What it declares that it can do. */
  elicits: boolean;
  mode: "passthrough" | "code" | "full";
  reply?: (params: Json) => Json;
}

const accept = (): Json => ({ action: "accept", content: { name: "Ada" } });

function serve(
  world: World,
  mode: string,
): { command: string; args: string[]; env: Record<string, string>; cwd: string; stderr: "ignore" } {
  const args = ["run", "-A", "--quiet", CLI, "serve", "--serve-mode", mode];
  return { command: Deno.execPath(), args, env: world.env, cwd: world.project, stderr: "ignore" };
}

async function legacyHost(world: World, { elicits, mode, reply = accept }: HostOptions): Promise<Host> {
  const asked: Json[] = [];
  const client = new ClientV1({ name: "host", version: "1" }, {
    capabilities: elicits ? { elicitation: {}, sampling: {} } : {},
  });
  if (elicits) {
    client.setRequestHandler(ElicitRequestSchema, ({ params }: { params: Json }) => {
      asked.push({ ...params });
      return reply({ ...params }) as { action: "accept" };
    });
    client.setRequestHandler(CreateMessageRequestSchema, () => COMPLETION);
  }
  await client.connect(new StdioV1(serve(world, mode)));
  return {
    asked,
    call: async (name, args = {}) => ({ ...await client.callTool({ name, arguments: args }) }),
    [Symbol.asyncDispose]: () => client.close(),
  };
}

async function modernHost(world: World, { elicits, mode, reply = accept }: HostOptions): Promise<Host> {
  const asked: Json[] = [];
  const client = new ClientV2({ name: "host", version: "1" }, {
    capabilities: elicits ? { elicitation: { form: {} }, sampling: {} } : {},
    versionNegotiation: { mode: { pin: "2026-07-28" } },
  });
  if (elicits) {
    client.setRequestHandler("elicitation/create", ({ params }) => {
      asked.push({ ...params });
      return Promise.resolve(reply({ ...params }) as { action: "accept" });
    });
    client.setRequestHandler("sampling/createMessage", () => Promise.resolve(COMPLETION));
  }
  class InPlace extends StdioV2 {}
  await client.connect(new InPlace(serve(world, mode)));
  return {
    asked,
    call: async (name, args = {}) => ({ ...await client.callTool({ name, arguments: args }) }),
    [Symbol.asyncDispose]: () => client.close(),
  };
}

const HOSTS = { legacy: legacyHost, modern: modernHost };

function openWorld(settings: Json = {}): Promise<World> {
  return World.open({
    mcpServers: {
      old: fixtureServer("asker.mjs"),
      fresh: fixtureServer("asker.mjs", { ERA: "modern" }),
    },
    ...settings,
  });
}

function textOf(result: Json): string {
  return (result.content as { text?: string }[]).map(({ text }) => text ?? "").join("\n");
}

for (const [era, open] of Object.entries(HOSTS)) {
  Deno.test(
    `a ${era} host that can be asked is asked by servers of both eras, and three at once are three questions`,
    OF_SDKS,
    async () => {
      await using world = await openWorld();
      await using host = await open(world, {
        elicits: true,
        mode: "passthrough",
        reply: ({ message }) => ({ action: "accept", content: { name: String(message) } }),
      });
      for (const upstream of ["old", "fresh"]) {
        const one = textOf(await host.call(`${upstream}_ask`, { message: "Who?" }));
        assert.deepEqual(JSON.parse(one), { action: "accept", content: { name: `${upstream}: Who?` } });
        const two = JSON.parse(textOf(await host.call(`${upstream}_twice`)));
        assert.deepEqual(two.map(({ content }: { content: Json }) => content.name), [
          `${upstream}: First?`,
          `${upstream}: Second?`,
        ]);
        const completion = JSON.parse(textOf(await host.call(`${upstream}_complete`, { prompt: "hi" })));
        assert.equal(completion.content.text, "from the host");
        const three = await Promise.all(
          ["a", "b", "c"].map((message) => host.call(`${upstream}_ask`, { message })),
        );
        assert.deepEqual(
          three.map((result) => (JSON.parse(textOf(result)).content as Json).name),
          ["a", "b", "c"].map((message) => `${upstream}: ${message}`),
        );
      }
    },
  );

  Deno.test(
    `a ${era} host is asked through mcpx_call and mcpx_exec too, and confirms what may destroy`,
    OF_SDKS,
    async () => {
      await using world = await openWorld({ elicit: { confirmDestructive: true } });
      let confirm = true;
      await using host = await open(world, {
        elicits: true,
        mode: "full",
        reply: ({ requestedSchema }) =>
          "confirm" in (requestedSchema as { properties: Json }).properties
            ? { action: "accept", content: { confirm } }
            : accept(),
      });
      for (const upstream of ["old", "fresh"]) {
        const called = await host.call("mcpx_call", { tool: `${upstream}.ask`, arguments: {} });
        assert.match(textOf(called), /Ada/, textOf(called));
        const ran = await host.call("mcpx_exec", { code: `return (await ${upstream}.ask({})).content.name` });
        assert.match(textOf(ran), /"result":"Ada"/, textOf(ran));
        const wiped = await host.call("mcpx_call", { tool: `${upstream}.wipe` });
        assert.match(textOf(wiped), /"calls":1/, textOf(wiped));
        confirm = false;
        const kept = await host.call("mcpx_call", { tool: `${upstream}.wipe` });
        assert.equal(kept.isError, true);
        assert.match(textOf(kept), /not confirmed/);
        confirm = true;
      }
      assert.ok(
        host.asked.every(({ message }) =>
          /^(old: Your|fresh: Your|mcpx: (old|fresh)\.wipe) /.test(String(message))
        ),
        JSON.stringify(host.asked),
      );
    },
  );

  Deno.test(
    `a ${era} host that cannot be asked answers with the tools of mcpx, but not for a human`,
    OF_SDKS,
    async () => {
      await using world = await openWorld();
      await using host = await open(world, { elicits: false, mode: "code" });
      for (const upstream of ["old", "fresh"]) {
        const waiting = await host.call("mcpx_call", { tool: `${upstream}.ask`, arguments: {} });
        assert.equal(waiting.isError, true);
        const { data } = (waiting._meta as Json)["dev.mcpx/error"] as {
          code: string;
          data: { question: Json; task: string };
        };
        const listed = JSON.parse(textOf(await host.call("mcpx_elicit_list"))) as { questions: Json[] };
        assert.ok(listed.questions.some(({ id }) => id === data.question.id));
        const refused = await host.call("mcpx_elicit_answer", { id: data.question.id, content: { name: 7 } });
        assert.match(textOf(refused), /`name` must be a string/);
        await host.call("mcpx_elicit_answer", { id: data.question.id, content: { name: "Ada" } });
        const schema = { properties: { password: { type: "string" } }, required: ["password"] };
        const secret = await host.call("mcpx_call", { tool: `${upstream}.ask`, arguments: { schema } });
        const human =
          ((secret._meta as Json)["dev.mcpx/error"] as { data: { question: Json } }).data.question;
        const forbidden = await host.call("mcpx_elicit_answer", { id: human.id, content: { password: "x" } });
        assert.match(textOf(forbidden), /it is for a human .*mcpx elicit show elc-/s);
      }
    },
  );
}
