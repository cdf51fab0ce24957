import { McpxError } from "../errors/mod.ts";
import { type KindValues, parseValue, printValue } from "./kinds.ts";
import { settingVariable } from "./names.ts";
import { fileValue, ignoredNote } from "./project_values.ts";
import { isSettingPath, type SettingPath, type SettingRow, settingRow, SETTINGS } from "./table.ts";

/** The layers a value can come from, lowest first. */
export const LAYERS = ["default", "file", "environment", "runtime", "flag", "request"] as const;
/** The name of a layer. */
export type Layer = (typeof LAYERS)[number];

/** The type of a setting's parsed value. */
export type SettingValue<P extends SettingPath> = KindValues[(typeof SETTINGS)[P]["kind"]];

/** One value that some layer gives a setting. */
export interface LayeredValue {
  layer: Layer;
  /** The file, the variable, or the flag. */
  source: string;
  value: unknown;
  /** Of a project's file: whether the user has agreed to what it says. Such a value loosens nothing that protects the user. */
  project?: "trusted" | "untrusted";
}

/** Where a setting's value came from, and what it displaced. */
export interface Provenance {
  path: SettingPath;
  value: unknown;
  /** The value as a user would write it. */
  text: string;
  layer: Layer;
  source: string;
  /** What lower layers said, highest first. */
  displaced: { text: string; layer: Layer; source: string }[];
  /** The ceiling that lowered the value, where one did. */
  clampedBy?: Clamp;
  /** Sentences about values of project files that were not taken. */
  notes?: string[];
  /** Of a ceiling: every word that binds. Where they are not ordered, what all of them allow is less than the lowest does. */
  bounds?: string[];
}

/** The ceiling that lowered a value. */
export interface Clamp {
  /** The ceiling's path. */
  setting: string;
  /** Its value, the layer that it has from, and the file or variable. */
  value: string;
  /** The layer that the ceiling has its value from. */
  layer: Layer;
  /** The file, the variable or the flag. */
  source: string;
  /** All of it in one line. */
  text: string;
  /** What was asked for. */
  requested: string;
}

/** Unparsed values of one layer. */
export interface LayerInput {
  layer: Exclude<Layer, "default">;
  /** Lowest first. */
  entries: readonly { path: string; value: unknown; source: string; project?: LayeredValue["project"] }[];
}

/** The settings in force: every read goes through `get`, so what is hot is read anew. */
export class ResolvedSettings {
  readonly #values: ReadonlyMap<SettingPath, readonly LayeredValue[]>;
  readonly #cache = new Map<SettingPath, unknown>();

  private constructor(values: ReadonlyMap<SettingPath, readonly LayeredValue[]>) {
    this.#values = values;
  }

  /**
   * Resolves layers into values.
   *
   * @param layers unparsed values, in any order
   * @throws {McpxError} `unknown-setting`, `invalid-input`
   *
   * @example
   * ```ts
   * import { ResolvedSettings } from "./resolve.ts";
   * const settings = ResolvedSettings.from([
   *   { layer: "flag", entries: [{ path: "exec.timeout", value: "5s", source: "--exec-timeout" }] },
   * ]);
   * console.assert(settings.get("exec.timeout") === 5000);
   * ```
   */
  static from(layers: readonly LayerInput[]): ResolvedSettings {
    return new ResolvedSettings(stack(new Map(), layers));
  }

