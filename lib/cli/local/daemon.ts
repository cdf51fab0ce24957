import { type CommandContext, globalText } from "../context.ts";
import { scopedSettings } from "../request_headers.ts";

/** Runs the daemon in this process; where another command started it, says on stdout when it is ready. */
export async function runDaemonHere(cx: CommandContext): Promise<number> {
  const { values, settings } = cx.invocation;
  const configFile = globalText(cx.invocation, "config");
  const handed = values.get("settingsJson");
  const unit = values.get("printUnit");
  const detached = values.get("detached") === true;
  return await cx.entries.daemon({
    settings: {
      ...(typeof handed === "string" ? JSON.parse(handed) : {}),
      ...scopedSettings(cx.manifest, settings, "daemon"),
      ...scopedSettings(cx.manifest, settings, "call"),
    },
    cwd: cx.io.cwd,
    ...(configFile === undefined ? {} : { configFile }),
    ...(unit === "systemd" || unit === "launchd" ? { printUnit: unit } : {}),
    onReady: async () => {
      if (detached) await cx.out.write("ready\n");
    },
  });
}
