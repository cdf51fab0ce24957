// deno-lint-ignore-file explicit-function-return-type -- this text is run as it stands: it can have no types.
/*
 * The worker of a sandbox process: owns the realm that a script runs in. Started from a blob, with PRELUDE, WEB and GRANTED (the texts
 * of what is evaluated inside the realm) and WITHOUT (the layers that a test leaves out) declared above. Only strings and numbers pass between this realm and the script's.
 */
import vm from "node:vm";
import { registerHooks } from "node:module";

/* global PRELUDE, WEB, GRANTED, WITHOUT */
const D = globalThis.Deno;
const { revokeSync } = D.permissions;
const postUp = globalThis.postMessage.bind(globalThis);
const listen = globalThis.addEventListener.bind(globalThis);
const {
  setTimeout,
  setInterval,
  clearTimeout,
  reportError,
  AbortController,
  performance,
  crypto,
  URL,
} = globalThis;
const subtle = crypto.subtle;
const files = {
  realPath: D.realPath,
  readFile: D.readFile,
  readDir: D.readDir,
  stat: D.stat,
  lstat: D.lstat,
  writeFile: D.writeFile,
  mkdir: D.mkdir,
  remove: D.remove,
  Command: D.Command,
};
const { parse, stringify } = JSON;
const MAX_BODY = 16 * 1024 * 1024;
/** What a file costs beside its bytes. */
const ENTRY_BYTES = 4096;

let grants = { read: [], net: [], run: [] };
let fetch; // read from the global object only where it is granted: it loads much
let compileFailure;

const realm = vm.createContext(vm.constants.DONT_CONTEXTIFY, {
  codeGeneration: { strings: WITHOUT.includes("realm"), wasm: false },
});
if (WITHOUT.includes("realm")) realm.leaked = globalThis; // as if a way out of the realm had been found
const inside = (text, filename) => vm.runInContext(text, realm, { filename });

// ---- what the script's realm may ask for: primitives in, primitives out
const timers = new Map();
const quiet = (fn) => {
  try {
    fn();
  } catch {
    // A fault while the script's realm is entered (out of stack) ends in a stalled run, never here.
  }
  checkSoon();
};
const host = {
  post: (line) => postUp(line),
  op: (id, kind, body) => {
    answer(id, kind, body);
  },
  timer: (id, ms, repeat) => {
    const fire = () => {
      if (!repeat) timers.delete(id);
      quiet(() => api.fire(id));
    };
    timers.set(id, repeat ? setInterval(fire, ms) : setTimeout(fire, ms));
  },
  clear: (id) => {
    clearTimeout(timers.get(id));
    timers.delete(id);
  },
  now: () => Math.round(performance.now() * 100) / 100,
  random: (count) => crypto.getRandomValues(new Uint8Array(count)).toBase64(),
  url: (href, base, change) => {
    try {
      const url = base === "" ? new URL(href) : new URL(href, base);
      if (change !== undefined) {
        const { name, value } = parse(change);
        url[name] = value;
      }
      const { protocol, username, password, host, hostname, port, pathname, search, hash, origin } = url;
      return stringify({
        href: url.href,
        protocol,
        username,
        password,
        host,
        hostname,
        port,
        pathname,
        search,
        hash,
        origin,
      });
    } catch {
      return "";
    }
  },
};

/** Does one thing that the worker does for the script and delivers its answer. */
async function answer(id, kind, body) {
  let line;
  try {
    if (!Object.hasOwn(OPS, kind)) throw new Error(`There is nothing called ${kind}.`);
    line = stringify({ id, body: await OPS[kind](parse(body), id) });
  } catch (error) {
    line = stringify({
      id,
      error: { name: error?.name ?? "Error", message: String(error?.message ?? error) },
    });
  }
  quiet(() => api.deliver(line));
}

