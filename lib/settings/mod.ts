/** The settings table and how layers resolve into values. @module */
export { type KindValues, parseValue, printValue, type SettingKind } from "./kinds.ts";
export { looseningNotes } from "./project_values.ts";
export { settingFlag, settingVariable } from "./names.ts";
export {
  type Clamp,
  environmentLayer,
  type Layer,
  type LayeredValue,
  type LayerInput,
  LAYERS,
  type Provenance,
  ResolvedSettings,
  type SettingValue,
} from "./resolve.ts";
export {
  GUARDED_SETTINGS,
  isSettingPath,
  type ProjectRule,
  SETTING_GROUPS,
  type SettingPath,
  type SettingRow,
  settingRow,
  SETTINGS,
  type SettingScope,
} from "./table.ts";
