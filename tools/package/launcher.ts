import { SEALED_FLAGS } from "../../lib/cli/sealed_flags.ts";
import { ROOT } from "./run.ts";

/** The shell script that starts a form of mcpx. */
export async function launcher(form: "npm" | "single"): Promise<string> {
  const script = await Deno.readTextFile(`${ROOT}tools/package/launchers/${form}.sh`);
  return script.replace("@FLAGS@", SEALED_FLAGS.join(" "));
}
