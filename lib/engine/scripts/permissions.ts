import { join, resolve } from "node:path";
import { nearest } from "../../catalog/mod.ts";
import { McpxError } from "../../errors/mod.ts";
import type { ScriptGrants } from "../../sandbox/mod.ts";
import type { Clamp, SettingPath } from "../../settings/mod.ts";
import { type Caller, isAgent } from "../caller.ts";
import type { Engine } from "../engine.ts";

/** What a run asks to be allowed: a profile, and single things by name. */
export interface PermissionRequest {
  profile?: string | undefined;
  /** Files and folders, commas between them. */
  allowRead?: string[] | undefined;
  /** Hosts, each with or without a port. */
  allowNet?: string[] | undefined;
  /** Names of variables. */
  allowEnv?: string[] | undefined;
  /** Names or paths of commands. */
  allowRun?: string[] | undefined;
  /** A scratch folder. */
  allowWrite?: boolean | undefined;
}

/** What a run was given, and what lowered it. */
export interface PermissionReport {
  /** What was asked for, as it would be written. */
  requested: string;
  granted: { read?: string[]; net?: string[]; env?: string[]; run?: string[]; write?: boolean };
  /** The ceiling that lowered it, where one did. */
  clampedBy?: Clamp;
}

/** The permissions of one run. */
export interface RunPermissions {
  /** All but the scratch folder, which is made when the run starts. */
  grants: Omit<ScriptGrants, "write">;
  /** Whether it gets a scratch folder. */
  write: boolean;
  /** Absent where nothing was asked for. */
  report?: PermissionReport;
  notes: string[];
}

type Kind = "read" | "net" | "env" | "run" | "write";

