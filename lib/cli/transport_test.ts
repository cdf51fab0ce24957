import assert from "node:assert/strict";
import { McpxError } from "../errors/mod.ts";
import { readText } from "./api.ts";
import { HttpConnection } from "./transport.ts";

/** Listens, and answers each connection with what `serve` does. */
async function withServer(
  serve: (conn: Deno.Conn) => Promise<void>,
  use: (port: number) => Promise<void>,
): Promise<void> {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const served: Promise<void>[] = [];
  const accepting = (async () => {
    for await (const conn of listener) served.push(serve(conn));
  })();
  try {
    await use(listener.addr.port);
  } finally {
    listener.close();
    await accepting;
    await Promise.all(served);
  }
}

const get = { method: "GET", path: "/x", headers: {} };
const never = new AbortController().signal;

/** Reads until the request's head is over, then writes the pieces one by one. */
async function answer(conn: Deno.Conn, pieces: readonly string[]): Promise<void> {
  const bytes = new Uint8Array(4096);
  for (let seen = ""; !seen.includes("\r\n\r\n");) {
    const read = await conn.read(bytes);
    if (read === null) break;
    seen += new TextDecoder().decode(bytes.subarray(0, read));
  }
  for (const piece of pieces) await conn.write(new TextEncoder().encode(piece));
  conn.close();
}

async function fetched(pieces: readonly string[]): Promise<string> {
  let text = "";
  await withServer((conn) => answer(conn, pieces), async (port) => {
    const api = await HttpConnection.open({ kind: "tcp", hostname: "127.0.0.1", port });
    try {
      text = await readText(await api.request(get, never));
    } finally {
      api.close();
    }
  });
  return text;
}

Deno.test("a body is read by its length, by chunks or to the end, however it is split", async () => {
  const whole = {
    length: "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nzürix",
    chunks:
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;a=b\r\nzü\r\n3\r\nrix\r\n0\r\nx: y\r\n\r\n",
    end: "HTTP/1.1 200 OK\r\n\r\nzürix",
    interim: "HTTP/1.1 103 Early\r\nlink: x\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nzürix",
  };
  for (const [name, text] of Object.entries(whole)) {
    assert.equal(await fetched([text]), "zürix", name);
    assert.equal(await fetched(text.split("")), "zürix", `${name}, split`);
  }
});

Deno.test("requests follow one another on one connection", async () => {
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async (request) => new Response(await request.text() + new URL(request.url).search),
  );
  const api = await HttpConnection.open({ kind: "tcp", hostname: "127.0.0.1", port: server.addr.port });
  const big = "x".repeat(300_000);
  for (const body of ["a", big, "c"]) {
    const request = { method: "POST", path: "/?q", headers: {}, body };
    assert.equal(await readText(await api.request(request, never)), `${body}?q`);
  }
  api.close();
  await server.shutdown();
});

Deno.test("a body of 32 MiB arrives whole", async () => {
  const chunk = new Uint8Array(1 << 20).fill(120);
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, () => {
    let left = 32;
    return new Response(
      new ReadableStream({
        pull(controller): void {
          if (left-- > 0) controller.enqueue(chunk);
          else controller.close();
        },
      }),
    );
  });
  const api = await HttpConnection.open({ kind: "tcp", hostname: "127.0.0.1", port: server.addr.port });
  let size = 0;
  for await (const bytes of (await api.request(get, never)).body) size += bytes.length;
  assert.equal(size, 32 << 20);
  api.close();
  await server.shutdown();
});

Deno.test("a connection that ends early or speaks something else is an error that says so", async () => {
  const cases: [string, RegExp][] = [
    ["HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nshort", /ended before the answer/],
    ["HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nab", /ended before the answer/],
    ["SSH-2.0-OpenSSH\r\n", /does not speak HTTP/],
    ["", /ended before the answer/],
  ];
  for (const [text, pattern] of cases) {
    await assert.rejects(fetched([text]), (error) => {
      assert.ok(error instanceof McpxError && error.code === "daemon-unreachable");
      assert.match(error.message, pattern);
      return true;
    });
  }
});

Deno.test("aborting closes the connection, which the other side sees", async () => {
  const gone = Promise.withResolvers<string>();
  const asked = Promise.withResolvers<void>();
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
    request.signal.addEventListener("abort", () => gone.resolve("gone"));
    asked.resolve();
    return new Promise<Response>((resolve) => void gone.promise.then(() => resolve(new Response("late"))));
  });
  const api = await HttpConnection.open({ kind: "tcp", hostname: "127.0.0.1", port: server.addr.port });
  const controller = new AbortController();
  const request = api.request(get, controller.signal);
  await asked.promise;
  controller.abort();
  await assert.rejects(request, (error) => error instanceof McpxError && error.code === "cancelled");
  assert.equal(await gone.promise, "gone");
  await server.shutdown();
});
