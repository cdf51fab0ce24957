import { dirname, join } from "node:path";
import { sha256 } from "../config/digest.ts";
import type { CatalogTool } from "../catalog/mod.ts";
import {
  type ConfigFile,
  configSetKey,
  type Configuration,
  expandString,
  type McpxPaths,
  mcpxPaths,
  ownUsers,
  type ServerDefinition,
} from "../config/mod.ts";
import { McpxError } from "../errors/mod.ts";
import { connectUpstream } from "../mcp/mod.ts";
import {
  ConnectionPool,
  type InstanceView,
  type Lease,
  type PooledServer,
  type PoolEvent,
  type PoolRun,
} from "../pool/mod.ts";
import type { JsonObject } from "../schema/mod.ts";
import { type Provenance, type SettingPath, settingRow } from "../settings/mod.ts";
import { ArtifactStore, HistoryStore, SchemaCache } from "../store/mod.ts";
import { VERSION } from "../version.ts";
import type { Caller } from "./caller.ts";
import type { CallerAnswers } from "./caller_answers.ts";
import { Catalog, type CatalogServer } from "./catalog.ts";
import { Diagnosis } from "./diagnosis.ts";
import { type Drift, DriftNews, driftText, needsReading } from "./drift_news.ts";
import type { EngineOptions, EngineRecord, EngineStatus } from "./engine_options.ts";
import { EventLog } from "./event_log.ts";
import { findTool } from "./find_tool.ts";
import { HostRoots } from "./host_roots.ts";
import { ListingKeeper } from "./listing_keeper.ts";
import { LiveConfiguration } from "./live_configuration.ts";
import { LogLevels } from "./log_levels.ts";
import { modelSampler } from "./model_sampler.ts";
import { NoticeBoard } from "./notice_board.ts";
import { offeredRoots } from "./offered_roots.ts";
import { PinnedTools } from "./pinned_tools.ts";
import { poolLimits } from "./pool_limits.ts";
import { ServerPreparer } from "./prepare_server.ts";
import type { Broker } from "./questions/broker.ts";
import { QuestionDesk } from "./questions/question_desk.ts";
import type { Tasks } from "./questions/tasks.ts";
import { Redactor } from "./redactor.ts";
import { scriptFolders, type ScriptRules } from "./script_path.ts";
import { ScriptProcesses } from "./scripts/script_processes.ts";
import { ServerWatch } from "./server_watch.ts";
import { ServerRequests, type UpstreamRequestOptions } from "./server_requests.ts";
import { UpstreamTasks } from "./upstream_tasks.ts";
import { type RequestSettings, SettingsStack } from "./settings_stack.ts";
import type { ServerProblem } from "./summaries.ts";

/** Puts configuration, settings, catalog, pool, sandbox and stores together; every surface works on one of these. */
export class Engine implements AsyncDisposable {
  readonly startedAt: Date = new Date();
  readonly catalog: Catalog;
  readonly pool: ConnectionPool;
  readonly artifacts: ArtifactStore;
  readonly settings: SettingsStack;
  readonly diagnosis: Diagnosis;
  /** What scripts run in. */
  readonly scripts: ScriptProcesses;
  /** What changed in servers' tools and no caller was told of yet. */
  readonly driftNews: DriftNews = new DriftNews();
  /** What changes and what servers say of their own accord. */
  readonly notices: NoticeBoard = new NoticeBoard();
  /** Resources and tasks that somebody watches. */
  readonly watch: ServerWatch;
  /** What servers go on working on after they have answered. */
  readonly upstreamTasks: UpstreamTasks;
  /** The folders of hosts that have an instance for themselves. */
  readonly hostRoots: HostRoots = new HostRoots(() => this.pool.instances());
  /** How much each server says. */
  readonly logLevels: LogLevels;
  /** What happened lately, numbered. */
  readonly events: EventLog;
  /** Requests being served now. */
  active = 0;
  readonly #options: EngineOptions;
  readonly #paths: ReturnType<typeof mcpxPaths>;
  readonly #keeper: ListingKeeper;
  readonly #preparer: ServerPreparer;
  readonly #redactor = new Redactor();
  /** Sentences about folders that could not be used. */
  readonly #unusable: string[] = [];
  readonly #pinned: PinnedTools;
  readonly #questions: QuestionDesk;
  readonly #requests: ServerRequests;
  readonly #live: LiveConfiguration;
  /** What the pool still has to make of the configuration, one after another. */
  #poolReloads: Promise<void> = Promise.resolve();

