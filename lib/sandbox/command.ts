import type { SandboxLayer, ScriptGrants } from "./types.ts";

/** How strongly a sandbox process is walled in: by itself, or inside bubblewrap as well. */
export type SandboxIsolation = "process" | "bwrap";

/** What starts the host: its own file under `deno run`, or mcpx itself with a hidden argument (the compiled binary). */
export type SandboxHost =
  | { kind: "file"; path: string }
  | { kind: "self"; command: readonly [string, ...string[]] };

/** What {@link buildSandboxCommand} needs to know. */
export interface SandboxCommandOptions {
  isolation: SandboxIsolation;
  host: SandboxHost;
  /** The `deno` that runs the host file. */
  denoPath: string;
  /** Heap of one sandbox, MB. */
  heapMb: number;
  /** CPU seconds after which the operating system ends the process. */
  cpuSeconds: number;
  grants: Omit<ScriptGrants, "env">;
  /** The working folder: empty, or the run's scratch folder. */
  cwd: string;
  /** A private folder for Deno's caches. */
  denoDir: string;
  /** Path of `setpriv`, where there is one. */
  setpriv?: string;
  /** Path of `bwrap`; needed for the isolation of that name. */
  bwrap?: string;
  /** The time zone that scripts see. */
  timeZone?: string;
  os: "linux" | "darwin" | "other";
  /** Layers that tests leave out. */
  without?: readonly SandboxLayer[];
}

/** A command with everything that it sees. */
export interface SandboxCommand {
  command: string;
  args: string[];
  env: Record<string, string>;
  cwd: string;
}

/**
 * Data segment (KiB) of a process whose heap is the default one. A worker inside needs 1,200,000 to start at all; with this the heap limit is
 * met before it, and buffers, which the heap limit does not count, end at about 350 MB.
 */
const BASE_DATA_KIB = 1_400_000;
const BASE_HEAP_MB = 128;
/** CPU seconds that starting takes and that are not the script's. */
const START_CPU_SECONDS = 1;

/**
 * Builds the command of one sandbox process: limits of the operating system, then the parent's death signal, then bubblewrap where asked for,
 * then Deno with exactly the flags of the profile, none for `none`.
 *
 * @param options what is known about the machine and the run
 *
 * @example
 * ```ts
 * import { buildSandboxCommand } from "./command.ts";
 * const { args } = buildSandboxCommand({
 *   isolation: "process", host: { kind: "file", path: "/host.ts" }, denoPath: "/usr/bin/deno", heapMb: 128, cpuSeconds: 60,
 *   grants: { read: [], net: [], run: [] }, cwd: "/empty", denoDir: "/cache", os: "linux",
 * });
 * console.assert(!args.some((arg) => arg.startsWith("--allow")));
 * ```
 */
export function buildSandboxCommand(options: SandboxCommandOptions): SandboxCommand {
  const { cwd, denoDir, timeZone } = options;
  const env: Record<string, string> = {
    PATH: "/usr/bin:/bin",
    DENO_DIR: denoDir,
    DENO_NO_UPDATE_CHECK: "1",
    NO_COLOR: "1",
    MALLOC_ARENA_MAX: "1", // an arena per thread costs an idle sandbox 2 MB
  };
  if (timeZone !== undefined) env.TZ = timeZone;
  const inner = [...parentDeath(options), ...bubblewrap(options, env), ...hostCommand(options)];
  return { command: "/bin/sh", args: ["-c", limits(options), "mcpx-sandbox", ...inner], env, cwd };
}

function limits({ cpuSeconds, heapMb, os, without = [] }: SandboxCommandOptions): string {
  if (without.includes("system")) return 'exec "$@"';
  const soft = Math.ceil(cpuSeconds) + START_CPU_SECONDS;
  const data = BASE_DATA_KIB + Math.max(0, heapMb - BASE_HEAP_MB) * 1024;
  return [
    "ulimit -c 0",
    `ulimit -S -t ${soft}`, // the soft limit sends SIGXCPU, which names the reason; the hard one kills
    `ulimit -H -t ${soft + 2}`,
    ...(os === "linux" ? [`ulimit -d ${data}`] : []),
    'exec "$@"',
  ].join("; ");
}

function parentDeath({ setpriv }: SandboxCommandOptions): string[] {
  return setpriv === undefined ? [] : [setpriv, "--pdeathsig", "KILL", "--no-new-privs", "--"];
}

function hostCommand(options: SandboxCommandOptions): string[] {
  const { host, denoPath, heapMb, without = [] } = options;
  if (host.kind === "self") return [...host.command];
  const v8 = [
    ...(without.includes("system") ? [] : [`--max-old-space-size=${heapMb}`]),
    ...(without.includes("realm") ? [] : ["--disallow-code-generation-from-strings"]),
  ];
  return [
    denoPath,
    "run",
    "--quiet",
    "--no-prompt",
    "--no-config",
    "--no-lock",
    "--no-remote",
    "--no-npm",
    "--cached-only",
    "--no-check",
    "--unstable-worker-options",
    ...(v8.length > 0 ? [`--v8-flags=${v8.join(",")}`] : []),
    ...(without.includes("process") ? ["--allow-all"] : permissionFlags(options.grants)),
    host.path,
  ];
}

/** Exactly the flags of a profile: no flag at all for `none`. */
export function permissionFlags({ read, net, run, write }: Omit<ScriptGrants, "env">): string[] {
  const readable = write === undefined ? read : [...read, write];
  return [
    ...(readable.length > 0 ? [`--allow-read=${readable.map(escapeComma).join(",")}`] : []),
    ...(write === undefined ? [] : [`--allow-write=${escapeComma(write)}`]),
    ...(net.length > 0 ? [`--allow-net=${net.join(",")}`] : []),
    ...(run.length > 0 ? [`--allow-run=${run.join(",")}`] : []),
  ];
}

/** A comma in a path is written twice in Deno's lists. */
function escapeComma(path: string): string {
  return path.replaceAll(",", ",,");
}

function bubblewrap(options: SandboxCommandOptions, env: Record<string, string>): string[] {
  const { isolation, bwrap, host, denoPath, grants, cwd, denoDir } = options;
  if (isolation !== "bwrap" || bwrap === undefined) return [];
  const program = host.kind === "self" ? host.command[0] : denoPath;
  const seen = host.kind === "self" ? [program] : [program, folderOf(folderOf(host.path))];
  return [
    bwrap,
    "--unshare-all",
    ...(grants.net.length > 0 ? ["--share-net"] : []),
    "--die-with-parent",
    "--new-session",
    "--clearenv",
    ...Object.entries(env).flatMap(([name, value]) => ["--setenv", name, value]),
    ...["/usr", "/bin", "/lib", "/lib64", "/etc/ssl", "/etc/resolv.conf", "/etc/hosts", "/etc/localtime"]
      .flatMap((path) => ["--ro-bind-try", path, path]),
    "--proc",
    "/proc",
    "--dev",
    "/dev",
    "--tmpfs",
    "/tmp",
    ...seen.flatMap((path) => ["--ro-bind", path, path]),
    "--bind",
    denoDir,
    denoDir,
    ...grants.read.flatMap((path) => ["--ro-bind", path, path]),
    ...(grants.write === undefined ? [] : ["--bind", grants.write, grants.write]),
    ...(grants.write === cwd ? [] : ["--ro-bind", cwd, cwd]),
    "--chdir",
    cwd,
    "--",
  ];
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/")) || "/";
}
