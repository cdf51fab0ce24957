import { parseJson } from "../../json/mod.ts";
import type { PoolRun } from "../../pool/mod.ts";
import type { ScriptPort } from "../../sandbox/mod.ts";
import type { JsonObject } from "../../schema/mod.ts";
import { callTool } from "../call_tool.ts";
import type { Caller } from "../caller.ts";
import type { Engine } from "../engine.ts";
import { describeTool, searchCatalog } from "../list_tools.ts";
import type { DryRun } from "./dry_run.ts";

/** What a run has said so far. */
export interface RunRecords {
  results: unknown[];
  logs: { level: string; text: string; attributes?: unknown }[];
}

/** What a script's requests are answered with. */
export interface ScriptPortOptions {
  engine: Engine;
  caller: Caller;
  /** Holds the instances that the run's calls share. */
  poolRun: PoolRun;
  /** Where emitted values and log records are kept. */
  records: RunRecords;
  /** Answers what may change something, where nothing is to be changed. */
  dryRun?: DryRun;
}

/** All that a script can reach: tools, look-ups, records, artifacts. */
export function scriptPort({ engine, caller, poolRun, records, dryRun }: ScriptPortOptions): ScriptPort {
  const scripted: Caller = { ...caller, surface: "script" };
  return {
    call: async (call, signal) => {
      const sent = parseJson(call.arguments) as JsonObject;
      const standIn = await dryRun?.standIn(call.name, sent);
      if (standIn !== undefined) return standIn;
      const request = { tool: call.name, arguments: sent };
      const answer = await callTool(engine, request, { ...scripted, signal }, poolRun);
      return JSON.stringify({ value: answer.result, raw: answer.raw });
    },
    search: async (query, limit) =>
      JSON.stringify((await searchCatalog(engine, scripted, { query, limit, cached: true })).tools),
    describe: async (name) => JSON.stringify(await describeTool(engine, scripted, name)),
    emit: (json) => {
      const value = parseJson(json);
      records.results.push(value);
      caller.emit({ type: "emit", value });
    },
    log: ({ level, text, attributes }) => {
      const record = {
        level,
        text,
        ...(attributes === undefined ? {} : { attributes: parseJson(attributes) }),
      };
      records.logs.push(record);
      caller.emit({ type: "log", ...record });
    },
    artifact: async (name, bytes, mimeType) =>
      dryRun?.artifact(name, bytes.length, mimeType) ??
        JSON.stringify(await engine.artifacts.put(name, bytes, mimeType)),
    paused: () => caller.work?.paused ?? false,
  };
}
