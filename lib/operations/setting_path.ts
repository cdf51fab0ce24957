import { nearest } from "../catalog/mod.ts";
import { McpxError } from "../errors/mod.ts";
import { isSettingPath, type SettingPath, SETTINGS } from "../settings/mod.ts";

/** The path of a setting that exists. @throws {McpxError} `unknown-setting` with the nearest */
export function requireSetting(path: string): SettingPath {
  if (isSettingPath(path)) return path;
  const near = nearest(path, Object.keys(SETTINGS));
  throw new McpxError("unknown-setting", `Cannot find ${path}: there is no such setting.`, {
    hint: near.length > 0 ? `Did you mean ${near.join(" or ")}?` : "mcpx settings list",
  });
}
