import type { Manifest, ManifestInput, ManifestOperation } from "./manifest_types.ts";

/** A small manifest by hand, so that the command line's tests do not change with the operations. */

function input(name: string, kind: ManifestInput["kind"], rest: Partial<ManifestInput> = {}): ManifestInput {
  return { name, kind, required: false, help: `The ${name}.`, in: "body", ...rest };
}

function operation(id: string, words: string, rest: Partial<ManifestOperation>): ManifestOperation {
  return {
    id,
    words: words.split(" "),
    aliases: [],
    summary: `Do ${id}.`,
    description: `Does ${id}, at length.`,
    examples: [{ command: `mcpx ${words}`, note: "an example" }],
    inputs: [],
    settings: [],
    errors: [],
    effect: "read",
    method: "POST",
    path: `/v1/${id}`,
    streams: false,
    render: "auto",
    ...rest,
  };
}

const TOOL = input("tool", "string", { required: true, positional: 0, completion: "tool" });

export const SAMPLE: Manifest = {
  version: "1.2.3",
  operations: [
    operation("call", "call", {
      inputs: [TOOL, input("arguments", "pairs", { positional: 1, rest: true, completion: "argument" })],
      effect: "destructive",
      streams: true,
      render: "result",
      rank: 1,
      settings: ["pool.callTimeout"],
    }),
    operation("exec", "exec", {
      inputs: [
        input("code", "string", { required: true, positional: 0, reads: "stdin" }),
        input("args", "pairs", { positional: 1, rest: true }),
        input("dryRun", "boolean", { short: "n", conflicts: ["approve"] }),
        input("approve", "boolean"),
        input("profile", "enum", { enum: ["none", "read", "net"] }),
      ],
      streams: true,
      render: "run",
      rank: 2,
      settings: ["exec.timeout"],
    }),
    operation("exec", "run", {
      inputs: [
        input("script", "string", { required: true, positional: 0, reads: "script" }),
        input("args", "pairs", { positional: 1, rest: true }),
      ],
      streams: true,
      render: "run",
    }),
    operation("server.list", "ls", {
      method: "GET",
      path: "/v1/servers",
      render: "table:servers:namespace,state",
    }),
    operation("tool.list", "tools", {
      method: "GET",
      path: "/v1/tools",
      render: "table:tools:name,description",
      inputs: [
        input("namespace", "string", { positional: 0, in: "query", completion: "namespace" }),
        input("cached", "boolean", { in: "query" }),
      ],
    }),
    operation("search", "search", {
      method: "GET",
      render: "table:tools:name",
      inputs: [
        input("query", "string", { required: true, positional: 0, rest: true, in: "query" }),
        input("limit", "integer", { short: "l", in: "query" }),
      ],
    }),
    operation("recipe.run", "recipes run", {
      aliases: ["recipe run"],
      path: "/v1/recipes/{name}/run",
      render: "run",
      inputs: [
        input("name", "string", { required: true, positional: 0, in: "path" }),
        input("arguments", "pairs", { positional: 1, rest: true }),
        input("tag", "string[]"),
        input("options", "json"),
      ],
    }),
    operation("recipe.list", "recipes list", { method: "GET", path: "/v1/recipes" }),
    operation("status", "status", {
      method: "GET",
      path: "/v1/status",
      daemon: "existing",
      render: "fields",
    }),
    operation("stop", "stop", { daemon: "existing", render: "fields" }),
    operation("config", "config", {
      method: "GET",
      path: "/v1/config",
      render: "table:sources:path,kind,servers",
    }),
  ],
  settings: [
    setting("exec.timeout", "duration", "120s", "call"),
    setting("diagnose.preflight", "bool", "true", "call"),
    setting("serve.mode", "list", "code", "call", ["code", "full", "passthrough"]),
    setting("repair.autonomy", "enum", "advise", "call", ["off", "advise", "run"]),
    setting("pool.callTimeout", "duration", "60s", "call"),
    setting("http.listen", "string", "", "daemon"),
    setting("daemon.endpoint", "string", "", "client"),
    setting("daemon.token", "string", "", "client"),
    setting("daemon.inline", "bool", "false", "client"),
    setting("daemon.startTimeout", "duration", "20s", "client"),
  ],
  exits: [{ status: 0, meaning: "done" }, { status: 2, meaning: "usage" }],
};

function setting(
  path: string,
  kind: Manifest["settings"][number]["kind"],
  value: string,
  scope: Manifest["settings"][number]["scope"],
  values?: readonly string[],
): Manifest["settings"][number] {
  const words = path.split(".").flatMap((part) => part.match(/[A-Z]?[a-z]+/g) ?? []);
  return {
    path,
    kind,
    default: value,
    scope,
    hot: true,
    help: `What ${path} does.`,
    flag: words.join("-").toLowerCase(),
    env: `MCPX_${words.join("_").toUpperCase()}`,
    ...(values ? { enum: values } : {}),
  };
}
