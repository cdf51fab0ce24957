import assert from "node:assert/strict";
import { buildSandboxCommand, type SandboxCommandOptions } from "./command.ts";

const OPTIONS: SandboxCommandOptions = {
  isolation: "process",
  host: { kind: "file", path: "/app/lib/sandbox/host_entry.ts" },
  denoPath: "/usr/bin/deno",
  heapMb: 128,
  cpuSeconds: 60,
  grants: { read: [], net: [], run: [] },
  cwd: "/state/empty",
  denoDir: "/state/deno",
  os: "linux",
};

Deno.test("the profile none has no permission flag, no network for modules, and a fixed handful of variables", () => {
  const { args, env } = buildSandboxCommand(OPTIONS);
  assert.ok(!args.some((arg) => /^(-A|--allow)/.test(arg)));
  for (
    const flag of ["--no-prompt", "--no-config", "--no-lock", "--no-remote", "--no-npm", "--cached-only"]
  ) {
    assert.ok(args.includes(flag), flag);
  }
  assert.deepEqual(Object.keys(env).sort(), [
    "DENO_DIR",
    "DENO_NO_UPDATE_CHECK",
    "MALLOC_ARENA_MAX",
    "NO_COLOR",
    "PATH",
  ]);
});

Deno.test("a profile has exactly its flags, commas in paths doubled", () => {
  const grants = { read: ["/a,b"], net: ["example.org:443"], run: ["/bin/echo"], write: "/scratch" };
  const { args } = buildSandboxCommand({ ...OPTIONS, grants });
  assert.deepEqual(args.filter((arg) => arg.startsWith("--allow")), [
    "--allow-read=/a,,b,/scratch",
    "--allow-write=/scratch",
    "--allow-net=example.org:443",
    "--allow-run=/bin/echo",
  ]);
});

Deno.test("the system's limits come first and are the same for every way to start", () => {
  const { args } = buildSandboxCommand({
    ...OPTIONS,
    heapMb: 256,
    cpuSeconds: 1.5,
    host: { kind: "self", command: ["/opt/mcpx", "__sandbox"] },
    setpriv: "/usr/bin/setpriv",
  });
  assert.equal(args[1], 'ulimit -c 0; ulimit -S -t 3; ulimit -H -t 5; ulimit -d 1531072; exec "$@"');
  assert.deepEqual(args.slice(3), [
    "/usr/bin/setpriv",
    "--pdeathsig",
    "KILL",
    "--no-new-privs",
    "--",
    "/opt/mcpx",
    "__sandbox",
  ]);
});

Deno.test("bubblewrap shares the network and binds folders only where they are granted", () => {
  const walled = { ...OPTIONS, isolation: "bwrap", bwrap: "/usr/bin/bwrap" } as const;
  const none = buildSandboxCommand(walled).args;
  assert.ok(none.includes("--unshare-all") && none.includes("--clearenv"));
  assert.ok(!none.includes("--share-net") && !none.includes("/home/me"));
  const grants = { read: ["/home/me"], net: ["a"], run: [], write: "/scratch" };
  const granted = buildSandboxCommand({ ...walled, grants, cwd: "/scratch" }).args.join(" ");
  assert.match(granted, /--share-net.*--ro-bind \/home\/me \/home\/me.*--bind \/scratch \/scratch/);
});