  /** These settings with further layers on top. */
  with(layers: readonly LayerInput[]): ResolvedSettings {
    if (layers.every((layer) => layer.entries.length === 0)) return this;
    return new ResolvedSettings(stack(this.#values, layers));
  }

  /** The value in force. Durations are ms, sizes are bytes. */
  get<P extends SettingPath>(path: P): SettingValue<P> {
    if (!this.#cache.has(path)) this.#cache.set(path, this.#resolve(path).value);
    return this.#cache.get(path) as SettingValue<P>;
  }

  /** The value in force, where it came from, and what it displaced; a secret only as a mark that there is one. */
  explain(path: SettingPath): Provenance {
    const provenance = this.#resolve(path);
    return settingRow(path).secret ? hidden(provenance) : provenance;
  }

  #resolve(path: SettingPath): Provenance {
    const row = settingRow(path);
    const candidates: LayeredValue[] = [
      { layer: "default", source: "default", value: parseValue(row.kind, row.default, path, row.values) },
      ...(this.#values.get(path) ?? []),
    ];
    const bounding = row.ceiling ? boundingOf(candidates) : undefined;
    const { value: base, ignored } = fileValue(candidates, row);
    const above = candidates.findLast(({ layer }) => layer !== "default" && layer !== "file");
    const chosen = bounding ? lowest(bounding, row) : above ?? base;
    const notes = bounding ? [] : ignored.map((one) => ignoredNote(path, one, row));
    if (!chosen) throw new McpxError("unknown-setting", `Cannot read ${path}: it has no value.`);
    const text = printValue(row.kind, chosen.value);
    const provenance: Provenance = {
      path,
      value: chosen.value,
      text,
      layer: chosen.layer,
      source: chosen.source,
      displaced: candidates.filter((candidate) => candidate !== chosen).reverse().map((candidate) => ({
        text: printValue(row.kind, candidate.value),
        layer: candidate.layer,
        source: candidate.source,
      })),
      ...(notes.length > 0 ? { notes } : {}),
      ...(bounding ? { bounds: bounding.map(({ value }) => printValue(row.kind, value)) } : {}),
    };
    return row.clampedBy && isSettingPath(row.clampedBy)
      ? this.#clamp(provenance, row, row.clampedBy)
      : provenance;
  }

  #clamp(provenance: Provenance, row: SettingRow, by: SettingPath): Provenance {
    const ceiling = this.#resolve(by);
    const order = settingRow(by).values ?? [];
    if (order.indexOf(provenance.text) <= order.indexOf(ceiling.text)) return provenance;
    const allowed = (row.values ?? []).filter((word) => order.indexOf(word) <= order.indexOf(ceiling.text));
    // Where even its lowest word is more than is allowed, the ceiling's own word says how little that is.
    const lowered = allowed[allowed.length - 1] ?? ceiling.text;
    return {
      ...provenance,
      value: lowered,
      text: lowered,
      clampedBy: {
        setting: by,
        value: ceiling.text,
        layer: ceiling.layer,
        source: ceiling.source,
        text: `${by} = ${ceiling.text} (${ceiling.layer}: ${ceiling.source})`,
        requested: provenance.text,
      },
    };
  }
}

const HIDDEN = "(hidden)";

function hidden(provenance: Provenance): Provenance {
  const text = (value: string): string => value === "" ? "" : HIDDEN;
  return {
    ...provenance,
    value: text(provenance.text),
    text: text(provenance.text),
    displaced: provenance.displaced.map((one) => ({ ...one, text: text(one.text) })),
  };
}

/** Reads the `MCPX_…` variables that are settings. */
export function environmentLayer(env: Readonly<Record<string, string | undefined>>): LayerInput {
  const entries: { path: string; value: unknown; source: string }[] = [];
  for (const path of Object.keys(SETTINGS)) {
    const name = settingVariable(path);
    const value = env[name];
    if (value !== undefined && value !== "") entries.push({ path, value, source: name });
  }
  return { layer: "environment", entries };
}

function stack(
  base: ReadonlyMap<SettingPath, readonly LayeredValue[]>,
  layers: readonly LayerInput[],
): Map<SettingPath, readonly LayeredValue[]> {
  const values = new Map<SettingPath, readonly LayeredValue[]>(base);
  for (const layer of layers) {
    for (const entry of layer.entries) {
      if (!isSettingPath(entry.path)) {
        throw new McpxError(
          "unknown-setting",
          `Cannot set ${entry.path}: there is no such setting (${entry.source}).`,
          {
            hint: "mcpx settings list",
          },
        );
      }
      const row = settingRow(entry.path);
      const value = parseValue(row.kind, entry.value, `${entry.path} (${entry.source})`, row.values);
      const { source, project } = entry;
      const added = { layer: layer.layer, source, value, ...(project ? { project } : {}) };
      const merged = [...(values.get(entry.path) ?? []), added];
      values.set(entry.path, merged.sort((a, b) => LAYERS.indexOf(a.layer) - LAYERS.indexOf(b.layer)));
    }
  }
  return values;
}

function lowest(candidates: readonly LayeredValue[], row: SettingRow): LayeredValue | undefined {
  const order = row.values ?? [];
  return candidates.reduce<LayeredValue | undefined>(
    (low, next) =>
      low === undefined || order.indexOf(String(next.value)) < order.indexOf(String(low.value)) ? next : low,
    undefined,
  );
}

/** What binds a ceiling: every file and the environment, or the default where they say nothing; a project's file beside either. */
function boundingOf(candidates: readonly LayeredValue[]): LayeredValue[] {
  const given = candidates.filter(({ layer }) =>
    layer === "file" || layer === "environment" || layer === "flag"
  );
  const own = given.filter(({ project }) => !project);
  const base = own.length > 0 ? own : candidates.filter(({ layer }) => layer === "default");
  return [...base, ...given.filter(({ project }) => project)];
}
