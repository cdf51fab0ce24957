import { z } from "zod";
import type { Provenance } from "../settings/mod.ts";
import { defineOperation, type Operation } from "./define.ts";
import { provenance } from "./setting_get.ts";
import { requireSetting } from "./setting_path.ts";

/** Sets a setting in the running daemon. */
export const settingSet: Operation<
  { path: string; value: string },
  { setting: Provenance; restartRequired: boolean }
> = defineOperation({
  id: "setting.set",
  summary: "Set a setting in the running daemon, until it stops.",
  description: "A hot setting takes effect at once; for the others the answer says that a restart is needed.",
  examples: [{ command: "mcpx settings set pool.callTimeout 30s", note: "for this daemon" }],
  effect: "write",
  http: { method: "POST", path: "/v1/settings/{path}" },
  input: z.strictObject({
    path: z.string().describe("The dotted path of a setting."),
    value: z.string().describe("The value, as written in a file."),
  }),
  output: z.object({ setting: provenance, restartRequired: z.boolean() }),
  cli: {
    commands: [{ words: ["settings", "set"], positional: ["path", "value"] }],
    fields: { path: { completion: "setting" } },
    render: "fields",
  },
  settings: [],
  errors: ["unknown-setting", "invalid-input", "setting-scope"],
  streams: false,
  notOn: { mcp: "Changing the daemon is for whoever runs it." },
  run: (input, { engine }) =>
    Promise.resolve(engine.setRuntimeSetting(requireSetting(input.path), input.value)),
});