/** What each profile gives. As a ceiling, each is also the most: the working directory, the listed hosts. */
const PROFILES: Readonly<Record<string, readonly Kind[]>> = {
  none: [],
  read: ["read"],
  net: ["net"],
  "read-net": ["read", "net"],
  write: ["write"],
};
const ALL: readonly Kind[] = ["read", "net", "env", "run", "write"];
const HOST = /^(?:[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/;

/**
 * Works out what a run may do: what it asks for, under the ceiling that holds for its caller.
 *
 * @throws {McpxError} `unknown-profile`; `invalid-input` for something that cannot be granted at all
 */
export async function readPermissions(
  engine: Engine,
  request: PermissionRequest,
  caller: Caller,
): Promise<RunPermissions> {
  const profile = request.profile ?? caller.settings.get("script.profile");
  const kinds = profileKinds(profile);
  const wanted = await wantedGrants(engine, { ...request, kinds }, caller);
  const requested = spell(profile, request);
  if (requested === "none") return { grants: wanted.grants, write: wanted.write, notes: [] };
  const ceiling = readCeiling(engine, caller);
  const lowered = lower(wanted, ceiling);
  const granted = describe(lowered);
  const report: PermissionReport = { requested, granted };
  if (!lowered.changed) return { grants: lowered.grants, write: lowered.write, report, notes: [] };
  const clampedBy = { ...ceiling.clamp, requested };
  return {
    grants: lowered.grants,
    write: lowered.write,
    report: { ...report, clampedBy },
    notes: [`The script was given less than ${requested}: ${clampedBy.text}.`],
  };
}

/** @throws {McpxError} `unknown-profile` */
function profileKinds(profile: string): readonly Kind[] {
  const kinds = Object.hasOwn(PROFILES, profile) ? PROFILES[profile] : undefined;
  if (kinds !== undefined) return kinds;
  const names = Object.keys(PROFILES);
  const near = nearest(profile, names)[0];
  throw new McpxError(
    "unknown-profile",
    `Cannot run with the profile ${JSON.stringify(profile)}: there is none of that name.`,
    {
      hint: near === undefined ? `--profile is one of ${names.join(", ")}.` : `--profile ${near}`,
      data: { profile, profiles: names },
    },
  );
}

interface Wanted {
  grants: Omit<ScriptGrants, "write">;
  write: boolean;
  /** What `read` and `net` mean as a profile: the most under a ceiling below `all`. */
  folder?: string;
  hosts: string[];
}

async function wantedGrants(
  engine: Engine,
  request: PermissionRequest & { kinds: readonly Kind[] },
  caller: Caller,
): Promise<Wanted> {
  const { kinds } = request;
  const folder = await workingFolder(engine, caller);
  const hosts = engine.settings.base.get("script.hosts").map((host) => checkHost(host, "script.hosts"));
  const read: string[] = [];
  if (kinds.includes("read")) {
    if (folder === undefined) {
      throw refuse("profile", "Cannot grant read: the request names no working directory.");
    }
    read.push(folder);
  }
  for (const path of listed(request.allowRead)) read.push(await realPath(path, caller));
  const net = [
    ...(kinds.includes("net") ? hosts : []),
    ...listed(request.allowNet).map((host) => checkHost(host, "allowNet")),
  ];
  if (kinds.includes("net") && net.length === 0) {
    throw new McpxError("invalid-input", "Cannot grant net: no host is listed.", {
      hint: "--allow-net api.example.org, or the setting script.hosts",
      data: { field: "profile" },
    });
  }
  const env: Record<string, string> = {};
  for (const name of listed(request.allowEnv)) {
    if (!/^[A-Za-z_]\w*$/.test(name)) {
      throw refuse("allowEnv", `Cannot grant env: ${JSON.stringify(name)} is no variable's name.`);
    }
    const value = caller.env[name];
    if (value !== undefined) env[name] = value;
  }
  const run: string[] = [];
  for (const name of listed(request.allowRun)) run.push(await commandPath(name, caller));
  return {
    grants: { read: unique(read), net: unique(net), env, run: unique(run) },
    write: kinds.includes("write") || request.allowWrite === true,
    hosts,
    ...(folder === undefined ? {} : { folder }),
  };
}

/** What `read` reads: where the caller works; for an agent, which could say anything, the project's own folder. */
async function workingFolder(engine: Engine, caller: Caller): Promise<string | undefined> {
  const { cwd } = caller.identity;
  const folder = isAgent(caller) ? engine.projectFolder : cwd;
  if (folder === undefined) return undefined;
  return await Deno.realPath(folder).catch(() => undefined);
}

interface Ceiling {
  kinds: readonly Kind[];
  /** Whether it is `all`, under which anything may be named. */
  isAll: boolean;
  clamp: Omit<Clamp, "requested">;
}

/** The ceiling of a caller: what every file and the environment allow at once. */
function readCeiling(engine: Engine, caller: Caller): Ceiling {
  const person: SettingPath = "script.permissionsMax";
  const ceilings = [person, ...(isAgent(caller) ? ["script.permissionsMaxAgent" as const] : [])].map((
    setting,
  ) => oneCeiling(engine, setting));
  const tightest = ceilings.toSorted((a, b) => a.kinds.length - b.kinds.length)[0] ??
    oneCeiling(engine, person);
  return {
    ...tightest,
    kinds: ALL.filter((kind) => ceilings.every(({ kinds }) => kinds.includes(kind))),
    isAll: ceilings.every(({ isAll }) => isAll),
  };
}

function oneCeiling(engine: Engine, setting: SettingPath): Ceiling {
  const { text, layer, source, bounds: words = [] } = engine.settings.base.explain(setting);
  return {
    kinds: ALL.filter((kind) => words.every((word) => word === "all" || PROFILES[word]?.includes(kind))),
    isAll: words.every((word) => word === "all"),
    clamp: { setting, value: text, layer, source, text: `${setting} = ${text} (${layer}: ${source})` },
  };
}

function lower(wanted: Wanted, ceiling: Ceiling): Wanted & { changed: boolean } {
  const { grants, folder, hosts } = wanted;
  const may = (kind: Kind): boolean => ceiling.kinds.includes(kind);
  const inFolder = (path: string): boolean =>
    folder !== undefined && (path === folder || path.startsWith(folder === "/" ? "/" : `${folder}/`));
  const read = may("read") ? grants.read.filter((path) => ceiling.isAll || inFolder(path)) : [];
  const net = may("net") ? grants.net.filter((host) => ceiling.isAll || hosts.includes(host)) : [];
  const env = may("env") ? grants.env : {};
  const run = may("run") ? grants.run : [];
  const write = wanted.write && may("write");
  const changed = read.length < grants.read.length || net.length < grants.net.length ||
    Object.keys(env).length < Object.keys(grants.env).length || run.length < grants.run.length ||
    write !== wanted.write;
  return { ...wanted, grants: { read, net, env, run }, write, changed };
}

function describe({ grants, write }: Wanted): PermissionReport["granted"] {
  const { read, net, env, run } = grants;
  const names = Object.keys(env);
  return {
    ...(read.length > 0 ? { read } : {}),
    ...(net.length > 0 ? { net } : {}),
    ...(names.length > 0 ? { env: names } : {}),
    ...(run.length > 0 ? { run } : {}),
    ...(write ? { write } : {}),
  };
}

function spell(profile: string, request: PermissionRequest): string {
  const flags = ([["read", request.allowRead], ["net", request.allowNet], ["env", request.allowEnv], [
    "run",
    request.allowRun,
  ]] as const).flatMap(([name, values]) =>
    values === undefined || values.length === 0 ? [] : [`--allow-${name}=${values.join(",")}`]
  );
  const parts = [
    ...(profile === "none" ? [] : [profile]),
    ...flags,
    ...(request.allowWrite === true ? ["--allow-write"] : []),
  ];
  return parts.length === 0 ? "none" : parts.join(" ");
}

/** Commas part; two of them are one in a name. */
function listed(values: readonly string[] | undefined): string[] {
  return (values ?? []).flatMap((value) =>
    value.replaceAll(",,", "\0").split(",").map((part) => part.replaceAll("\0", ",").trim()).filter((part) =>
      part !== ""
    )
  );
}

function unique(values: readonly string[]): string[] {
  return [...new Set(values)];
}

function checkHost(host: string, field: string): string {
  if (HOST.test(host)) return host.toLowerCase();
  throw refuse(
    field,
    `Cannot grant net: ${JSON.stringify(host)} is no host such as example.org or 127.0.0.1:8080.`,
  );
}

async function realPath(path: string, caller: Caller): Promise<string> {
  const { cwd } = caller.identity;
  if (!path.startsWith("/") && cwd === undefined) {
    throw refuse(
      "allowRead",
      `Cannot grant read: ${path} is relative, and the request names no working directory.`,
    );
  }
  try {
    return await Deno.realPath(resolve(cwd ?? "/", path));
  } catch (cause) {
    throw refuse("allowRead", `Cannot grant read: there is nothing at ${path}.`, cause);
  }
}

async function commandPath(name: string, caller: Caller): Promise<string> {
  const folders = (caller.env.PATH ?? Deno.env.get("PATH") ?? "/usr/bin:/bin").split(":");
  const places = name.includes("/")
    ? [resolve(caller.identity.cwd ?? "/", name)]
    : folders.filter((folder) => folder.startsWith("/")).map((folder) => join(folder, name));
  for (const place of places) {
    const info = await Deno.stat(place).catch(() => undefined);
    if (info?.isFile && ((info.mode ?? 0) & 0o111) !== 0) return place;
  }
  throw refuse("allowRun", `Cannot grant run: there is no command ${JSON.stringify(name)}.`);
}

function refuse(field: string, message: string, cause?: unknown): McpxError {
  return new McpxError("invalid-input", message, {
    data: { field },
    ...(cause === undefined ? {} : { cause }),
  });
}