class NotCapable extends Error {
  name = "NotCapable";
}
const refuse = (act, path, state) => {
  throw new NotCapable(`Cannot ${act} ${path}: ${state}.`);
};
const within = (path, folders) =>
  folders.some((folder) => path === folder || path.startsWith(folder.endsWith("/") ? folder : `${folder}/`));
const absolute = (path) => path.startsWith("/") ? path : `${grants.write ?? grants.read[0] ?? "/"}/${path}`;
/** The real path of what exists, if the profile covers it: Deno's own check follows a link out of a granted folder. */
async function readable(act, path) {
  const folders = grants.write === undefined ? grants.read : [...grants.read, grants.write];
  let real;
  try {
    real = await files.realPath(absolute(path));
  } catch (error) {
    if (error?.name !== "NotFound") refuse(act, path, "this profile does not cover it");
    error.message = `Cannot ${act} ${path}: there is no such file.`;
    throw error;
  }
  return within(real, folders) ? real : refuse(act, path, "this profile does not cover it");
}
/** The path to write: its folder must really be in the scratch folder, and it may not be a link. */
async function writable(act, path) {
  if (grants.write === undefined) refuse(act, path, "this profile writes nothing");
  const whole = absolute(path).replace(/\/+$/, "");
  const cut = whole.lastIndexOf("/");
  const name = whole.slice(cut + 1);
  let folder;
  try {
    folder = await files.realPath(whole.slice(0, cut) || "/");
  } catch (error) {
    if (error?.name !== "NotFound") refuse(act, path, "this profile does not cover it");
    error.message = `Cannot ${act} ${path}: its folder does not exist.`;
    throw error;
  }
  if (name === "" || name === "." || name === ".." || !within(folder, [grants.write])) {
    refuse(act, path, "it is outside the scratch folder");
  }
  const target = `${folder}/${name}`;
  const info = await files.lstat(target).catch(() => undefined);
  return info?.isSymlink ? refuse(act, path, "it is a link") : target;
}
const statOf = (info) => ({
  isFile: info.isFile,
  isDirectory: info.isDirectory,
  isSymlink: info.isSymlink,
  size: info.size,
  mtime: info.mtime?.getTime() ?? null,
});
let maxScratchBytes = Infinity;
let scratchBytes = 0;
/** What is written counts, whatever is removed again: a folder that is filled and emptied in turns costs the disk as well. */
function countScratch(bytes) {
  scratchBytes += bytes;
  if (scratchBytes <= maxScratchBytes) return;
  const message = `The script wrote more than ${maxScratchBytes} bytes into its folder (exec.maxScratch).`;
  postUp(stringify({ t: "fail", error: { code: "script-storage", message } }));
  throw new NotCapable(message);
}
/** A command's own path: a bare name is looked up among those that are granted. */
function commandPath(command) {
  if (command.includes("/")) return command;
  return grants.run.find((path) => path.slice(path.lastIndexOf("/") + 1) === command) ?? command;
}
const aborts = new Map();
const OPS = {
  digest: async ({ algorithm, data }) =>
    new Uint8Array(await subtle.digest(algorithm, Uint8Array.fromBase64(data))).toBase64(),
  readFile: async ({ path }) => {
    const real = await readable("read", path);
    if ((await files.stat(real)).size > MAX_BODY) refuse("read", path, `it is larger than ${MAX_BODY} bytes`);
    return (await files.readFile(real)).toBase64();
  },
  readDir: async ({ path }) => {
    const found = [];
    for await (
      const { name, isFile, isDirectory, isSymlink } of files.readDir(await readable("list", path))
    ) {
      found.push({ name, isFile, isDirectory, isSymlink });
    }
    return found;
  },
  stat: async ({ path }) => statOf(await files.stat(await readable("look at", path))),
  writeFile: async ({ path, data, append, create }) => {
    const bytes = Uint8Array.fromBase64(data);
    countScratch(bytes.length + ENTRY_BYTES);
    await files.writeFile(await writable("write", path), bytes, { append, create });
    return null;
  },
  mkdir: async ({ path, recursive }) => {
    countScratch(ENTRY_BYTES);
    const target = absolute(path);
    if (recursive && grants.write !== undefined && within(target, [grants.write])) {
      let at = grants.write;
      for (const part of target.slice(grants.write.length).split("/").filter((part) => part !== "")) {
        at = await writable("make", `${at}/${part}`);
        await files.mkdir(at).catch((error) => {
          if (error?.name !== "AlreadyExists") throw error;
        });
      }
    } else await files.mkdir(await writable("make", path));
    return null;
  },
  remove: async ({ path, recursive }) => {
    await files.remove(await writable("remove", path), { recursive });
    return null;
  },
  run: async ({ command, args, cwd }) => {
    const options = { args, stdin: "null", stdout: "piped", stderr: "piped" };
    if (cwd !== undefined) options.cwd = cwd;
    const child = new files.Command(commandPath(command), options).spawn();
    const [status, stdout, stderr] = await Promise.all([
      child.status,
      bounded(child.stdout),
      bounded(child.stderr),
    ]);
    return { code: status.code, signal: status.signal, stdout: stdout.toBase64(), stderr: stderr.toBase64() };
  },
  fetch: async ({ url, method, headers, body, redirect }, id) => {
    const controller = new AbortController();
    aborts.set(id, controller);
    try {
      const response = await fetch(url, {
        method,
        headers,
        redirect,
        body: body === undefined ? undefined : Uint8Array.fromBase64(body),
        signal: controller.signal,
      });
      const bytes = response.body === null ? new Uint8Array() : await bounded(response.body);
      return {
        url: response.url,
        status: response.status,
        statusText: response.statusText,
        redirected: response.redirected,
        headers: [...response.headers],
        body: bytes.toBase64(),
      };
    } finally {
      aborts.delete(id);
    }
  },
  abort: ({ id }) => {
    aborts.get(id)?.abort();
    return null;
  },
};
/** Reads a stream whole, up to the largest body that a script may hold. */
async function bounded(stream) {
  const chunks = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.length;
    if (size > MAX_BODY) throw new Error(`Cannot read the body: it is larger than ${MAX_BODY} bytes.`);
    chunks.push(chunk);
  }
  const whole = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}

