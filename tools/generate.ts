/**
 * Writes what is derived from the tables: the command line's manifest, the OpenAPI document, the configuration's JSON Schema and the
 * reference pages. `--check` writes nothing and fails where a file is not what it should be.
 *
 * @module
 */
import { fixedAnswersSource } from "./generate/fixed_answers.ts";
import { configJsonSchema } from "../lib/config/json_schema.ts";
import { manifestSource } from "./generate/manifest.ts";
import { referencePages } from "./generate/reference.ts";
import { shippedScriptsSource } from "./generate/shipped_scripts.ts";
import { openApiDocument } from "../lib/operations/openapi.ts";

const root = new URL("../", import.meta.url);

/** Every generated file, by its path from the root. */
export async function generatedFiles(): Promise<Map<string, string>> {
  return new Map([
    ["lib/cli/manifest.ts", manifestSource()],
    ["lib/engine/shipped_scripts.ts", await shippedScriptsSource(new URL("recipes/", root))],
    ["lib/cli/fixed_answers.ts", await fixedAnswersSource()],
    ["docs/reference/openapi.json", `${JSON.stringify(openApiDocument(), null, 2)}\n`],
    ["docs/reference/config.schema.json", `${JSON.stringify(configJsonSchema(), null, 2)}\n`],
    ...referencePages(),
  ]);
}

if (import.meta.main) {
  const stale: string[] = [];
  for (const [path, text] of await generatedFiles()) {
    const file = new URL(path, root);
    const present = await Deno.readTextFile(file).catch(() => "");
    if (present === text) continue;
    stale.push(path);
    if (Deno.args.includes("--check")) continue;
    await Deno.mkdir(new URL("./", file), { recursive: true });
    await Deno.writeTextFile(file, text);
  }
  const report = stale.length === 0
    ? "Generated files are fresh."
    : `${Deno.args.includes("--check") ? "Not fresh" : "Wrote"}: ${stale.join(", ")}`;
  await Deno.stdout.write(new TextEncoder().encode(`${report}\n`));
  if (stale.length > 0 && Deno.args.includes("--check")) Deno.exit(1);
}
