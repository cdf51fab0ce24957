import { clientConfig } from "../client_config.ts";
import { type CommandContext, globalText, writeAnswer } from "../context.ts";
import { renderTable } from "../render/table.ts";
import { knownDaemons } from "./daemon_records.ts";

/** Lists the daemons of this user; the one of this folder's configuration is marked. */
export async function showDaemons(cx: CommandContext): Promise<number> {
  const config = clientConfig(cx.io, globalText(cx.invocation, "config"));
  const daemons = await knownDaemons(config.paths.state);
  const rows = daemons.map((daemon) => [
    daemon.key === config.key ? "*" : "",
    daemon.alive ? "alive" : "gone",
    String(daemon.pid),
    daemon.version,
    daemon.startedAt,
    daemon.url ?? "",
    daemon.configFiles.join(", "),
  ]);
  const columns = ["here", "state", "pid", "version", "started", "url", "files"];
  const table = renderTable(columns, rows, {
    paint: cx.paintOut,
    plain: cx.plain,
    ...(cx.io.isTerminal.stdout ? { width: cx.io.columns() } : {}),
  });
  const answer = { daemons: daemons.map((daemon) => ({ ...daemon, here: daemon.key === config.key })) };
  await writeAnswer(cx, answer, table === "" ? "No daemon is running.\n" : table);
  return 0;
}