// ---- a script that can never go on
let checking = false;
function checkSoon() {
  if (checking) return;
  checking = true;
  setTimeout(() => {
    checking = false;
    try {
      api.stalled();
    } catch {
      // The realm is out of stack or memory; the daemon's clock ends it.
    }
  }, 0);
}

// ---- the run
function start(message) {
  maxScratchBytes = message.prepare.maxScratchBytes;
  api.prepare(stringify(message.prepare));
  for (const { kind, code, filename, columnOffset } of message.hooks) {
    api.expect(kind);
    new vm.Script(code, { filename, columnOffset }).runInContext(realm);
  }
  let script;
  const limit = Error.stackTraceLimit;
  try {
    Error.stackTraceLimit = 0; // without frames the error event carries the position inside the script
    script = new vm.Script(message.code, {
      filename: message.prepare.filename,
      columnOffset: message.columnOffset,
    });
  } catch (error) {
    compileFailure = { message: String(error?.message) };
    reportError(error);
    postUp(stringify({ t: "uncompiled", ...compileFailure }));
    return;
  } finally {
    Error.stackTraceLimit = limit;
  }
  try {
    script.runInContext(realm);
  } catch (error) {
    unhandled(error); // code that closed the wrapper and stands outside it
  }
  checkSoon();
}
listen("error", (event) => {
  event.preventDefault();
  if (compileFailure !== undefined) {
    compileFailure = { ...compileFailure, line: event.lineno, column: event.colno };
  } else unhandled(event.error);
});
listen("unhandledrejection", (event) => {
  event.preventDefault();
  unhandled(event.reason);
});
/** Tells the script's realm what it left unhandled. A fault of the worker's own realm is told as text: its objects stay here. */
function unhandled(reason) {
  if (reason instanceof Object) {
    const message = `The sandbox's worker failed: ${reason.message}`;
    postUp(stringify({ t: "fail", error: { code: "internal", message, stack: reason.stack } }));
  } else quiet(() => api.unhandled(reason));
}
listen("message", (event) => {
  const line = event.data;
  if (line.startsWith('{"t":"ret"')) return quiet(() => api.deliver(line));
  const message = parse(line);
  if (message.t === "init") lock(message.grants);
  else if (message.t === "run") start(message);
});

