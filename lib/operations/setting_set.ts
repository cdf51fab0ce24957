import { z } from "zod";
import { setSetting, type SettingChange } from "../engine/change_setting.ts";
import { defineOperation, type Operation } from "./define.ts";
import { provenance } from "./setting_get.ts";
import { requireSetting } from "./setting_path.ts";

/** The schema of {@link SettingChange}. */
export const settingChange: z.ZodType<SettingChange> = z.object({
  setting: provenance,
  restartRequired: z.boolean(),
  file: z.string().optional(),
  saved: z.string().optional(),
  notes: z.array(z.string()).optional(),
});

/** Sets a setting in the running daemon. */
export const settingSet: Operation<
  { path: string; value: string; save?: boolean | undefined },
  SettingChange
> = defineOperation({
  id: "setting.set",
  summary: "Set a setting in the running daemon, until it stops, or for good.",
  description:
    "A hot setting takes effect at once; for the others the answer says that a restart is needed. With `--save` the value " +
    "is written into the user's own configuration file.",
  examples: [
    { command: "mcpx settings set pool.callTimeout 30s", note: "for this daemon" },
    { command: "mcpx settings set search.limit 20 --save", note: "for good" },
  ],
  effect: "write",
  http: { method: "POST", path: "/v1/settings/{path}" },
  input: z.strictObject({
    path: z.string().describe("The dotted path of a setting."),
    value: z.string().describe("The value, as written in a file."),
    save: z.boolean().optional().describe("Write it into the user's own file."),
  }),
  output: settingChange,
  cli: {
    commands: [{ words: ["settings", "set"], positional: ["path", "value"] }],
    fields: { path: { completion: "setting" }, value: { completion: "settingValue" } },
    render: "fields",
  },
  settings: [],
  errors: [
    "forbidden",
    "unknown-setting",
    "invalid-input",
    "setting-scope",
    "invalid-config",
    "state-unwritable",
  ],
  streams: false,
  admin: "Changing the daemon is for whoever runs it.",
  run: (input, { engine, caller }) =>
    setSetting(engine, caller, {
      path: requireSetting(input.path),
      value: input.value,
      save: input.save ?? false,
    }),
});
