import { McpxError } from "../errors/mod.ts";
import { readRegularText } from "../store/read_regular_file.ts";
import { commandOutput } from "./command_output.ts";
import { fieldName } from "./fields.ts";
import { type Environment, folderVariable } from "./paths.ts";
import { inputReason, unknownReason } from "./server.ts";
import { parseTemplate, type TemplatePart } from "./template.ts";

/** What a string is expanded with. */
export interface ExpandOptions {
  /** The caller's variables. */
  env: Environment;
  /** The file that the string is written in: named in errors; relative `${file:…}` paths start at its folder. */
  file: string;
  /** The string's place in the file, such as `mcpServers.demo.env.TOKEN`. */
  field: string;
  /** Whether `${cmd:…}` and `${file:…}` work: in the user's own and in trusted files. */
  allowCommands: boolean;
  /** Folder of relative paths, where it is not the file's own. */
  folder?: string;
  /** Told when a command keeps the caller waiting. */
  onWait?: (message: string) => void;
  /** The most a command may take, ms; default 60,000. */
  commandTimeoutMs?: number;
  /** After how long a wait is told, ms; default 1,000. */
  waitNoticeMs?: number;
  /** Outputs of commands that ran already, shared by everything that one loaded configuration expands. */
  commands?: Map<string, Promise<string>>;
  /** Told about every value that is put in, with the variable's name, or the kind of what gave it. */
  onValue?: (value: string, from: { variable: string } | { kind: "file" | "command" }) => void;
  signal?: AbortSignal;
}

const MAX_FILE_BYTES = 1024 * 1024;

/**
 * Expands a configuration string: `${VAR}`, `${VAR:-default}`, `${env:VAR}`, `$env:VAR`, `${file:…}`, `${cmd:…}`;
 * `$${…}` is the text `${…}`. What a variable holds is put in as it is, never expanded again.
 *
 * @param text as written
 * @param options the caller's variables, and where the string is written
 * @returns the text with nothing left to expand
 * @throws {McpxError} `missing-variable` naming variable, file and key; `untrusted-config` for a command where none may
 * run; `server-config` for what cannot be expanded
 *
 * @example
 * ```ts
 * import { expandString } from "./expand.ts";
 * const place = { file: "/home/me/.mcpx.json", field: "mcpServers.demo.url", allowCommands: true };
 * const url = await expandString("https://${HOST:-localhost}/", { env: { HOST: "example.org" }, ...place });
 * console.assert(url === "https://example.org/");
 * ```
 */
export async function expandString(text: string, options: ExpandOptions): Promise<string> {
  if (!text.includes("$")) return text;
  return await expandParts(parseTemplate(text), options);
}

async function expandParts(parts: readonly TemplatePart[], options: ExpandOptions): Promise<string> {
  let expanded = "";
  for (const part of parts) expanded += part.kind === "text" ? part.text : await expandPart(part, options);
  return expanded;
}

function expandPart(part: TemplatePart, options: ExpandOptions): string | Promise<string> {
  switch (part.kind) {
    case "text":
      return part.text;
    case "variable":
      return expandVariable(part, options);
    case "file":
      return fileContent(part.body, options);
    case "command":
      return commandValue(part.body, options);
    case "input":
      throw refused(options, inputReason(part.body));
    case "unknown":
      throw refused(options, unknownReason(part.text));
  }
}

function expandVariable(
  { name, fallback }: Extract<TemplatePart, { kind: "variable" }>,
  options: ExpandOptions,
): string | Promise<string> {
  const value = Object.hasOwn(options.env, name) ? options.env[name] : undefined;
  if (fallback && !value) return expandParts(fallback, options);
  if (value !== undefined) {
    options.onValue?.(value, { variable: name });
    return value;
  }
  throw new McpxError(
    "missing-variable",
    `Cannot expand ${options.field} in ${options.file}: the variable ${name} is not set.`,
    {
      hint: `export ${name}=…   # or write \${${name}:-default}`,
      data: { variable: name, file: options.file, field: options.field },
    },
  );
}

async function fileContent(body: string, options: ExpandOptions): Promise<string> {
  requireTrust("file", options);
  const path = homePath(body.trim(), options.env);
  const full = path.startsWith("/") ? path : `${folderFor(options)}/${path}`;
  try {
    const text = (await readRegularText(full, { limit: MAX_FILE_BYTES })).trim();
    options.onValue?.(text, { kind: "file" });
    return text;
  } catch (error) {
    throw refused(
      options,
      `the file ${full} cannot be read: ${error instanceof Error ? error.message : error}`,
    );
  }
}

async function commandValue(command: string, options: ExpandOptions): Promise<string> {
  requireTrust("cmd", options);
  const place = `${options.field} in ${options.file}`;
  const notice = setTimeout(
    () => options.onWait?.(`Waiting for the command of ${place}.`),
    options.waitNoticeMs ?? 1000,
  );
  try {
    const value = await sharedOutput(command, place, options);
    options.onValue?.(value, { kind: "command" });
    return value;
  } finally {
    clearTimeout(notice);
  }
}

/** A command that others wait for as well does not end because one of them gives up. */
async function sharedOutput(command: string, place: string, options: ExpandOptions): Promise<string> {
  const { commands, signal } = options;
  const folder = folderFor(options);
  const bounds = options.commandTimeoutMs === undefined ? {} : { timeoutMs: options.commandTimeoutMs };
  if (commands === undefined) {
    return await commandOutput(command, { place, folder, ...bounds, ...(signal ? { signal } : {}) });
  }
  const key = `${folder}\0${command}`;
  let running = commands.get(key);
  if (running === undefined) {
    running = commandOutput(command, { place, folder, ...bounds });
    commands.set(key, running);
    // A keychain that was locked may be open the next time.
    running.catch(() => commands.delete(key));
  }
  return signal === undefined ? await running : await untilAborted(running, signal, place);
}

async function untilAborted(running: Promise<string>, signal: AbortSignal, place: string): Promise<string> {
  const { promise, reject } = Promise.withResolvers<never>();
  const cancel = (): void =>
    reject(new McpxError("cancelled", `Cancelled while the command of ${place} ran.`));
  if (signal.aborted) cancel();
  signal.addEventListener("abort", cancel, { once: true });
  try {
    return await Promise.race([running, promise]);
  } finally {
    signal.removeEventListener("abort", cancel);
  }
}

function requireTrust(kind: "file" | "cmd", { allowCommands, file, field }: ExpandOptions): void {
  if (allowCommands) return;
  throw new McpxError(
    "untrusted-config",
    `Cannot expand ${field}: ${file} is not trusted, and \${${kind}:…} needs that.`,
    { hint: `mcpx trust ${file}`, data: { file, field } },
  );
}

function folderFor({ folder, file }: ExpandOptions): string {
  return folder ?? (file.slice(0, file.lastIndexOf("/")) || "/");
}

/** A path with `~` at its start put out as the caller's home. */
export function homePath(path: string, env: Environment): string {
  const home = folderVariable(env, "HOME");
  return home && (path === "~" || path.startsWith("~/")) ? home + path.slice(1) : path;
}

function refused({ field, file }: ExpandOptions, reason: string): McpxError {
  return new McpxError("server-config", `Cannot expand ${field} in ${file}: ${reason}.`, {
    hint: `Correct ${field} in ${file}.`,
    data: { file, field },
  });
}

/** Names a string's place in a configuration file. */
export function placeOf(server: string, path: readonly (string | number)[]): string {
  return fieldName(["mcpServers", server, ...path]);
}
