import { clientConfig } from "../client_config.ts";
import { type CommandContext, globalText, writeAnswer, writeNote } from "../context.ts";

/** Prints the paths of the configuration files in use, nearest first; no daemon is asked. */
export async function showConfigPaths(cx: CommandContext): Promise<number> {
  const { files, paths } = clientConfig(cx.io, globalText(cx.invocation, "config"));
  const list = files.map((file) => file.path);
  if (list.length === 0) {
    await writeNote(
      cx,
      `There is no configuration file; the user's own would be ${paths.config}/config.json.`,
    );
  }
  for (const { path, stranger } of files) {
    if (stranger !== undefined) {
      await writeNote(
        cx,
        `${path} counts only while its content is trusted: ${stranger}. mcpx trust ${path}`,
      );
    }
  }
  await writeAnswer(cx, { paths: list }, list.map((path) => path + "\n").join(""));
  return 0;
}
