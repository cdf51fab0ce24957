/** A daemon of its own process, for tests of starting one: `<socket> <key> <version> <behaviour> <file of starts>`. */
const [socket, key, version, behaviour, starts] = Deno.args;

if (socket !== undefined && key !== undefined && starts !== undefined) {
  Deno.writeTextFileSync(starts, `${Deno.pid}\n`, { append: true });
  if (behaviour === "fail") {
    await Deno.stderr.write(new TextEncoder().encode("cannot read the configuration\n"));
    Deno.exit(3);
  }
  if (behaviour === "hang") await new Promise((resolve) => setTimeout(resolve, 3_600_000));
  const server = Deno.serve({ transport: "unix", path: socket, onListen: () => {} }, (request) => {
    const path = new URL(request.url).pathname;
    if (path === "/v1/health") {
      return Response.json({ version, pid: Deno.pid, key, startedAt: "", ready: true });
    }
    if (path === "/v1/stop") {
      queueMicrotask(() => void server.shutdown().then(() => Deno.exit(0)));
      return Response.json({ stopping: true, pid: Deno.pid });
    }
    return Response.json({ pid: Deno.pid });
  });
  await Deno.stdout.write(new TextEncoder().encode("ready\n"));
}
