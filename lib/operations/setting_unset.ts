import { z } from "zod";
import type { Provenance } from "../settings/mod.ts";
import { defineOperation, type Operation } from "./define.ts";
import { provenance } from "./setting_get.ts";
import { requireSetting } from "./setting_path.ts";

/** Takes back what `settings set` did. */
export const settingUnset: Operation<{ path: string }, { setting: Provenance; restartRequired: boolean }> =
  defineOperation({
    id: "setting.unset",
    summary: "Take back what `settings set` did.",
    examples: [{ command: "mcpx settings unset pool.callTimeout", note: "back to the file's value" }],
    effect: "write",
    http: { method: "DELETE", path: "/v1/settings/{path}" },
    input: z.strictObject({ path: z.string().describe("The dotted path of a setting.") }),
    output: z.object({ setting: provenance, restartRequired: z.boolean() }),
    cli: {
      commands: [{ words: ["settings", "unset"], positional: ["path"] }],
      fields: { path: { completion: "setting" } },
      render: "fields",
    },
    settings: [],
    errors: ["unknown-setting"],
    streams: false,
    notOn: { mcp: "Changing the daemon is for whoever runs it." },
    run: (input, { engine }) =>
      Promise.resolve(engine.setRuntimeSetting(requireSetting(input.path), undefined)),
  });
