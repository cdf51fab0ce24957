import { z } from "zod";
import type { PortableServer } from "../config/hosts/types.ts";
import { unreachable } from "../config/reachable.ts";
import { addServer, type ConfigurationChange } from "../engine/edit_configuration.ts";
import { McpxError } from "../errors/mod.ts";
import { defineOperation, type Operation } from "./define.ts";

/** What a server is added with. */
export interface ServerAddInput {
  name: string;
  command?: string[] | undefined;
  url?: string | undefined;
  env?: string[] | undefined;
  header?: string[] | undefined;
  transport?: "http" | "sse" | "auto" | undefined;
  to?: "project" | "user" | undefined;
  replace?: boolean | undefined;
}

/** The schema of {@link ConfigurationChange}. */
export const configurationChange: z.ZodType<ConfigurationChange> = z.object({
  path: z.string(),
  created: z.boolean(),
  backup: z.string().optional(),
  reloaded: z.boolean(),
}) as unknown as z.ZodType<ConfigurationChange>;

/** Writes a server into a configuration file. */
export const serverAdd: Operation<ServerAddInput, ConfigurationChange> = defineOperation({
  id: "server.add",
  summary: "Add a server to a configuration file.",
  description:
    "The command and its arguments stand after `--`. Without `--to` the nearest file of mcpx's own is changed, or the " +
    "user's is made; comments in it stay, and the old content is kept beside it. Write `${NAME}` for a secret: it is " +
    "taken from the environment of whoever calls.",
  examples: [
    { command: "mcpx servers add notes -- npx -y @modelcontextprotocol/server-memory", note: "a program" },
    {
      command:
        "mcpx servers add docs --url https://example.org/mcp --header 'Authorization: Bearer ${DOCS_TOKEN}'",
      note: "an address",
    },
  ],
  effect: "write",
  http: { method: "POST", path: "/v1/config/servers" },
  input: z.strictObject({
    name: z.string().min(1).describe("The server's name."),
    command: z.array(z.string()).optional().describe("The program and its arguments."),
    url: z.string().optional().describe("The address of a remote server."),
    env: z.array(z.string()).optional().describe("A variable of the program, as NAME=value."),
    header: z.array(z.string()).optional().describe("A header of the requests, as Name: value."),
    transport: z.enum(["http", "sse", "auto"]).optional().describe("How the address is spoken to."),
    to: z.enum(["project", "user"]).optional().describe("Whose file it is written into."),
    replace: z.boolean().optional().describe("Replace a server of that name."),
  }),
  output: configurationChange,
  cli: {
    commands: [{ words: ["servers", "add"], positional: ["name", "command"], rest: true, rank: 45 }],
    render: "fields",
  },
  settings: [],
  errors: ["forbidden", "invalid-input", "invalid-config", "state-unwritable"],
  streams: false,
  admin: "Adding a server runs a command of the caller's choice on this machine.",
  run: (input, { engine, caller }) =>
    addServer(engine, caller, {
      name: input.name,
      entry: entryOf(input),
      to: input.to,
      replace: input.replace,
    }),
});

function entryOf({ name, command, url, env, header, transport }: ServerAddInput): PortableServer {
  const [program, ...args] = command ?? [];
  if ((program === undefined) === (url === undefined)) {
    throw new McpxError("invalid-input", `Cannot add ${name}: it needs either a command or --url.`, {
      hint: `mcpx servers add ${name} -- npx -y some-server`,
      data: { field: "command" },
    });
  }
  const fault = unreachable(url === undefined ? { command: program ?? "" } : { url });
  if (fault) {
    throw new McpxError("invalid-input", `Cannot add ${name}: ${fault.what}.`, {
      hint: fault.instead === undefined
        ? fault.what.includes("password")
          ? `mcpx servers add ${name} --url https://… --header 'Authorization: Bearer \${TOKEN}'`
          : `mcpx servers add ${name} -- npx -y some-server   or   mcpx servers add ${name} --url https://…`
        : `mcpx servers add ${name} ${fault.instead}`,
      data: { field: fault.field },
    });
  }
  if (url !== undefined) {
    if (env) throw new McpxError("invalid-input", `Cannot add ${name}: a remote server has no env.`);
    const headers = Object.fromEntries(
      (header ?? []).map((line) => pair(line, /^([^:\s]+):\s*(.*)$/s, "header")),
    );
    return { url, ...(transport ? { transport } : {}), ...(header ? { headers } : {}) };
  }
  if (header || transport) {
    throw new McpxError(
      "invalid-input",
      `Cannot add ${name}: a program has no ${header ? "headers" : "transport"}.`,
    );
  }
  const variables = Object.fromEntries((env ?? []).map((line) => pair(line, /^(\w+)=(.*)$/s, "env")));
  return {
    command: program ?? "",
    ...(args.length > 0 ? { args } : {}),
    ...(env ? { env: variables } : {}),
  };
}

function pair(text: string, shape: RegExp, field: string): [string, string] {
  const found = shape.exec(text);
  if (found) return [found[1] ?? "", found[2] ?? ""];
  const wanted = field === "env" ? "NAME=value" : "Name: value";
  throw new McpxError(
    "invalid-input",
    `Cannot read --${field} ${JSON.stringify(text)}: it is not ${wanted}.`,
    {
      data: { field },
    },
  );
}
