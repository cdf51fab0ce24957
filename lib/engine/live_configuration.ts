import { dirname } from "node:path";
import {
  type ConfigFile,
  type ConfigSearch,
  type Configuration,
  EditWatch,
  listTrusted,
  loadConfiguration,
  type TrustPolicy,
  trustPolicy,
} from "../config/mod.ts";
import { McpxError } from "../errors/mod.ts";
import { SETTING_GROUPS } from "../settings/mod.ts";
import type { SettingsStack } from "./settings_stack.ts";

/** Where a configuration is read from, and who acts on it. */
export interface LiveConfigurationOptions {
  /** Where the search starts. */
  cwd: string;
  env: Readonly<Record<string, string>>;
  /** `--config`: replaces the search. */
  configFile?: string;
  /** Whether callers of other folders come too, all those who find the same files. */
  servesSet: boolean;
  /** The folder that says which files are trusted. */
  state: string;
  settings: SettingsStack;
  /** Takes a configuration that can be used; the settings have it already. */
  onApplied(configuration: Configuration, files: readonly ConfigFile[]): Promise<void>;
  note(level: "info" | "error", text: string): void;
}

/** The configuration as its files are now: read again when they change; files that cannot be used leave what was read before. */
export class LiveConfiguration {
  readonly #options: LiveConfigurationOptions;
  /** How the files were when they were read. */
  readonly #edits: EditWatch = new EditWatch(() => this.#search());
  #current: Configuration = { servers: [], settings: [], sources: [], notes: [] };
  #reloading: Promise<void> | undefined;
  #sharedFolder: string | undefined;
  /** Why the files as they are now cannot be used, while what was read before goes on. */
  #brokenEdit: string | undefined;

  constructor(options: LiveConfigurationOptions) {
    this.#options = options;
  }

  /** What was read last, as it was read. */
  get current(): Configuration {
    return this.#current;
  }

  /** The same with everything that is to be said about it. */
  get told(): Configuration {
    const { notes } = this.#options.settings;
    const further = [...this.#brokenEdit === undefined ? [] : [this.#brokenEdit], ...notes];
    if (further.length === 0) return this.#current;
    return { ...this.#current, notes: [...further, ...this.#current.notes] };
  }

  /** Reads the files again, after a reading under way. @throws {McpxError} `invalid-config` */
  reload(): Promise<void> {
    const before = this.#reloading ?? Promise.resolve();
    const reloading = before.catch(() => undefined).then(() => this.#apply()).finally(() => {
      if (this.#reloading === reloading) this.#reloading = undefined;
    });
    this.#reloading = reloading;
    return reloading;
  }

  /** Reads the files again where they are not what they were; why they cannot be used is noted, and told with the configuration. */
  async refresh(): Promise<void> {
    await this.#reloading?.catch(() => undefined);
    // One that began after this request came reads what the request may have written.
    if (this.#reloading) return await this.#reloading.catch(() => undefined);
    if (!this.#edits.changed()) return;
    const applied = await this.reload().then(() => true, () => false);
    if (applied) this.#options.note("info", "configuration reloaded");
  }

  /** What is trusted. What files say of `config.trust` is known only once they are read; the environment and flags go before them. */
  async trust(): Promise<TrustPolicy> {
    const { settings, state } = this.#options;
    const { text, layer } = settings.base.explain("config.trust");
    const mode = layer === "environment" || layer === "flag"
      ? (text === "ask" ? "ask" : "settings")
      : undefined;
    return trustPolicy(await listTrusted(state), mode);
  }

  /** Where it is searched for; once the set is known, only where every caller of the same set would find a file. */
  #search(): ConfigSearch {
    const { cwd, env, configFile } = this.#options;
    return {
      cwd: this.#sharedFolder ?? cwd,
      env,
      ...(configFile === undefined ? {} : { explicit: configFile }),
    };
  }

  async #apply(): Promise<void> {
    const { settings, servesSet, onApplied, note } = this.#options;
    try {
      const search = this.#search();
      const files = this.#edits.look();
      const configuration = await loadConfiguration({
        ...search,
        files,
        settingGroups: [...SETTING_GROUPS],
        trust: await this.trust(),
      });
      settings.setFiles(configuration.settings);
      this.#current = configuration;
      this.#brokenEdit = undefined;
      await onApplied(configuration, files);
      if (servesSet) this.#sharedFolder ??= sharedFolder(files);
    } catch (error) {
      const { message } = McpxError.from(error);
      this.#brokenEdit = `${message} What was read before stays in use.`;
      note("error", `Cannot load the configuration: ${message}`);
      throw error;
    }
  }
}

/** The folder from which everybody who finds these files has come up: the nearest project file's. */
function sharedFolder(files: readonly ConfigFile[]): string {
  const nearest = files.find(({ kind }) => kind === "project");
  if (nearest === undefined) return "/";
  const folder = dirname(nearest.path);
  return folder.endsWith("/.mcpx") ? dirname(folder) : folder;
}
