import type { CatalogTool } from "../catalog/mod.ts";
import { McpxError } from "../errors/mod.ts";
import type { Caller } from "./caller.ts";
import type { Catalog } from "./catalog.ts";
import type { ListingKeeper } from "./listing_keeper.ts";
import { disabledError } from "./server_requests.ts";

/**
 * The tool that a name means; a server whose cache does not know it is read once more before that is an error.
 *
 * @throws {McpxError} `unknown-server`, `unknown-tool`, `ambiguous-tool`, `hidden-tool`, or why the server cannot be read
 */
export async function findTool(
  { catalog, keeper }: { catalog: Catalog; keeper: ListingKeeper },
  name: string,
  caller: Caller,
): Promise<CatalogTool> {
  const groups = caller.settings.get("servers.groups");
  // A bare name means one tool only once every server has been read.
  if (!name.includes(".")) await keeper.readAll(catalog.visible(groups), caller, false);
  try {
    return catalog.resolve(name, groups);
  } catch (error) {
    if (!(error instanceof McpxError) || error.code === "hidden-tool" || error.code === "ambiguous-tool") {
      throw error;
    }
    const visible = catalog.visible(groups);
    const named = visible.filter(({ definition }) =>
      name.startsWith(`${definition.namespace}.`) || name.startsWith(`${definition.name}.`)
    );
    const [only] = named;
    if (only?.definition.error) throw only.definition.error;
    if (only?.definition.disabled) throw disabledError(only.definition);
    const stale = (only ? named : visible).filter((entry) => !entry.cached || !keeper.readHere(entry));
    if (stale.length === 0) throw error;
    await keeper.readAll(stale, caller, true);
    if (only && !only.cached && only.failure) throw only.failure;
    return catalog.resolve(name, groups);
  }
}
