import { clientConfig } from "../client_config.ts";
import { type CommandContext, globalText, writeAnswer } from "../context.ts";
import { renderTable } from "../render/table.ts";
import { daemonFiles } from "../socket_path.ts";

/** Shows the folders that mcpx uses, and what belongs to this folder's daemon. */
export async function showPaths(cx: CommandContext): Promise<number> {
  const config = clientConfig(cx.io, globalText(cx.invocation, "config"));
  const { runtimeFallback, ...folders } = config.paths;
  const { socket, lock } = daemonFiles({ runtime: folders.runtime, key: config.key, uid: Deno.uid() });
  const daemon = {
    socket,
    lock,
    record: `${folders.state}/daemons/${config.key}.json`,
    log: `${folders.state}/logs/daemon-${config.key}.log`,
  };
  const answer = {
    ...folders,
    runtimeFallback,
    ...daemon,
    configFiles: config.files.map((file) => file.path),
  };
  const rows = [
    ...Object.entries(folders).map(([name, path]) => [
      name,
      path,
      name === "runtime" && runtimeFallback ? "XDG_RUNTIME_DIR is not set" : "",
    ]),
    ...Object.entries(daemon).map(([name, path]) => [name, path, ""]),
    ...config.files.map((file) => ["config file", file.path, file.kind]),
  ];
  await writeAnswer(
    cx,
    answer,
    renderTable(["what", "path", "note"], rows, { paint: cx.paintOut, plain: cx.plain }),
  );
  return 0;
}
