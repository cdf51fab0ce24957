import { codeOf, type Effects, type Json, pause, type Place } from "./place.ts";

/** Work that is the same on a busy machine: some three seconds of CPU. */
const BUSY = "let n = 0; for (let i = 0; i < 3e9; i++) n += i; return n";
const HOOKED = 'await call("probe.say", { text: "hook" })';

/** How many calls of one script were open at once. */
async function openAtOnce(place: Place): Promise<unknown> {
  const document = await place.exec(
    "const all = await Promise.all([1, 2, 3].map(() => probe.wait({ ms: 80 }))); return Math.max(...all.map(({ most }) => most))",
  );
  return document.result;
}

/** Whether a hook called the server: its log tells. */
async function hooked(place: Place, code: string): Promise<boolean> {
  const before = await said(place, "hook");
  await place.exec(code);
  return await said(place, "hook") > before;
}

async function said(place: Place, text: string): Promise<number> {
  const log = await Deno.readTextFile(`${place.world.root}/probe.log`).catch(() => "");
  return log.split("\n").filter((line) => line.includes(`"text":"${text}"`)).length;
}

async function toolNames(place: Place): Promise<string[]> {
  const { result } = await place.mcp("tools/list");
  return ((result as Json).tools as { name: string }[]).map(({ name }) => name);
}

