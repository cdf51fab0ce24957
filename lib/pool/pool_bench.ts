import { ConnectionPool } from "./connection_pool.ts";
import { FakeUpstream, LIMITS, server } from "./testdata/fakes.ts";

const pool = new ConnectionPool({
  connect: new FakeUpstream().connect,
  limits: () => ({ ...LIMITS, idleTimeoutMs: Infinity, max: 64 }),
  clientInfo: { name: "bench", version: "0" },
});
const shared = server();
const exclusive = server({ name: "exclusive", sharing: "exclusive" });
const bySession = server({ name: "sessions", scope: "session" });
for (let i = 0; i < 50; i++) await (await pool.lease(bySession, { session: `s${i}` })).release();

Deno.bench("a promise that is awaited, for scale", { baseline: true }, async () => {
  await Promise.resolve();
});

Deno.bench("lease and release of a warm shared instance", async () => {
  const lease = await pool.lease(shared, {});
  lease.release();
});

Deno.bench("lease and release of a warm exclusive instance", async () => {
  const lease = await pool.lease(exclusive, {});
  lease.release();
});

Deno.bench("lease and release of one of 50 sessions", async () => {
  const lease = await pool.lease(bySession, { session: "s25" });
  lease.release();
});

Deno.bench("64 calls at once on an exclusive instance", async () => {
  await Promise.all(Array.from({ length: 64 }, () => pool.run(exclusive, {}, () => Promise.resolve())));
});
