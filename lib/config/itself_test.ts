import assert from "node:assert/strict";
import { isMcpxItself } from "./itself.ts";

Deno.test("mcpx is recognised however it is started as a server", () => {
  const own: string[][] = [
    ["mcpx", "serve"],
    ["/usr/local/bin/mcpx", "--config", "serve"],
    ["mcpx", "--config", "x.json", "--no-color", "serve"],
    ["mcpx.exe", "-v", "serve"],
    ["./dist/mcpx-x86_64-unknown-linux-gnu", "serve"],
    ["deno", "run", "-A", "cli.ts", "serve"],
    ["/usr/bin/deno", "run", "--allow-all", "/opt/mcpx/cli.ts", "serve", "--mode", "code"],
    ["deno", "run", "-A", new URL("../../cli.ts", import.meta.url).pathname, "serve"],
    ["deno", "run", "-A", "jsr:@mcpx/mcpx/cli", "serve"],
    ["npx", "-y", "mcpx", "serve"],
    ["npx", "@mcpx/mcpx@0.1.0", "serve"],
    ["bunx", "mcpx@latest", "serve"],
    ["sh", "-c", "exec mcpx serve"],
    ["env", "A=1", "mcpx", "serve"],
  ];
  for (const [command = "", ...args] of own) {
    assert.ok(isMcpxItself(command, args), `${command} ${args.join(" ")}`);
  }
});

Deno.test("other servers are not taken for mcpx", () => {
  const others: string[][] = [
    ["mcpx", "call", "serve"],
    ["npx", "mcpx-server-demo", "serve"],
    ["npx", "@other/mcpx", "serve"],
    ["deno", "run", "-A", "/opt/tool/cli.ts", "serve"],
    ["node", "cli.ts", "serve"],
    ["serve", "mcpx"],
    ["python", "-m", "demo", "--name", "mcpx"],
  ];
  for (const [command = "", ...args] of others) {
    assert.ok(!isMcpxItself(command, args), `${command} ${args.join(" ")}`);
  }
});
