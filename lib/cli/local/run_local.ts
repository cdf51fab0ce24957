import { McpxError } from "../../errors/mod.ts";
import type { CommandContext } from "../context.ts";
import type { LocalCommand } from "../local_commands.ts";

/**
 * Runs a command about this machine.
 *
 * @returns the exit status
 * @throws {McpxError} what the command throws, and `usage` for a setting's flag that it would not read
 */
export async function runLocal(cx: CommandContext, command: LocalCommand): Promise<number> {
  if (command.local !== "daemon" && command.local !== "serve" && !command.asksDaemon) {
    refuseSettings(cx, command);
  }
  const words = cx.invocation.values;
  switch (command.local) {
    case "help": {
      const { showHelp } = await import("../help.ts" as string) as typeof import("../help.ts");
      const asked = words.get("command");
      return await showHelp(cx, Array.isArray(asked) ? asked.flatMap((word) => word.split(" ")) : []);
    }
    case "paths": {
      const { showPaths } = await import("./paths.ts" as string) as typeof import("./paths.ts");
      return await showPaths(cx);
    }
    case "daemons": {
      const { showDaemons } = await import("./daemons.ts" as string) as typeof import("./daemons.ts");
      return await showDaemons(cx);
    }
    case "completion": {
      const { printCompletion } = await import(
        "../completion/completion_script.ts" as string
      ) as typeof import("../completion/completion_script.ts");
      return await printCompletion(cx, String(words.get("shell")));
    }
    case "complete": {
      const { printCandidates } = await import(
        "../completion/complete.ts" as string
      ) as typeof import("../completion/complete.ts");
      const line = words.get("words");
      return await printCandidates(cx, Array.isArray(line) ? line : []);
    }
    case "daemon": {
      const { runDaemonHere } = await import("./daemon.ts" as string) as typeof import("./daemon.ts");
      return await runDaemonHere(cx);
    }
    case "init": {
      const { makeFirstFile } = await import("./init.ts" as string) as typeof import("./init.ts");
      return await makeFirstFile(cx);
    }
    case "doctor": {
      const { runDoctor } = await import("./doctor.ts" as string) as typeof import("./doctor.ts");
      return await runDoctor(cx);
    }
    case "trust": {
      const { runTrust } = await import("./trust.ts" as string) as typeof import("./trust.ts");
      return await runTrust(cx);
    }
    case "import": {
      const { importHosts } = await import("./import.ts" as string) as typeof import("./import.ts");
      return await importHosts(cx);
    }
    case "install": {
      const { installInto } = await import("./install.ts" as string) as typeof import("./install.ts");
      return await installInto(cx);
    }
    case "uninstall": {
      const { uninstall } = await import("./uninstall.ts" as string) as typeof import("./uninstall.ts");
      return await uninstall(cx);
    }
    case "man": {
      const { printManual } = await import("./man.ts" as string) as typeof import("./man.ts");
      return await printManual(cx);
    }
    case "serve": {
      const { serveHere } = await import("./serve.ts" as string) as typeof import("./serve.ts");
      return await serveHere(cx);
    }
  }
}

function refuseSettings(cx: CommandContext, command: LocalCommand): void {
  const row = cx.manifest.settings.find((one) => cx.invocation.settings.has(one.path));
  if (!row) return;
  const name = command.words.join(" ");
  throw new McpxError("usage", `Cannot use --${row.flag} with mcpx ${name}: the command does not read it.`, {
    hint: `mcpx ${name} --help`,
  });
}
