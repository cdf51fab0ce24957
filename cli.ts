/**
 * The command line: `mcpx --help` says what there is.
 *
 * @module
 */

// A sandbox process loads nothing but the sandbox, and a command nothing that it does not need: hence specifiers that the runtime
// resolves only when it gets there.
if (Deno.args[0] === "__sandbox") {
  const { sandboxMain } = await import(
    "./lib/sandbox/host.ts" as string
  ) as typeof import("./lib/sandbox/host.ts");
  await sandboxMain();
} else if (Deno.args[0] === "__typecheck") {
  const { typeCheckMain } = await import(
    "./lib/sandbox/types/checker_main.ts" as string
  ) as typeof import("./lib/sandbox/types/checker_main.ts");
  await typeCheckMain();
} else {
  const { runQuick } = await import("./lib/cli/quick.ts");
  Deno.exit(await runQuick(Deno.args) ?? await runHere());
}

/** Runs the command in this process. */
async function runHere(): Promise<number> {
  const [{ runCli }, { processIo }, { MANIFEST }] = await Promise.all([
    import("./lib/cli/main.ts" as string) as Promise<typeof import("./lib/cli/main.ts")>,
    import("./lib/cli/io.ts" as string) as Promise<typeof import("./lib/cli/io.ts")>,
    import("./lib/cli/manifest.ts" as string) as Promise<typeof import("./lib/cli/manifest.ts")>,
  ]);
  return await runCli(Deno.args, processIo(), {
    manifest: MANIFEST,
    entries: {
      daemon: async (options) => {
        const { daemonMain } = await import(
          "./daemon/main.ts" as string
        ) as typeof import("./daemon/main.ts");
        return await daemonMain(options);
      },
      inline: async (options) => {
        const { openInline } = await import(
          "./daemon/inline.ts" as string
        ) as typeof import("./daemon/inline.ts");
        return await openInline(options);
      },
    },
  });
}
