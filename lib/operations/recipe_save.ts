import { z } from "zod";
import { type RecipeSaveRequest, type SavedRecipe, saveRecipe } from "../engine/recipes/edit_recipe.ts";
import { defineOperation, type Operation } from "./define.ts";

/** Saves a script as a recipe. */
export const recipeSave: Operation<RecipeSaveRequest, SavedRecipe> = defineOperation({
  id: "recipe.save",
  summary: "Save a script as a recipe, once its header, its references and its calls are sound.",
  description:
    "It goes into the project's nearest .mcpx/scripts folder where there is one, else into the user's own. With " +
    "--no-diagnose-preflight its calls are not checked.",
  examples: [
    { command: "mcpx recipes save close-stale ./close_stale.ts", note: "from a file" },
    {
      command: "mcpx recipes save close-stale - --to project",
      note: "from standard input, for this project",
    },
  ],
  effect: "write",
  http: { method: "POST", path: "/v1/recipes/{name}" },
  input: z.strictObject({
    name: z.string().describe("The name it is to have."),
    script: z.string().optional().describe("A script on the search path that is saved under the name."),
    code: z.string().optional().describe("TypeScript source."),
    filename: z.string().optional().describe("Where the source came from."),
    to: z.enum(["project", "user"]).optional().describe("Whose scripts it goes to."),
    replace: z.boolean().optional().describe("Take the place of one with that name."),
  }),
  output: z.object({
    name: z.string(),
    path: z.string(),
    diagnostics: z.array(z.unknown()),
    notes: z.array(z.string()),
  }),
  cli: {
    commands: [{ words: ["recipes", "save"], positional: ["name", "script"] }],
    fields: {
      script: { reads: "script", completion: "file" },
      code: { hidden: true, onMcp: true },
      filename: { hidden: true },
    },
    render: "text:path",
  },
  settings: ["diagnose.preflight", "servers.groups"],
  errors: [
    "invalid-input",
    "invalid-recipe",
    "recipe-exists",
    "script-preflight",
    "unknown-script",
    "too-large",
    "state-unwritable",
  ],
  streams: false,
  run: (input, { engine, caller }) => saveRecipe(engine, input, caller),
});
