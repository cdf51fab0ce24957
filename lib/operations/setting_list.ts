import { z } from "zod";
import { type Provenance, type SettingPath, SETTINGS } from "../settings/mod.ts";
import { defineOperation, type Operation } from "./define.ts";
import { provenance } from "./setting_get.ts";

/** Lists every setting with its value. */
export const settingList: Operation<Record<never, never>, { settings: Provenance[] }> = defineOperation({
  id: "setting.list",
  summary: "List every setting, its value and where that came from.",
  examples: [{ command: "mcpx settings list", note: "all of them" }],
  effect: "read",
  http: { method: "GET", path: "/v1/settings" },
  input: z.strictObject({}),
  output: z.object({ settings: z.array(provenance) }),
  cli: { commands: [{ words: ["settings", "list"] }], render: "table:settings:path,text,layer,source" },
  settings: [],
  errors: [],
  streams: false,
  run: (_input, { caller }) =>
    Promise.resolve({
      settings: (Object.keys(SETTINGS) as SettingPath[]).map((path) => caller.settings.explain(path)),
    }),
});
