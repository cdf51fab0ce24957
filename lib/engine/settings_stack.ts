import type { Configuration } from "../config/mod.ts";
import { McpxError } from "../errors/mod.ts";
import {
  environmentLayer,
  isSettingPath,
  type LayerInput,
  looseningNotes,
  parseValue,
  ResolvedSettings,
  type SettingPath,
  settingRow,
} from "../settings/mod.ts";

/** How a file's value counts that is a project's. */
export function projectOf(
  { kind, trusted }: Configuration["settings"][number],
): { project?: "trusted" | "untrusted" } {
  return kind === "project" ? { project: trusted ? "trusted" : "untrusted" } : {};
}

/** What one request brings of settings. */
export interface RequestSettings {
  /** The caller's environment, where it sent one; else the daemon's counts. */
  env?: Readonly<Record<string, string>>;
  /** Dotted path to value, from `X-Mcpx-Settings`. */
  values?: Readonly<Record<string, unknown>>;
}

const REMEMBERED = 200;

/** The daemon's settings: layers that change while it runs, and what a request puts on top. */
export class SettingsStack {
  readonly #env: Readonly<Record<string, string>>;
  readonly #flags: LayerInput;
  readonly #runtime = new Map<SettingPath, unknown>();
  #file: LayerInput = { layer: "file", entries: [] };
  /** The ceilings of every file as it was read so far: an edit can lower one, only a restart raises it. */
  #ceilings: LayerInput["entries"] = [];
  #base: ResolvedSettings;
  #notes: readonly string[] = [];
  readonly #requests = new Map<string, ResolvedSettings>();

  constructor(options: { env: Readonly<Record<string, string>>; flags: Readonly<Record<string, unknown>> }) {
    this.#env = options.env;
    this.#flags = {
      layer: "flag",
      entries: Object.entries(options.flags).map(([path, value]) => ({ path, value, source: `--${path}` })),
    };
    this.#base = this.#resolve(this.#file);
  }

  /** The settings in force where no request says otherwise. */
  get base(): ResolvedSettings {
    return this.#base;
  }

  /** Takes the values of configuration files; those of a project's only lower a ceiling. @throws {McpxError} and keeps what it had */
  setFiles(settings: Configuration["settings"]): void {
    const entries = settings.map((setting) => ({
      path: setting.path,
      value: setting.value,
      source: setting.file,
      ...projectOf(setting),
    }));
    const gone = this.#ceilings.filter((old) =>
      !entries.some(({ path, value, source }) =>
        path === old.path && value === old.value && source === old.source
      )
    );
    const file: LayerInput = {
      layer: "file",
      entries: [
        ...gone.map((old) => ({ ...old, source: `${old.source}, until the daemon restarts` })),
        ...entries,
      ],
    };
    this.#base = this.#resolve(file);
    this.#file = file;
    this.#ceilings = [
      ...gone,
      ...entries.filter(({ path }) => isSettingPath(path) && settingRow(path).ceiling),
    ];
    this.#notes = looseningNotes(this.#base, entries.map(({ path }) => path));
    this.#requests.clear();
  }

  /** Sentences about values of project files that would loosen what protects the user. */
  get notes(): readonly string[] {
    return this.#notes;
  }

  /** Sets or, with `undefined`, takes back a value for as long as the daemon runs. @throws {McpxError} `invalid-input` */
  setRuntime(path: SettingPath, value: unknown): void {
    if (value === undefined) this.#runtime.delete(path);
    else {
      const row = settingRow(path);
      if (row.ceiling) {
        throw new McpxError("setting-scope", `Cannot set ${path} while the daemon runs: it is a ceiling.`, {
          hint: "Write it into a configuration file and restart the daemon.",
        });
      }
      this.#runtime.set(path, parseValue(row.kind, value, path, row.values));
    }
    this.#base = this.#resolve(this.#file);
    this.#requests.clear();
  }

  /**
   * The settings in force for one request.
   *
   * @throws {McpxError} `unknown-setting`, `invalid-input`, `setting-scope` for one that is not call-scoped
   */
  forRequest(request: RequestSettings): ResolvedSettings {
    // Only variables of mcpx's own can be settings; looking through the whole table at each request would cost more than a call.
    const own = Object.entries(request.env ?? {}).filter(([name]) => name.startsWith("MCPX_"));
    const key = JSON.stringify([own, request.values ?? null]);
    const known = this.#requests.get(key);
    if (known) return known;
    const settings = this.#base.with([
      callScopedVariables(request.env),
      { layer: "request", entries: requestEntries(request.values ?? {}) },
    ]);
    if (this.#requests.size >= REMEMBERED) this.#requests.clear();
    this.#requests.set(key, settings);
    return settings;
  }

  #resolve(file: LayerInput): ResolvedSettings {
    const runtime: LayerInput = {
      layer: "runtime",
      entries: [...this.#runtime].map(([path, value]) => ({ path, value, source: "mcpx settings set" })),
    };
    return ResolvedSettings.from([file, environmentLayer(this.#env), runtime, this.#flags]);
  }
}

function callScopedVariables(env: Readonly<Record<string, string>> | undefined): LayerInput {
  if (!env) return { layer: "environment", entries: [] };
  const { entries } = environmentLayer(env);
  return {
    layer: "environment",
    entries: entries.filter(({ path }) => isSettingPath(path) && settingRow(path).scope === "call"),
  };
}

function requestEntries(values: Readonly<Record<string, unknown>>): LayerInput["entries"] {
  return Object.entries(values).map(([path, value]) => {
    if (isSettingPath(path) && settingRow(path).scope !== "call") {
      throw new McpxError(
        "setting-scope",
        `Cannot set ${path} for one request: it belongs to the ${settingRow(path).scope}.`,
        {
          hint: settingRow(path).scope === "daemon"
            ? `mcpx settings set ${path} …`
            : "Set it where the command runs.",
        },
      );
    }
    return { path, value, source: "X-Mcpx-Settings" };
  });
}
