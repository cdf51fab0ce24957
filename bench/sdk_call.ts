import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

const client = new Client({ name: "bench", version: "1" });
await client.connect(
  new StdioClientTransport({ command: "node", args: [Deno.args[0] ?? ""], stderr: "ignore" }),
);
await client.callTool({ name: "echo", arguments: { message: "hello" } });
Deno.exit(0);
