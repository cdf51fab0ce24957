import { writeWhole } from "../../config/replace_file.ts";
import { HOSTS } from "../../config/hosts/table.ts";
import { targetFile } from "../../config/target_file.ts";
import { McpxError } from "../../errors/mod.ts";
import { clientConfig } from "../client_config.ts";
import { type CommandContext, writeAnswer } from "../context.ts";
import { hasFile, hostPlace } from "./host_place.ts";

const FIRST = `{
  // The MCP servers that mcpx starts or connects to, by name.
  "mcpServers": {
    // "files": { "command": "npx", "args": ["-y", "@modelcontextprotocol/server-filesystem", "."] },
    // "docs": { "url": "https://example.org/mcp", "headers": { "Authorization": "Bearer \${DOCS_TOKEN}" } }
  }
}
`;

/**
 * Makes a first configuration file, and says what to do next.
 *
 * @throws {McpxError} `invalid-config` when the file is there already, `state-unwritable`
 */
export async function makeFirstFile(cx: CommandContext): Promise<number> {
  const { paths } = clientConfig(cx.io);
  const owner = cx.invocation.values.get("to") === "user" ? "user" : "project";
  const path = targetFile({ files: [], owner, cwd: cx.io.cwd, configFolder: paths.config });
  if (await exists(path)) {
    throw new McpxError("invalid-config", `Cannot make ${path}: it is there already.`, {
      hint: "mcpx config --sources",
      data: { file: path },
    });
  }
  try {
    await Deno.mkdir(path.slice(0, path.lastIndexOf("/")), { recursive: true, mode: 0o700 });
    await writeWhole(path, FIRST, owner === "user" ? 0o600 : 0o644);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new McpxError("state-unwritable", `Cannot write ${path}: ${reason}.`, { cause });
  }
  const hosts = await hostsWithFiles(cx);
  const next = [
    ...(hosts.length > 0
      ? [["mcpx config import --write", `take over the servers of ${hosts.join(", ")}`]]
      : []),
    ["mcpx servers add notes -- npx -y @modelcontextprotocol/server-memory", "add one"],
    ["mcpx ls", "see what there is"],
  ];
  const width = Math.max(...next.map(([command = ""]) => command.length));
  await writeAnswer(
    cx,
    { path, hosts, next: next.map(([command]) => command) },
    `Made ${path}.\n\nNext:\n${
      next.map(([command = "", what = ""]) => `  ${command.padEnd(width)}  # ${what}\n`).join("")
    }`,
  );
  return 0;
}

async function hostsWithFiles(cx: CommandContext): Promise<string[]> {
  const place = hostPlace(cx);
  const found: string[] = [];
  for (const host of HOSTS) if (await hasFile(host, place)) found.push(host.title);
  return found;
}

async function exists(path: string): Promise<boolean> {
  return await Deno.stat(path).then(() => true, () => false);
}
