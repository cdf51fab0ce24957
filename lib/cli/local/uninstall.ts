import { HOSTS } from "../../config/hosts/table.ts";
import { McpxError } from "../../errors/mod.ts";
import { clientConfig } from "../client_config.ts";
import { type CommandContext, writeAnswer, writeNote } from "../context.ts";
import { Interrupt } from "../interrupt.ts";
import { confirm } from "./confirm.ts";
import { hostPlace } from "./host_place.ts";
import { applyChanges, type HostChange, hostOf, isMcpxEntry, readIfThere } from "./install.ts";
import { stopAll } from "./stop.ts";

/**
 * Takes mcpx out of other hosts' files, or with `--purge` its state off this machine.
 *
 * @throws {McpxError} `not-confirmed`, `invalid-config`, `state-unwritable`
 */
export async function uninstall(cx: CommandContext): Promise<number> {
  const named = cx.invocation.values.has("host");
  if (cx.invocation.values.get("purge") === true) {
    if (named) {
      throw new McpxError("usage", "Cannot use --purge with a host.", { hint: "mcpx uninstall --purge" });
    }
    return await purge(cx);
  }
  const place = hostPlace(cx);
  const changes: HostChange[] = [];
  for (const host of named ? [hostOf(cx)] : HOSTS) {
    for (const { path } of host.files(place)) {
      const before = await readIfThere(path);
      if (before === undefined) continue;
      try {
        const own = host.parse(before, path, place).filter(({ entry }) => isMcpxEntry(entry)).map((
          { name },
        ) => name);
        if (own.length === 0) continue;
        const after = host.render(before, Object.fromEntries(own.map((name) => [name, undefined])));
        changes.push({ host: host.id, path, before, after });
      } catch (error) {
        await writeNote(cx, McpxError.from(error).message);
      }
    }
  }
  const words = named ? ` ${hostOf(cx).id}` : "";
  return await applyChanges(cx, changes, {
    question: "Take mcpx out of these files?",
    again: `mcpx uninstall${words} --yes`,
    done: () => "",
  });
}

async function purge(cx: CommandContext): Promise<number> {
  const { paths } = clientConfig(cx.io);
  const folders = [...new Set([paths.state, paths.cache, paths.data, paths.runtime])];
  const there: string[] = [];
  for (const folder of folders) if (await Deno.stat(folder).then(() => true, () => false)) there.push(folder);
  const plan = there.map((folder) => `Remove ${folder}\n`).join("");
  if (there.length === 0) {
    await writeAnswer(cx, { removed: [] }, "Nothing to remove.\n");
    return 0;
  }
  if (cx.invocation.values.get("dryRun") === true) {
    await writeAnswer(cx, { planned: there }, `Stop every daemon\n${plan}`);
    return 0;
  }
  if (!cx.quiet) await cx.err.write(`Stop every daemon\n${plan}`);
  if (!await confirm(cx, "Stop mcpx and remove all of this?", "mcpx uninstall --purge --yes")) {
    await writeNote(cx, "Nothing was changed.");
    return 1;
  }
  using interrupt = new Interrupt(cx.io);
  const left = (await stopAll(paths.state, "{}", interrupt.signal)).filter(({ stopped }) => !stopped);
  if (left.length > 0) {
    const pids = left.map(({ pid }) => pid).join(", ");
    throw new McpxError("daemon-unreachable", `Cannot remove mcpx: a daemon does not stop (pid ${pids}).`, {
      hint: "mcpx daemons",
    });
  }
  const removed: string[] = [];
  for (const folder of there) {
    await Deno.remove(folder, { recursive: true }).catch((error: unknown) => {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    });
    removed.push(folder);
  }
  await writeAnswer(
    cx,
    { removed, kept: paths.config },
    `${removed.map((folder) => `Removed ${folder}.\n`).join("")}` +
      `Your configuration, scripts and recipes in ${paths.config} are kept. ` +
      "mcpx uninstall takes it out of other hosts' files.\n",
  );
  return 0;
}
