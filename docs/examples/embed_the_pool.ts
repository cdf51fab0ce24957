/**
 * Keeps connections to servers and lends them out, inside your own program.
 *
 * `deno run -A docs/examples/embed_the_pool.ts npx -y @modelcontextprotocol/server-everything`
 */
import { ConnectionPool, connectUpstream, type PooledServer, VERSION } from "../../mod.ts";

const [command = "npx", ...args] = Deno.args;

await using pool = new ConnectionPool({
  connect: connectUpstream,
  clientInfo: { name: "my-program", version: VERSION },
  limits: () => ({
    min: 0,
    max: 2,
    idleTimeoutMs: 60_000,
    startTimeoutMs: 60_000,
    callTimeoutMs: 30_000,
    probeTimeoutMs: 2_000,
    queueTimeoutMs: 10_000,
    queueMax: 100,
    stopGraceMs: 2_000,
    stderrTailBytes: 8_192,
    maxMessageBytes: 32 * 1024 ** 2,
  }),
  onEvent: ({ type, server }) => console.error(`${server}: ${type}`),
});

const server: PooledServer = {
  name: "demo",
  definition: JSON.stringify([command, args]),
  target: { kind: "stdio", command, args, env: { PATH: Deno.env.get("PATH") ?? "" } },
  protocol: "auto",
  sharing: "shared",
  scope: "global",
};

// Two callers at once share one process; a lease is given back when the function ends.
const listings = await Promise.all(
  [1, 2].map(() => pool.run(server, {}, (connection) => connection.readListing(), { idempotent: true })),
);
console.log(listings[0]?.tools.map(({ name }) => name).join(", "));
console.log(`${pool.status().length} process for ${listings.length} callers`);
