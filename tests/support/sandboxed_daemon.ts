import { startDaemon } from "../../daemon/daemon.ts";

/*
 * A daemon whose sandboxes are set up as a test says, in the JSON of its first argument: from which program they start, which layers are
 * left out. No setting and no variable of mcpx's own can do that.
 */

if (import.meta.main) {
  const { sandbox, settings } = JSON.parse(Deno.args[0] ?? "{}");
  const daemon = await startDaemon({ cwd: Deno.cwd(), env: Deno.env.toObject(), settings, sandbox });
  await Deno.stdout.write(new TextEncoder().encode(`${JSON.stringify({ url: daemon.url })}\n`));
  Deno.addSignalListener("SIGTERM", () => daemon.stop());
  await daemon.stopped;
  Deno.exit(0);
}
