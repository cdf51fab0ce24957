import { loadConfiguration } from "../../../config/load.ts";
import { listTrusted, trustPolicy } from "../../../config/trust.ts";
import type { Configuration } from "../../../config/types.ts";
import { projectOf } from "../../../engine/settings_stack.ts";
import { McpxError } from "../../../errors/mod.ts";
import {
  environmentLayer,
  looseningNotes,
  ResolvedSettings,
  SETTING_GROUPS,
  SETTINGS,
} from "../../../settings/mod.ts";
import { clientConfig } from "../../client_config.ts";
import { type CommandContext, globalText } from "../../context.ts";
import type { Check } from "./check.ts";
import { failed } from "./folders.ts";

/** Reads the configuration as the daemon does; what is wrong with it is one failure, what is only odd are warnings. */
export async function checkConfiguration(cx: CommandContext): Promise<Check[]> {
  let configuration: Configuration;
  let ignored: string[];
  try {
    const { files, paths } = clientConfig(cx.io, globalText(cx.invocation, "config"));
    if (files.length === 0) {
      return [{
        name: "configuration",
        state: "warn",
        message: "there is no configuration file, so no server",
        hint: "mcpx init, or mcpx config import --write",
      }];
    }
    configuration = await loadConfiguration({
      cwd: cx.io.cwd,
      env: folderVariables(cx),
      files,
      settingGroups: SETTING_GROUPS,
      isSetting: (path) => Object.hasOwn(SETTINGS, path),
      trust: trustPolicy(await listTrusted(paths.state)),
    });
    const settings = ResolvedSettings.from([
      {
        layer: "file",
        entries: configuration.settings.map((setting) => ({
          path: setting.path,
          value: setting.value,
          source: setting.file,
          ...projectOf(setting),
        })),
      },
      environmentLayer(ownVariables(cx)),
    ]);
    ignored = looseningNotes(settings, configuration.settings.map(({ path }) => path));
  } catch (error) {
    return [failed("configuration", McpxError.from(error))];
  }
  const count = configuration.sources.length;
  const checks: Check[] = [{
    name: "configuration",
    state: "ok",
    message: `${configuration.servers.length} servers in ${count === 1 ? "one file" : `${count} files`}`,
  }];
  checks.push(...checksOf([...configuration.notes, ...ignored]));
  const unset = missingVariables(cx, configuration);
  if (unset.length > 0) {
    checks.push({
      name: "variables",
      state: "warn",
      message: `not set here: ${unset.join(", ")}`,
      hint: `export ${unset[0]?.split(" ")[0]}=…`,
    });
  }
  return checks;
}

function checksOf(notes: readonly string[]): Check[] {
  return notes.map((note) => {
    const command = /(mcpx trust .+)$/.exec(note)?.[1];
    return {
      name: "configuration",
      state: "warn",
      message: note.replace(/ (?:If you know what it says, run|Run): mcpx trust .*$/, ""),
      ...(command === undefined ? {} : { hint: command }),
    };
  });
}

/** Variables that the files name, that are not set, and that have no default. */
function missingVariables(cx: CommandContext, { servers }: Configuration): string[] {
  const found: string[] = [];
  for (const { name, variables, target, disabled, error } of servers) {
    if (disabled || error) continue;
    const text = JSON.stringify(target);
    for (const variable of variables) {
      const hasDefault = text.includes(`\${${variable}:-`);
      if (!hasDefault && cx.io.env(variable) === undefined) found.push(`${variable} (${name})`);
    }
  }
  return found;
}

function folderVariables(cx: CommandContext): Record<string, string | undefined> {
  return Object.fromEntries(
    ["HOME", "XDG_CONFIG_HOME", "MCPX_CONFIG"].map((name) => [name, cx.io.env(name)]),
  );
}

function ownVariables(cx: CommandContext): Record<string, string | undefined> {
  return Object.fromEntries(cx.manifest.settings.map(({ env }) => [env, cx.io.env(env)]));
}
