import { McpxError } from "../errors/mod.ts";
import { sha256 } from "./digest.ts";
import { writePrivateFile } from "./private_file.ts";
import { readRegularText } from "../store/read_regular_file.ts";
import { MAX_CONFIG_BYTES, readBytes } from "./read.ts";
import { ownUsers, strangerOf } from "./stranger.ts";
import { isObject } from "./fields.ts";

/** A project's configuration file that a person has agreed to, by its content. */
export interface TrustRecord {
  /** The real path. */
  path: string;
  /** SHA-256 of the content that was agreed to, in hexadecimal. */
  digest: string;
  /** When, as an ISO date. */
  at: string;
}

/** Answers which project files are trusted while a configuration is loaded. */
export interface TrustPolicy {
  /** Whether a person has agreed to a file's content. */
  isTrusted(real: string, digest: string): boolean;
  /**
   * `settings`: hooks, model endpoints and commands of an untrusted project file are left out; `ask`: no server that it
   * touches starts either. Unset: what the user's and the system's files say under `config.trust`.
   */
  mode?: "settings" | "ask";
}

/**
 * Reads the record of trusted files.
 *
 * @param state mcpx's state folder
 * @returns the records; none where nothing was ever trusted, or where the record is somebody else's
 * @throws {McpxError} `invalid-config` when the record cannot be read: then nothing may count as trusted silently
 */
export async function listTrusted(state: string): Promise<TrustRecord[]> {
  const path = `${state}/trust.json`;
  let text: string;
  try {
    const info = await Deno.stat(path);
    // What somebody else says that this user has agreed to is no agreement.
    if (strangerOf(path, info, { users: ownUsers({}), real: path }) !== undefined) return [];
    text = await readRegularText(path, { limit: MAX_CONFIG_BYTES });
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw damaged(path, error);
  }
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value) && value.version === 1 && Array.isArray(value.files)) return value.files.map(record);
  } catch (error) {
    throw damaged(path, error);
  }
  throw damaged(path, undefined);
}

function record(value: unknown): TrustRecord {
  if (
    isObject(value) && typeof value.path === "string" && typeof value.digest === "string" &&
    typeof value.at === "string"
  ) return { path: value.path, digest: value.digest, at: value.at };
  throw new SyntaxError("a record has no path, digest or date");
}

function damaged(path: string, cause: unknown): McpxError {
  const reason = cause instanceof Error ? `: ${cause.message}` : "";
  return new McpxError("invalid-config", `Cannot read the record of trusted files ${path}${reason}.`, {
    hint: `rm ${path}, then mcpx trust the files again`,
    data: { file: path },
    cause,
  });
}

/**
 * Makes the policy that {@link listTrusted}'s records amount to.
 *
 * @param records what was read
 * @param mode `config.trust`, where the environment or a flag sets it
 */
export function trustPolicy(records: readonly TrustRecord[], mode?: TrustPolicy["mode"]): TrustPolicy {
  const known = new Map(records.map((one) => [one.path, one.digest]));
  return { isTrusted: (real, digest) => known.get(real) === digest, ...(mode ? { mode } : {}) };
}

/**
 * Records a file's present content as trusted; an edit ends the trust.
 *
 * @param path the file
 * @param options.state mcpx's state folder
 * @param options.expected digest of the content that the person was shown: another content is refused
 * @param options.now the time of the record
 * @returns the record
 * @throws {McpxError} `invalid-config` when the file cannot be read or has changed, `state-unwritable`
 */
export async function recordTrust(
  path: string,
  options: { state: string; expected?: string; now?: Date },
): Promise<TrustRecord> {
  const digest = await sha256(await readBytes(path));
  const real = await Deno.realPath(path);
  if (options.expected !== undefined && options.expected !== digest) {
    throw new McpxError("invalid-config", `Cannot trust ${path}: it has changed since it was shown.`, {
      hint: `mcpx trust ${path}`,
      data: { file: real },
    });
  }
  const added = { path: real, digest, at: (options.now ?? new Date()).toISOString() };
  const others = (await listTrusted(options.state)).filter((one) => one.path !== real);
  await writeRecords(options.state, [...others, added]);
  return added;
}

/**
 * Ends the trust in a file, whether it still exists or not.
 *
 * @param path the file
 * @param options.state mcpx's state folder
 * @returns whether it was trusted
 * @throws {McpxError} `state-unwritable`
 */
export async function removeTrust(path: string, options: { state: string }): Promise<boolean> {
  const names = new Set([path, await Deno.realPath(path).catch(() => path)]);
  const records = await listTrusted(options.state);
  const kept = records.filter((one) => !names.has(one.path));
  if (kept.length === records.length) return false;
  await writeRecords(options.state, kept);
  return true;
}

async function writeRecords(state: string, files: TrustRecord[]): Promise<void> {
  await writePrivateFile(`${state}/trust.json`, JSON.stringify({ version: 1, files }, null, 2) + "\n");
}
