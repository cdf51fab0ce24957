/*
 * What a profile adds to a script's realm: `fetch` and that part of `Deno`. Every act is done by the worker, which checks it again.
 */
(function granted(kit, grants, env) {
  "use strict";
  const { define, local, bytesOf, toBase64, encodeUtf8, decodeUtf8, DOMException } = kit;
  const { fromBase64 } = Uint8Array;
  const bytesFrom = (text) => fromBase64.call(Uint8Array, text);
  const textOf = (bytes) => decodeUtf8(bytes, false, false).text.replace(/^\ufeff/, "");

  async function ask(kind, body, onId) {
    const answer = await local(kind, body, onId);
    if (answer.error === undefined) return answer.body;
    const error = new Error(answer.error.message);
    Object.defineProperty(error, "name", { value: answer.error.name, configurable: true, writable: true });
    throw error;
  }
  const pathOf = (path) => {
    if (path instanceof URL) {
      if (path.protocol !== "file:") {
        throw new TypeError(`Cannot use ${path}: a file has a path or a file: address.`);
      }
      return decodeURIComponent(path.pathname);
    }
    if (typeof path !== "string" || path === "" || path.includes("\0")) {
      throw new TypeError("Cannot use the path: it is a non-empty string.");
    }
    return path;
  };

  const deno = {};
  if (grants.read.length > 0 || grants.write !== undefined) {
    const readFile = async (path) => bytesFrom(await ask("readFile", { path: pathOf(path) }));
    deno.readFile = readFile;
    deno.readTextFile = async (path) => textOf(await readFile(path));
    deno.readDir = async function* (path) {
      yield* await ask("readDir", { path: pathOf(path) });
    };
    deno.stat = async (path) => {
      const info = await ask("stat", { path: pathOf(path) });
      return { ...info, mtime: info.mtime === null ? null : new Date(info.mtime) };
    };
  }
  if (grants.write !== undefined) {
    const write = async (path, bytes, options = {}) => {
      await ask("writeFile", {
        path: pathOf(path),
        data: toBase64(bytes),
        append: options.append === true,
        create: options.create !== false,
      });
    };
    deno.writeFile = (path, data, options) => write(path, bytesOf(data), options);
    deno.writeTextFile = (path, data, options) => write(path, encodeUtf8(String(data)), options);
    deno.mkdir = async (path, options = {}) => {
      await ask("mkdir", { path: pathOf(path), recursive: options.recursive === true });
    };
    deno.remove = async (path, options = {}) => {
      await ask("remove", { path: pathOf(path), recursive: options.recursive === true });
    };
  }
  const names = Object.keys(env);
  if (names.length > 0) {
    deno.env = Object.freeze({
      get: (name) => Object.hasOwn(env, name) ? env[name] : undefined,
      has: (name) => Object.hasOwn(env, name),
      toObject: () => ({ ...env }),
    });
  }
  if (grants.run.length > 0) {
    deno.Command = class Command {
      #command;
      #options;
      constructor(command, options = {}) {
        this.#command = String(command);
        this.#options = {
          args: (options.args ?? []).map(String),
          cwd: options.cwd === undefined ? undefined : pathOf(options.cwd),
        };
      }
      async output() {
        const done = await ask("run", { command: this.#command, ...this.#options });
        return {
          code: done.code,
          signal: done.signal,
          success: done.code === 0,
          stdout: bytesFrom(done.stdout),
          stderr: bytesFrom(done.stderr),
        };
      }
    };
  }
  if (Object.keys(deno).length > 0) define("Deno", Object.freeze(deno));
  if (grants.net.length === 0) return;

  class Headers {
    #pairs = [];
    constructor(init = {}) {
      const pairs = typeof init[Symbol.iterator] === "function" ? init : Object.entries(init);
      for (const [name, value] of pairs) this.append(name, value);
    }
    append(name, value) {
      this.#pairs.push([String(name).toLowerCase(), String(value).trim()]);
    }
    set(name, value) {
      this.delete(name);
      this.append(name, value);
    }
    delete(name) {
      this.#pairs = this.#pairs.filter(([key]) => key !== String(name).toLowerCase());
    }
    has(name) {
      return this.#pairs.some(([key]) => key === String(name).toLowerCase());
    }
    get(name) {
      const found = this.#pairs.filter(([key]) => key === String(name).toLowerCase());
      return found.length === 0 ? null : found.map(([, value]) => value).join(", ");
    }
    getSetCookie() {
      return this.#pairs.filter(([key]) => key === "set-cookie").map(([, value]) => value);
    }
    forEach(callback, self) {
      for (const [name, value] of this) callback.call(self, value, name, this);
    }
    *entries() {
      for (const name of [...new Set(this.#pairs.map(([key]) => key))].sort()) yield [name, this.get(name)];
    }
    *keys() {
      for (const [name] of this) yield name;
    }
    *values() {
      for (const [, value] of this) yield value;
    }
    [Symbol.iterator]() {
      return this.entries();
    }
  }
  class Response {
    #bytes;
    #used = false;
    constructor(body, init = {}) {
      this.#bytes = body === undefined || body === null ? new Uint8Array() : bodyBytes(body);
      this.status = init.status ?? 200;
      this.statusText = init.statusText ?? "";
      this.headers = new Headers(init.headers);
      this.url = init.url ?? "";
      this.redirected = init.redirected ?? false;
    }
    get ok() {
      return this.status >= 200 && this.status < 300;
    }
    get bodyUsed() {
      return this.#used;
    }
    bytes() {
      if (this.#used) return Promise.reject(new TypeError("Cannot read the body: it was read already."));
      this.#used = true;
      return Promise.resolve(this.#bytes);
    }
    async arrayBuffer() {
      return (await this.bytes()).slice().buffer;
    }
    async text() {
      return textOf(await this.bytes());
    }
    async json() {
      return JSON.parse(await this.text());
    }
  }
  const bodyBytes = (body) =>
    body instanceof ArrayBuffer || ArrayBuffer.isView(body) ? bytesOf(body) : encodeUtf8(String(body));
  async function fetch(input, init = {}) {
    const { signal } = init;
    signal?.throwIfAborted();
    const headers = new Headers(init.headers);
    if (init.body instanceof kit.URLSearchParams && !headers.has("content-type")) {
      headers.set("content-type", "application/x-www-form-urlencoded;charset=UTF-8");
    }
    let id;
    const sent = ask("fetch", {
      url: String(input),
      method: init.method === undefined ? "GET" : String(init.method),
      headers: [...headers],
      redirect: init.redirect,
      body: init.body === undefined || init.body === null ? undefined : toBase64(bodyBytes(init.body)),
    }, (given) => {
      id = given;
    });
    let stop;
    const aborted = new Promise((_resolve, reject) => {
      stop = () => {
        local("abort", { id });
        reject(signal.reason ?? new DOMException("This operation was aborted", "AbortError"));
      };
    });
    signal?.addEventListener("abort", stop, { once: true });
    try {
      const answer = await (signal === undefined ? sent : Promise.race([sent, aborted]));
      return new Response(bytesFrom(answer.body), answer);
    } finally {
      signal?.removeEventListener("abort", stop);
      sent.catch(() => {});
      aborted.catch(() => {});
    }
  }
  define("Headers", Headers);
  define("Response", Response);
  define("fetch", fetch);
});
