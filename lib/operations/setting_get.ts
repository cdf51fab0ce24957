import { z } from "zod";
import { type Clamp, LAYERS, type Provenance, type SettingPath } from "../settings/mod.ts";
import { defineOperation, type Operation } from "./define.ts";
import { requireSetting } from "./setting_path.ts";

const origin = { text: z.string(), layer: z.enum(LAYERS), source: z.string() };

/** The schema of {@link Clamp}. */
export const clamp: z.ZodType<Clamp> = z.object({
  setting: z.string(),
  value: z.string(),
  requested: z.string(),
  ...origin,
});

/** The schema of {@link Provenance}. */
export const provenance: z.ZodType<Provenance> = z.object({
  path: z.string() as unknown as z.ZodType<SettingPath>,
  value: z.unknown(),
  ...origin,
  displaced: z.array(z.object(origin)),
  clampedBy: clamp.optional(),
  notes: z.array(z.string()).optional(),
});

/** Shows one setting. */
export const settingGet: Operation<{ path: string }, Provenance> = defineOperation({
  id: "setting.get",
  summary: "Show a setting's value, where it came from, and what it displaced.",
  examples: [{ command: "mcpx settings get pool.callTimeout", note: "one setting" }],
  effect: "read",
  http: { method: "GET", path: "/v1/settings/{path}" },
  input: z.strictObject({ path: z.string().describe("The dotted path of a setting.") }),
  output: provenance,
  cli: {
    commands: [{ words: ["settings", "get"], positional: ["path"] }],
    fields: { path: { completion: "setting" } },
    render: "fields",
  },
  settings: [],
  errors: ["unknown-setting"],
  streams: false,
  run: (input, { caller }) => Promise.resolve(caller.settings.explain(requireSetting(input.path))),
});
