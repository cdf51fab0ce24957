// A small MCP server over stdio. Arguments: `--fail TEXT` writes TEXT to stderr and exits with 3;
// `--pid FILE` notes its process id there, and remembers whether the process noted before it lives still.
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import process from "node:process";
import { createInterface } from "node:readline";

const option = (name) => {
  const at = process.argv.indexOf(name);
  return at < 0 ? undefined : process.argv[at + 1];
};

const failure = option("--fail");
if (failure !== undefined) {
  process.stderr.write(`${failure}\n`);
  process.exit(3);
}

const lives = (pid) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

const pidFile = option("--pid");
let besideEarlier = false;
if (pidFile !== undefined) {
  besideEarlier = existsSync(pidFile) && lives(Number(readFileSync(pidFile, "utf8")));
  writeFileSync(pidFile, String(process.pid));
}

const tools = {
  pid: () => process.pid,
  env: () => process.env,
  beside: () => besideEarlier,
  // Leaves its mark, and dies before it can answer.
  mark_and_die: ({ file }) => {
    appendFileSync(file, "x");
    process.kill(process.pid, "SIGKILL");
  },
};

const methods = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    serverInfo: { name: "small", version: "1" },
    capabilities: { tools: {} },
  }),
  "tools/list": () => ({
    tools: Object.keys(tools).map((name) => ({ name, inputSchema: { type: "object" } })),
  }),
  "tools/call": ({ name, arguments: args }) => ({
    content: [{ type: "text", text: JSON.stringify(tools[name](args)) }],
  }),
};

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const handle = methods[method];
  const answer = handle
    ? { result: handle(params ?? {}) }
    : { error: { code: -32601, message: `no method ${method}` } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...answer })}\n`);
});