  private constructor(options: EngineOptions) {
    this.#options = options;
    this.#paths = mcpxPaths(options.env);
    this.settings = new SettingsStack({ env: options.env, flags: options.flags ?? {} });
    this.#live = new LiveConfiguration({
      ...options,
      servesSet: options.servesSet ?? false,
      state: this.#paths.state,
      settings: this.settings,
      onApplied: (configuration, files) => this.#apply(configuration, files),
      note: (level, text) => this.note(level, text),
    });
    const onUnusable = (message: string): void => {
      this.#unusable.push(message);
      this.note("warn", message);
    };
    this.catalog = new Catalog(new SchemaCache(join(this.#paths.cache, "schemas"), { onUnusable }), {
      onChange: (change) => this.notices.publish({ type: "lists", ...change }),
    });
    this.watch = new ServerWatch(this);
    this.upstreamTasks = new UpstreamTasks({
      notices: this.notices,
      lease: (entry, caller) => this.lease(entry, caller),
      limitMs: () => this.settings.base.get("task.ttl"),
    });
    this.logLevels = new LogLevels({
      instances: () => this.pool.instances(),
      note: (text) => this.note("info", text),
    });
    this.events = new EventLog({
      run: this.startedAt.getTime().toString(36),
      keep: () => this.settings.base.get("events.keep"),
    });
    this.notices.listen((notice) => {
      if (notice.type === "lists") this.events.publish("lists", notice);
    });
    this.#questions = new QuestionDesk({
      path: () =>
        options.holdsTasks
          ? join(this.#paths.state, "questions", `${this.diagnosis.configurationSet}.db`)
          : undefined,
      holdsTasks: options.holdsTasks ?? false,
      settings: () => this.settings.base,
      instances: (server) => this.pool.status().filter((instance) => instance.server === server),
      namespaceOf: (server) =>
        this.catalog.servers().find(({ process }) => process.name === server)?.definition.namespace ?? server,
      publish: (type, data) => this.events.publish(type, data),
      note: (level, text) => this.note(level, text),
    });
    this.artifacts = new ArtifactStore(join(this.#paths.state, "artifacts"), {
      onUnusable,
      limits: () => ({
        quotaBytes: this.settings.base.get("artifact.quota"),
        ttlMs: this.settings.base.get("artifact.ttl"),
      }),
    });
    const history = new HistoryStore(this.#paths.state, {
      onSetAside: (message) => this.note("error", message),
    });
    this.diagnosis = new Diagnosis(history, {
      keep: () => this.settings.base.get("diagnose.history"),
      onDrift: (drift) => this.#drifted(drift),
      note: (level, text) => this.note(level, text),
    });
    this.#pinned = new PinnedTools({
      configFile: () => this.#live.current.sources[0]?.path,
      ensureRead: async (entry, caller) =>
        this.#keeper.readHere(entry) || await this.#keeper.readAll([entry], caller, true),
      changes: () => this.diagnosis.changes(),
      rules: () => this.scriptRules,
    });
    this.pool = new ConnectionPool({
      connect: connectUpstream,
      limits: ({ name }) =>
        poolLimits(
          this.settings.base,
          this.#live.current.servers.find((definition) => definition.name === name)?.limits,
        ),
      clientInfo: { name: "mcpx", version: VERSION },
      openWith: (instance) => ({
        handlers: {
          ...this.#questions.requests.handlers(instance),
          "roots/list": async () =>
            await this.hostRoots.of(instance) ??
              { roots: offeredRoots(this.#live.current, instance.server.name, instance.callers()) },
        },
        onNotification: (method, params) => this.#notified(instance, method, params),
        onRenewed: () => {
          this.logLevels.renewed(instance);
          this.notices.publish({ type: "renewed", instance });
        },
        onNote: (text) => this.note("info", `${instance.server.name}: ${text}`),
        ...this.#remembered(instance.server.name),
      }),
      onEvent: (event) => this.#pooled(event),
    });
    this.#preparer = new ServerPreparer(options.env, {
      note: (text) => this.note("info", text),
      learn: (secrets) => this.#redactor.learn(secrets),
      configurationSet: () => this.diagnosis.configurationSet,
      ownUrl: () => options.address?.().url,
    });
    this.scripts = new ScriptProcesses(join(this.#paths.cache, "sandbox"), {
      onUnusable,
      settings: this.settings,
      ...(options.sandbox ? { sandbox: options.sandbox } : {}),
    });
    this.#requests = new ServerRequests({
      pool: this.pool,
      preparer: this.#preparer,
      catalog: this.catalog,
      questions: this.#questions,
      pinned: this.#pinned,
      redactor: this.#redactor,
      settings: this.settings,
      logLevels: this.logLevels,
      configuration: () => this.#live.current,
    });
    this.#keeper = new ListingKeeper({
      catalog: this.catalog,
      read: (entry, caller) => this.#requests.readListing(entry, caller),
      background: () => this.caller({}),
      setTimer: (run, ms) => {
        const timer = setTimeout(run, ms);
        return { cancel: () => clearTimeout(timer) };
      },
      now: Date.now,
      note: (level, text) => this.note(level, text),
      onListing: ({ digest }, listing, readAt) =>
        this.diagnosis.record(
          this.catalog.servers().filter((entry) => entry.digest === digest),
          listing,
          readAt,
        ),
    });
  }

  /**
   * Loads the configuration and the schema cache; nothing is started but what `pool.min` keeps started.
   *
   * @throws {McpxError} `invalid-config`
   */
  static async open(options: EngineOptions): Promise<Engine> {
    const engine = new Engine(options);
    await engine.reload();
    return engine;
  }

  /** Puts questions to whoever may answer them. */
  get broker(): Broker {
    return this.#questions.broker;
  }

  /** What runs for callers, and goes on without them. */
  get tasks(): Tasks {
    return this.#questions.tasks;
  }

  get configuration(): Configuration {
    return this.#live.told;
  }

  /** The folders that this user's files are in. */
  get paths(): McpxPaths {
    return this.#paths;
  }

  /** Where the search for configuration started. */
  get cwd(): string {
    return this.#options.cwd;
  }

  /** Reads the configuration again; on an error what runs goes on as it was. @throws {McpxError} `invalid-config` */
  async reload(): Promise<void> {
    await this.#live.reload();
    await this.#poolReloads;
  }

  /**
   * Reads the configuration again where its files are not what they were: whoever asks after an edit is answered by it. What the edit
   * ends is ended behind whoever asks; files that cannot be used are told of, and what was read before stays in use.
   */
  refresh(): Promise<void> {
    return this.#live.refresh();
  }

  /** A caller with the settings that its request brings. */
  caller(
    request: Partial<Omit<Caller, "settings" | "env">> & {
      env?: Readonly<Record<string, string>>;
      values?: RequestSettings["values"];
    },
  ): Caller {
    const { env, values, ...rest } = request;
    return {
      surface: "http",
      identity: {},
      signal: new AbortController().signal,
      emit: () => undefined,
      ...rest,
      env: env ?? this.#options.env,
      settings: this.settings.forRequest({ ...(env ? { env } : {}), ...(values ? { values } : {}) }),
    };
  }

  /** The servers that a caller sees, in the order of the configuration. */
  visibleServers(caller: Caller): CatalogServer[] {
    return this.catalog.visible(caller.settings.get("servers.groups"));
  }

  /** Reads servers that were never read, or all `again`; gives the reasons of those that cannot be read. */
  readListings(
    caller: Caller,
    options: { only?: string | undefined; again?: boolean } = {},
  ): Promise<ServerProblem[]> {
    const entries = options.only === undefined
      ? this.visibleServers(caller)
      : [this.catalog.server(options.only)];
    return this.#keeper.readAll(entries, caller, options.again ?? false);
  }

  /** Reads again, behind whoever asked, what has grown old of servers that run. */
  readAgain(entries: readonly CatalogServer[]): void {
    if (entries.length === 0) return;
    const running = new Set(this.pool.status().map(({ server }) => server));
    for (const entry of entries) if (running.has(entry.process.name)) this.#keeper.notice(entry);
  }

  /** The tool that a name means; see {@link findTool}. */
  resolveTool(name: string, caller: Caller): Promise<CatalogTool> {
    return findTool({ catalog: this.catalog, keeper: this.#keeper }, name, caller);
  }

  /** Calls a tool and gives the envelope as the server sent it. */
  async callRaw(tool: CatalogTool, sent: JsonObject, caller: Caller, run?: PoolRun): Promise<JsonObject> {
    const { annotations } = tool.tool;
    return await this.request(
      this.catalog.server(tool.server),
      "tools/call",
      { name: tool.tool.name, arguments: sent },
      caller,
      {
        idempotent: annotations?.readOnlyHint === true || annotations?.idempotentHint === true,
        ...(run ? { run } : {}),
      },
    );
  }

  /** Sends one request to a server; see {@link ServerRequests.request}. */
  request(
    entry: CatalogServer,
    method: string,
    params: JsonObject,
    caller: Caller,
    options: UpstreamRequestOptions,
  ): Promise<JsonObject> {
    return this.#requests.request(entry, method, params, caller, options);
  }

  /** Holds an instance of a server in the caller's scope until the lease is released. */
  lease(entry: CatalogServer, caller: Caller): Promise<Lease> {
    return this.#requests.lease(entry, caller);
  }

  /** Whether an instance is one that serves a caller: what it says of its own accord is for the caller too. */
  serves(instance: InstanceView, caller: Caller): boolean {
    return this.visibleServers(caller).some((entry) => this.#requests.reaches(entry, caller, instance));
  }

  /** Has what a server asks for the sake of a task put to whoever began it; see {@link UpstreamRequests.ownTask}. */
  ownTask(instance: InstanceView, taskId: string, owner: CallerAnswers): Disposable {
    return this.#questions.requests.ownTask(instance, taskId, owner);
  }

  /** Stops the instances of one server, or of all; gives how many. */
  async restart(name?: string): Promise<number> {
    const names = name === undefined
      ? this.catalog.servers().map(({ definition }) => definition.name)
      : [this.catalog.server(name).process.name];
    const before = this.pool.status().filter(({ server }) => names.includes(server)).length;
    await Promise.all(names.map((server) => this.pool.stopServer(server)));
    return before;
  }

  /**
   * The value of a secret setting. In a file or a variable `${env:…}`, `${file:…}` and `${cmd:…}` are expanded by the daemon's own
   * environment; what was set while it runs is taken as it is. From then on it shows in no log and no error.
   *
   * @throws {McpxError} `missing-variable`, `server-config`
   */
  async secret(path: "model.apiKey"): Promise<string> {
    const { layer, source } = this.settings.base.explain(path);
    const text = this.settings.base.get(path);
    const expands = layer === "file" || layer === "environment";
    const value = expands
      ? await expandString(text, {
        env: this.#options.env,
        file: source,
        field: path,
        folder: this.#paths.config,
        allowCommands: true,
      })
      : text;
    this.#redactor.learn([value]);
    return value;
  }

  /** The folder of the project's nearest configuration file, where there is one. */
  get projectFolder(): string | undefined {
    const file = this.#live.current.sources.findLast(({ kind }) => kind === "project");
    return file === undefined ? undefined : dirname(file.path);
  }

  /** Whose scripts, hooks and lock files are used: this user's, root's, and what was trusted by its content. */
  get scriptRules(): ScriptRules {
    return {
      users: ownUsers(this.#options.env),
      isTrusted: async (path, bytes) =>
        (await this.#live.trust()).isTrusted(await Deno.realPath(path), await sha256(bytes)),
    };
  }

  /**
   * The folders that a caller's named scripts are looked up in: upward from where it says that it is, or from the project where it
   * does not say, or comes over TCP.
   */
  scriptFolders(caller: Caller): string[] {
    const said = caller.isRemote === true ? undefined : caller.identity.cwd;
    const cwd = said ?? this.projectFolder;
    return scriptFolders({
      ...(cwd === undefined ? {} : { cwd }),
      user: join(this.#paths.config, "scripts"),
    });
  }

  /** Sets or takes back a runtime value; hot ones act at once. */
  setRuntimeSetting(
    path: SettingPath,
    value: string | undefined,
  ): { setting: Provenance; restartRequired: boolean } {
    this.settings.setRuntime(path, value);
    this.broker.sampler = modelSampler(this);
    this.pool.reconsider();
    this.scripts.reconsider();
    this.logLevels.reconsider();
    if (path === "pool.min") void this.#reloadPool(this.#live.current.servers);
    return { setting: this.settings.base.explain(path), restartRequired: !settingRow(path).hot };
  }

  status(): EngineStatus {
    return {
      version: VERSION,
      pid: Deno.pid,
      startedAt: this.startedAt.toISOString(),
      uptimeMs: Date.now() - this.startedAt.getTime(),
      ...this.#options.address?.(),
      configFiles: this.#live.current.sources.map(({ path }) => path),
      memoryBytes: Deno.memoryUsage().rss,
      active: this.active,
      instances: this.pool.status(),
      failures: [...this.pool.failures()].map(([server, failure]) =>
        this.#redactor.value({ server, ...failure })
      ),
      notes: [...this.#unusable, ...this.configuration.notes],
      ...(this.scripts.status ? { sandbox: this.scripts.status } : {}),
    };
  }

  requestStop(options: { drain: boolean }): void {
    this.#options.onStop?.(options);
  }

  note(level: EngineRecord["level"], text: string, data?: Record<string, unknown>): void {
    this.#options.onRecord?.({
      level,
      text: this.#redactor.text(text),
      ...(data ? { data: this.#redactor.value(data) } : {}),
    });
  }

  /** Whether something runs, whoever waits for it. */
  get busy(): boolean {
    return this.active > 0 || this.tasks.size > 0;
  }

  /** Asks nothing any more, and settles when no task runs. */
  leave(): Promise<void> {
    this.events.close();
    return this.#questions.leave();
  }

  /** Stops every server and sandbox; calls in flight may finish within `graceMs`. */
  async close(options: { graceMs?: number } = {}): Promise<void> {
    this.events.close();
    await this.#questions.close();
    this.#keeper.close();
    this.watch.close();
    this.upstreamTasks.close();
    await Promise.all([this.scripts.close(), this.pool.close({ graceMs: options.graceMs ?? 0 })]);
    // A reading that had its answer still writes it down.
    await this.#keeper.settled();
    await this.artifacts.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #apply({ servers, sources }: Configuration, files: readonly ConfigFile[]): Promise<void> {
    this.diagnosis.configurationSet = configSetKey(files);
    this.broker.sampler = modelSampler(this);
    this.scripts.reconsider();
    this.#preparer.clear();
    await this.catalog.setServers(servers);
    this.#poolReloads = this.#poolReloads.then(() => this.#reloadPool(servers))
      .catch((error) => this.note("error", McpxError.from(error).message));
    this.events.publish("configuration", { files: sources.map(({ path }) => path) });
  }

  /** Stops what no definition asks for any more, and keeps `min` started; what lacks a variable is left until it is called. */
  async #reloadPool(definitions: readonly ServerDefinition[]): Promise<void> {
    const usable = definitions.filter(({ error, disabled, aliasOf }) =>
      !error && !disabled && aliasOf === undefined
    );
    const background = this.caller({});
    const current: PooledServer[] = [];
    for (const definition of usable) {
      try {
        current.push(await this.#preparer.prepare(definition, background));
      } catch (error) {
        this.note("info", McpxError.from(error).message);
      }
    }
    await this.pool.reload((server) => this.#preparer.isCurrent(server, definitions));
    this.pool.maintain(current);
  }

  #remembered(server: string): Pick<Parameters<typeof connectUpstream>[1], "remembered"> {
    const version = this.catalog.servers().find(({ process }) => process.name === server)?.cached?.listing
      .protocolVersion;
    return version === undefined ? {} : { remembered: version >= "2026" ? "modern" : "legacy" };
  }

  #notified(instance: InstanceView, method: string, params: JsonObject): void {
    if (!method.endsWith("/list_changed")) {
      return this.notices.publish({ type: "notification", instance, method, params });
    }
    const entry = this.catalog.servers().find(({ process }) => process.name === instance.server.name);
    if (entry) this.#keeper.notice(entry);
  }

  /** A reading of a server found its tools changed. */
  #drifted(drift: Drift): void {
    this.note(drift.changes.some(needsReading) ? "warn" : "info", driftText(drift));
    this.driftNews.add(drift);
    this.events.publish("drift", drift);
  }

  #pooled(event: PoolEvent): void {
    const { type, server, ...data } = event;
    const level = type === "failed" || (type === "stopped" && event.end?.kind === "exited") ? "warn" : "info";
    this.note(level, `${server}: ${type}`, data);
    this.#options.onPool?.(event);
    this.events.publish("instance", { event: type, server, ...data });
    if (type !== "started") return;
    this.logLevels.reconsider();
    const entry = this.catalog.servers().find(({ process }) => process.name === server);
    if (entry) this.#keeper.started(entry);
  }
}
