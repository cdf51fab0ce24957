import { z } from "zod";
import { type SettingChange, unsetSetting } from "../engine/change_setting.ts";
import { defineOperation, type Operation } from "./define.ts";
import { requireSetting } from "./setting_path.ts";
import { settingChange } from "./setting_set.ts";

/** Takes back what `setting.set` set. */
export const settingUnset: Operation<{ path: string; save?: boolean | undefined }, SettingChange> =
  defineOperation({
    id: "setting.unset",
    summary: "Take back what was set in the running daemon.",
    description: "With `--save` the value is taken out of the user's own configuration file as well.",
    examples: [{ command: "mcpx settings unset pool.callTimeout", note: "back to files and defaults" }],
    effect: "write",
    http: { method: "DELETE", path: "/v1/settings/{path}" },
    input: z.strictObject({
      path: z.string().describe("The dotted path of a setting."),
      save: z.boolean().optional().describe("Take it out of the user's own file too."),
    }),
    output: settingChange,
    cli: {
      commands: [{ words: ["settings", "unset"], positional: ["path"] }],
      fields: { path: { completion: "setting" } },
      render: "fields",
    },
    settings: [],
    errors: ["forbidden", "unknown-setting", "invalid-config", "state-unwritable"],
    streams: false,
    admin: "Changing the daemon is for whoever runs it.",
    run: (input, { engine, caller }) =>
      unsetSetting(engine, caller, { path: requireSetting(input.path), save: input.save ?? false }),
  });