/** Call-scoped settings: given with the request, in `X-Mcpx-Settings`. */
export const CALL_EFFECTS: Effects = {
  "catalog.budget": {
    values: ["200", "4000"],
    sees: [true, false],
    observe: async (place) => String((await place.get("/v1/catalog")).body.catalog ?? "").length < 1000,
  },
  "completion.maxValues": {
    values: ["2", "50"],
    sees: [2, 50],
    observe: async (place) => {
      const { body } = await place.post("/v1/complete", { of: "probe.pick", name: "color", value: "" });
      return (body.values as unknown[]).length;
    },
  },
  "diagnose.preflight": {
    values: ["true", "false"],
    sees: ["script-preflight", "unknown-tool"],
    observe: async (place) => codeOf(await place.exec("await probe.no_such_tool()")),
  },
  "exec.concurrency": { values: ["1", "3"], sees: [1, 3], observe: openAtOnce },
  "exec.cpu": {
    values: ["1s", "20s"],
    sees: ["script-cpu", undefined],
    observe: async (place) => codeOf(await place.exec(BUSY)),
  },
  "exec.maxArtifacts": {
    values: ["1KiB", "1MiB"],
    sees: ["script-storage", undefined],
    observe: async (place) => codeOf(await place.exec('await artifact("a.txt", "x".repeat(5000))')),
  },
  "exec.maxCalls": {
    values: ["1", "10"],
    sees: ["script-calls", undefined],
    observe: async (place) =>
      codeOf(await place.exec('for (let i = 0; i < 3; i++) await probe.say({ text: "x" })')),
  },
  "exec.maxOutput": {
    values: ["1KiB", "1MiB"],
    sees: ["script-output", undefined],
    observe: async (place) => codeOf(await place.exec('for (let i = 0; i < 9; i++) log("x".repeat(500))')),
  },
  "exec.maxResult": {
    values: ["1KiB", "1MiB"],
    sees: ["script-result", undefined],
    observe: async (place) => codeOf(await place.exec('return "x".repeat(5000)')),
  },
  "exec.maxScratch": {
    values: ["1KiB", "1MiB"],
    sees: ["script-storage", undefined],
    observe: async (place) =>
      codeOf(
        await place.exec(
          'await Deno.writeTextFile(`${args.scratch}/a`, "x".repeat(5000)); await probe.wait({ ms: 700 })',
          {
            profile: "write",
          },
        ),
      ),
  },
  "exec.maxWait": {
    values: ["400ms", "1h"],
    sees: [false, true],
    observe: async (place) => {
      const { body } = await place.post("/v1/exec", { code: "return await asker.ask({})" });
      const { task } = (body.error as Json).data as { task: string };
      await pause(700);
      const { state } = (await place.get(`/v1/tasks/${task}`)).body.task as { state: string };
      // A script that waits holds one of the places of exec.maxRuns.
      await place.post(`/v1/tasks/${task}/cancel`);
      return state === "input_required";
    },
  },
  "exec.timeout": {
    values: ["300ms", "20s"],
    sees: ["script-timeout", undefined],
    observe: async (place) => codeOf(await place.exec("await probe.wait({ ms: 700 })")),
  },
  "hooks.autonomy": {
    values: ["off", "run"],
    sees: [false, true],
    observe: (place) => hooked(place.with({ "script.before": HOOKED }), "return 1"),
  },
  "output.preview": {
    values: ["100B", "1MiB"],
    sees: [true, false],
    observe: async (place) => {
      const { body } = await place.post("/v1/call", {
        tool: "probe.big",
        arguments: { bytes: 5000 },
        preview: true,
      });
      return Array.isArray(body.artifacts) && body.artifacts.length > 0;
    },
  },
  "output.strict": {
    values: ["true", "false"],
    sees: ["result-schema", undefined],
    observe: async (place) => codeOf(await place.call("probe.odd")),
  },
  "pool.callTimeout": {
    values: ["200ms", "10s"],
    sees: ["call-timeout", undefined],
    observe: async (place) => codeOf(await place.call("probe.wait", { ms: 600 })),
  },
  "pool.maxTotal": {
    values: ["300ms", "10s"],
    sees: ["call-timeout", undefined],
    observe: async (place) => codeOf(await place.call("probe.wait", { ms: 700, every: 50 })),
  },
  "repair.autonomy": {
    values: ["off", "advise"],
    sees: [false, true],
    observe: async (place) => Array.isArray((await place.call("probe.needs")).body.diagnostics),
  },
  "script.before": {
    values: ["", HOOKED],
    sees: [false, true],
    observe: (place) => hooked(place, "return 1"),
  },
  "script.onError": {
    values: ["", HOOKED],
    sees: [false, true],
    observe: (place) => hooked(place, 'throw new Error("no")'),
  },
  "script.onSuccess": {
    values: ["", HOOKED],
    sees: [false, true],
    observe: (place) => hooked(place, "return 1"),
  },
  "script.profile": {
    values: ["none", "read"],
    sees: ["undefined", "function"],
    observe: async (place) =>
      (await place.exec("return typeof Deno === 'object' ? typeof Deno.readTextFile : 'undefined'")).result,
  },
  "search.limit": {
    values: ["1", "5"],
    sees: [1, 5],
    observe: async (place) => ((await place.get("/v1/search?query=message")).body.tools as unknown[]).length,
  },
  "serve.mode": {
    values: ["code", "full"],
    sees: [false, true],
    observe: async (place) => (await toolNames(place)).includes("mcpx_setting_get"),
  },
  "serve.nameLimit": {
    values: ["20", "50"],
    sees: [20, true],
    observe: async (place) => {
      const names = await toolNames(place.with({ "serve.mode": "passthrough" }));
      const longest = Math.max(...names.map((name) => name.length));
      return longest <= 20 ? 20 : longest <= 50;
    },
  },
  "serve.pageSize": {
    values: ["2", "1000"],
    sees: [2, true],
    observe: async (place) => {
      const { length } = await toolNames(place);
      return length > 2 ? true : length;
    },
  },
  "prompt.autonomy": {
    values: ["propose", "run"],
    sees: ["proposed", "ran"],
    observe: async (place) =>
      (await place.post("/v1/intent", { request: "greet the moon politely" })).body.outcome,
  },
  "recipes.limit": {
    values: ["1", "3"],
    sees: [1, 3],
    observe: async (place) =>
      ((await place.get("/v1/recipe/match?request=greet")).body.candidates as unknown[]).length,
  },
  "recipes.matchMargin": {
    values: ["100", "9000"],
    sees: ["greet_moon", undefined],
    observe: async (place) =>
      (await place.get("/v1/recipe/match?request=greet%20the%20moon%20politely")).body.chosen,
  },
  "recipes.minScore": {
    values: ["1", "90000"],
    sees: ["greet_moon", undefined],
    observe: async (place) =>
      (await place.get("/v1/recipe/match?request=greet%20the%20moon%20politely")).body.chosen,
  },
  "recipes.toolBudget": {
    values: ["1", "3"],
    sees: [1, 3],
    observe: async (place) => (await toolNames(place)).filter((name) => name.startsWith("recipe_")).length,
  },
  "servers.groups": {
    values: ["", "night"],
    sees: [false, true],
    observe: async (place) =>
      ((await place.get("/v1/servers?cached=true")).body.servers as { server: string }[])
        .some(({ server }) => server === "owl"),
  },
};
