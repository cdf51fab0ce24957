import { z } from "zod";
import type { PlannedCall } from "../engine/scripts/dry_run.ts";
import type { PermissionReport } from "../engine/scripts/permissions.ts";
import type { SettingPath } from "../settings/mod.ts";
import { clamp } from "./setting_get.ts";
import { jsonObject } from "./shapes.ts";

/** How a script is run, whichever operation runs it. */
export interface RunInput {
  profile?: string | undefined;
  allowRead?: string[] | undefined;
  allowNet?: string[] | undefined;
  allowEnv?: string[] | undefined;
  allowRun?: string[] | undefined;
  allowWrite?: boolean | undefined;
  dryRun?: boolean | undefined;
  approve?: boolean | undefined;
  typecheck?: boolean | undefined;
}

/** What a document says of a run's permissions, and of what it would have done. */
export interface RunOutput {
  permissions?: PermissionReport | undefined;
  planned?: PlannedCall[] | undefined;
}

const names = z.array(z.string()).optional();

/** The schema of {@link RunInput}. */
export const runFields = {
  profile: z.string().optional()
    .describe(
      "What it may do beside calling tools: none, read, net, read-net or write; default script.profile.",
    ),
  allowRead: names.describe("Files and folders that it may read, commas between them."),
  allowNet: names.describe("Hosts that it may fetch from, such as api.example.org or 127.0.0.1:8080."),
  allowEnv: names.describe("Names of environment variables that it sees."),
  allowRun: names.describe("Commands that it may run. What they do is bounded by nothing."),
  allowWrite: z.boolean().optional()
    .describe("A scratch folder that it may write: `args.scratch`, gone when it ends."),
  dryRun: z.boolean().optional()
    .describe(
      "Make the calls that only read; say which others would be made, and answer them with stand-ins.",
    ),
  approve: z.boolean().optional().describe("Show what a dry run would do, and run it after a yes."),
  typecheck: z.boolean().optional().describe("Check it against the tools' types before it runs."),
};

const granted = z.object({
  read: z.array(z.string()).optional(),
  net: z.array(z.string()).optional(),
  env: z.array(z.string()).optional(),
  run: z.array(z.string()).optional(),
  write: z.boolean().optional(),
});

/** The schema of {@link RunOutput}. */
export const runOutputFields = {
  permissions: (z.object({ requested: z.string(), granted, clampedBy: clamp.optional() }) as z.ZodType<
    PermissionReport
  >).optional().describe("What it was allowed, where it asked for something."),
  planned: (z.array(z.object({ tool: z.string(), arguments: jsonObject })) as z.ZodType<PlannedCall[]>)
    .optional().describe("The calls that a dry run did not make."),
};

/** The settings that a run reads beside those of its calls. */
export const RUN_SETTINGS: readonly SettingPath[] = [
  "exec.maxArtifacts",
  "exec.maxScratch",
  "exec.maxRuns",
  "exec.heap",
  "exec.prewarm",
  "hooks.autonomy",
  "script.before",
  "script.onSuccess",
  "script.onError",
  "script.profile",
  "script.hosts",
  "script.permissionsMax",
  "script.permissionsMaxAgent",
  "script.isolation",
];
