// A sandbox process loads nothing but the sandbox, and a command nothing of the daemon: hence specifiers that the runtime resolves
// only when it gets there.
if (Deno.args[0] === "__sandbox") {
  const { sandboxMain } = await import(
    "./lib/sandbox/host.ts" as string
  ) as typeof import("./lib/sandbox/host.ts");
  await sandboxMain();
} else {
  const [{ runCli }, { processIo }, { MANIFEST }] = await Promise.all([
    import("./lib/cli/main.ts"),
    import("./lib/cli/io.ts"),
    import("./lib/cli/manifest.ts"),
  ]);
  const status = await runCli(Deno.args, processIo(), {
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
  Deno.exit(status);
}