// ---- closing the worker's own realm, before any user code
const LANGUAGE =
  /^(Object|Function|Array|Promise|.*Error|String|Number|Boolean|Symbol|Map|Set|Weak.*|FinalizationRegistry|Proxy|Reflect|JSON|Math|Date|RegExp|BigInt|ArrayBuffer|DataView|.*Array|Iterator|globalThis|undefined|NaN|Infinity|is.*|parse.*|queueMicrotask)$/; // the last one is what Deno itself reads messages with

/** Gives up every permission that the profile does not name, then everything in this realm but the language. */
function lock(given) {
  grants = given;
  const keep = {
    read: given.read.length > 0 || given.write !== undefined,
    write: given.write !== undefined,
    net: given.net.length > 0,
    run: given.run.length > 0,
  };
  if (keep.net) fetch = globalThis.fetch;
  if (WITHOUT.includes("worker-lock")) return postUp('{"t":"ready"}');
  for (const name of ["read", "write", "net", "env", "run", "ffi", "sys", "import"]) {
    if (!keep[name]) revokeSync({ name });
  }
  registerHooks({
    resolve(specifier) {
      throw new TypeError(
        `Cannot import ${String(specifier).slice(0, 80)}: scripts import from "mcpx" only.`,
      );
    },
  });
  closeRealm();
  postUp('{"t":"ready"}');
}

/** Freezes all but name and message, which Deno's own errors assign through their prototype. */
function freezeErrorPrototype(prototype) {
  for (const key of Reflect.ownKeys(prototype)) {
    if (key === "name" || key === "message") continue;
    Reflect.defineProperty(prototype, key, { writable: false, configurable: false });
  }
  Object.preventExtensions(prototype);
}

/** Blanks the host's globals and freezes the language's objects: where one leaks, nothing can be reached through it or changed by it. */
function closeRealm() {
  const frozen = new Set();
  const freezeAll = (value) => {
    if (value === null || (typeof value !== "object" && typeof value !== "function") || frozen.has(value)) {
      return;
    }
    frozen.add(value);
    for (const key of Reflect.ownKeys(value)) {
      const { value: member, get, set } = Reflect.getOwnPropertyDescriptor(value, key);
      freezeAll(member);
      freezeAll(get);
      freezeAll(set);
    }
    freezeAll(Reflect.getPrototypeOf(value));
  };
  for (const holder of [globalThis, Object.getPrototypeOf(globalThis)]) {
    for (const name of Object.getOwnPropertyNames(holder)) {
      if (LANGUAGE.test(name)) {
        if (name !== "globalThis" && name !== "Error") freezeAll(globalThis[name]);
      } else if (name === "URL" && fetch !== undefined) {
        continue; // Deno's own fetch looks it up
      } else if (!Reflect.deleteProperty(holder, name)) {
        Reflect.defineProperty(holder, name, { value: undefined });
      }
    }
  }
  frozen.delete(Error); // its stackTraceLimit is set while a script is compiled
  for (const value of frozen) {
    if (value instanceof Error || value === Error.prototype) freezeErrorPrototype(value);
    else Object.freeze(value);
  }
}
const api = inside(PRELUDE, "mcpx:prelude")(host, inside(WEB, "mcpx:web"), inside(GRANTED, "mcpx:granted"));
