import { join } from "node:path";
import type { ScriptRunner, ScriptRunnerOptions, TypeChecker } from "../../sandbox/mod.ts";
import { McpxError } from "../../errors/mod.ts";
import { UsableFolder } from "../../store/mod.ts";
import type { SettingsStack } from "../settings_stack.ts";
import { sweepScratchFolders } from "./scratch_folder.ts";

/** What `mcpx status` says of sandboxes. */
export interface SandboxStatus {
  /** `bwrap`: a container without files and network around each process as well. */
  isolation: string;
  running: number;
  queued: number;
  /** Processes that stand ready. */
  idle: number;
}

/** The processes that scripts run and are checked in, each started when the first script needs it. */
export class ScriptProcesses {
  readonly #folder: UsableFolder;
  readonly #settings: SettingsStack;
  readonly #sandbox: Partial<ScriptRunnerOptions>;
  #runner: Promise<ScriptRunner> | undefined;
  #started: ScriptRunner | undefined;
  #typeChecker: Promise<TypeChecker> | undefined;

  /** @param folder what sandboxes keep their caches and scratch folders in */
  constructor(
    folder: string,
    options: {
      settings: SettingsStack;
      sandbox?: Partial<ScriptRunnerOptions>;
      onUnusable?: (message: string) => void;
    },
  ) {
    const { onUnusable = (): void => undefined } = options;
    this.#folder = new UsableFolder(folder, { what: "The folder of sandboxes", onUnusable, temporary: true });
    this.#settings = options.settings;
    this.#sandbox = options.sandbox ?? {};
  }

  /** Runs scripts in sandboxes. */
  async runner(): Promise<ScriptRunner> {
    this.#runner ??= import("../../sandbox/mod.ts").then(async ({ ScriptRunner }) => {
      const stateFolder = await this.#path();
      await sweepScratchFolders(await this.scratchFolder());
      const { base } = this.#settings;
      return this.#started = new ScriptRunner({
        isolation: base.get("script.isolation") as "auto" | "process" | "bwrap",
        heapMb: Math.max(16, Math.round(base.get("exec.heap") / 1024 ** 2)),
        prewarmed: base.get("exec.prewarm"),
        maxConcurrent: () => this.#settings.base.get("exec.maxRuns"),
        stateFolder,
        ...this.#sandbox,
      });
    });
    return await this.#runner;
  }

  /** Where scripts get their scratch folders. */
  async scratchFolder(): Promise<string> {
    return join(await this.#path(), "scratch");
  }

  /** How scripts are walled in, and how many run, once one was started. */
  get status(): SandboxStatus | undefined {
    return this.#started && { isolation: this.#started.isolation, ...this.#started.status };
  }

  /** Checks scripts against types. */
  async typeChecker(): Promise<TypeChecker> {
    this.#typeChecker ??= import("../../sandbox/mod.ts").then(({ TypeChecker }) => new TypeChecker());
    return await this.#typeChecker;
  }

  /** Lets waiting runs in where `exec.maxRuns` was raised. */
  reconsider(): void {
    void this.#runner?.then((runner) => runner.reconsider(), () => undefined);
  }

  async close(): Promise<void> {
    const runner = await this.#runner?.catch(() => undefined);
    const typeChecker = await this.#typeChecker?.catch(() => undefined);
    await Promise.all([runner?.close(), typeChecker?.[Symbol.asyncDispose]()]);
    await this.#folder[Symbol.asyncDispose]();
  }

  async #path(): Promise<string> {
    const path = await this.#folder.path();
    if (path !== undefined) return path;
    throw new McpxError("state-unwritable", "Cannot run scripts: there is no folder for their sandboxes.");
  }
}
