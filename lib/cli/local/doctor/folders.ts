import { clientConfig } from "../../client_config.ts";
import { type CommandContext, globalText } from "../../context.ts";
import { McpxError } from "../../../errors/mod.ts";
import type { Check } from "./check.ts";

const OLDEST = [2, 9];

/** Checks the runtime, and that mcpx's folders can be written and are this user's alone. */
export async function checkFolders(cx: CommandContext): Promise<Check[]> {
  const checks = [runtime()];
  let paths;
  try {
    ({ paths } = clientConfig(cx.io, globalText(cx.invocation, "config")));
  } catch (error) {
    // A --config that names no file is the configuration's own failure.
    if (McpxError.from(error).code === "invalid-config") return checks;
    return [...checks, failed("folders", McpxError.from(error))];
  }
  for (const name of ["state", "cache"] as const) checks.push(await folder(name, paths[name]));
  checks.push(
    paths.runtimeFallback
      ? {
        name: "sockets",
        state: "ok",
        message: `XDG_RUNTIME_DIR is not set, so sockets are in ${paths.runtime}`,
      }
      : { name: "sockets", state: "ok", message: paths.runtime },
  );
  return checks;
}

/** A check that failed with an error. */
export function failed(name: string, error: McpxError): Check {
  return {
    name,
    state: "fail",
    message: error.message,
    ...(error.hint === undefined ? {} : { hint: error.hint }),
  };
}

function runtime(): Check {
  const [major = 0, minor = 0] = Deno.version.deno.split(".").map(Number);
  const [needMajor = 0, needMinor = 0] = OLDEST;
  const message = `Deno ${Deno.version.deno}, ${Deno.build.target}`;
  if (Deno.build.os === "windows") {
    return {
      name: "runtime",
      state: "fail",
      message: `${message}: Windows is not supported yet`,
      hint: "Use WSL.",
    };
  }
  if (major > needMajor || (major === needMajor && minor >= needMinor)) {
    return { name: "runtime", state: "ok", message };
  }
  return {
    name: "runtime",
    state: "fail",
    message: `${message}, but mcpx needs ${OLDEST.join(".")} or newer`,
    hint: "deno upgrade",
  };
}

async function folder(name: string, path: string): Promise<Check> {
  const what = `${name} folder`;
  try {
    await Deno.mkdir(path, { recursive: true, mode: 0o700 });
    const probe = await Deno.makeTempFile({ dir: path, prefix: ".doctor-" });
    await Deno.remove(probe);
    const { mode } = await Deno.stat(path);
    if (name === "state" && mode !== null && (mode & 0o077) !== 0) {
      return {
        name: what,
        state: "warn",
        message: `others can look into ${path}`,
        hint: `chmod 700 ${path}`,
      };
    }
    return { name: what, state: "ok", message: path };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return {
      name: what,
      // Without a cache everything works, only slower.
      state: name === "cache" ? "warn" : "fail",
      message: `${path} cannot be written: ${reason}`,
      hint: `ls -ld ${path}`,
    };
  }
}
