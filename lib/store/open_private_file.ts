import { McpxError } from "../errors/mod.ts";

/**
 * Opens a file that only its owner may read, and makes it where there is none.
 *
 * @param path the file; its folder is there
 * @param options.append whether what is written goes to its end
 * @throws {McpxError} `state-unwritable`
 */
export async function openPrivateFile(
  path: string,
  options: { append?: boolean } = {},
): Promise<Deno.FsFile> {
  const how = options.append ? { append: true } : { write: true };
  try {
    return await Deno.open(path, { create: true, mode: 0o600, ...how });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new McpxError("state-unwritable", `Cannot open ${path}: ${reason}.`, {
      hint: "Check free space and permissions, or set XDG_STATE_HOME and XDG_RUNTIME_DIR to another place.",
      data: { path },
      cause,
    });
  }
}
