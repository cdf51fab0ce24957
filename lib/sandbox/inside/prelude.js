/*
 * The inside of a script's realm: builds everything that a script sees. Evaluated in the fresh realm before any user code.
 * `host` holds functions of the worker that take and give primitives only. They are called directly, never with call or apply,
 * which a script could have patched, and whatever they throw is dropped: an object of the worker's realm must not come in.
 */
(function prelude(host, addWeb, addGranted) {
  "use strict";
  const { post, op, timer, clear, now, random, url } = host;
  const guarded = (fn) => (a, b, c) => {
    try {
      return fn(a, b, c);
    } catch {
      throw new Error("The sandbox is out of stack.");
    }
  };
  const put = guarded(post);
  const hostOp = guarded(op);
  const kit = {
    timer: guarded(timer),
    clear: guarded(clear),
    now: guarded(now),
    random: guarded(random),
    url: guarded(url),
  };

  const NativeError = Error;
  const { stringify: quote, parse, rawJSON, isRawJSON } = JSON;
  const { isArray } = Array;
  const { defineProperty, keys, hasOwn, create, freeze } = Object;
  const isView = ArrayBuffer.isView;
  const text = String;
  const LONG_NUMBER = /\d{16}/;
  const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;

  // Stacks are handed to `globalThis.Error.prepareStackTrace` as objects of the worker's realm: neither may be replaced.
  const nothing = { get: () => undefined, set: () => {}, enumerable: false, configurable: false };
  defineProperty(Error, "prepareStackTrace", nothing);
  defineProperty(globalThis, "Error", { value: Error, writable: false, configurable: false });
  for (const name of ["WebAssembly", "SharedArrayBuffer", "Atomics", "console", "queueMicrotask"]) {
    delete globalThis[name];
  }
  const define = (name, value) =>
    defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: false });

  // ---- state of the run
  const pending = create(null);
  const VERDICT = 0; // the timer that no script can have: theirs count from 1
  const state = {
    open: 0,
    timers: 0,
    finished: false,
    filename: "script.ts",
    namespaces: [],
    maxResultBytes: Infinity,
    maxOutputBytes: Infinity,
    maxCalls: Infinity,
    maxArtifactBytes: Infinity,
    stored: 0,
    sent: 0,
    requests: 0,
    verdict: undefined,
    hook: undefined,
  };
  const hooks = create(null);
  let lastId = 0;

  // ---- JSON out
  class Refusal extends TypeError {}
  const step = (path, key) =>
    typeof key === "number"
      ? `${path}[${key}]`
      : IDENTIFIER.test(key)
      ? `${path}.${key}`
      : `${path}[${quote(key)}]`;

  class TooLarge extends Error {}
  /**
   * Writes JSON text; what JSON cannot carry is refused with its path, and writing stops where the texts in it alone are beyond `limit`.
   * Gives undefined for undefined.
   */
  function toJson(value, path, limit = Infinity) {
    const parents = [];
    let size = 0;
    const write = (item, where) => {
      if (typeof item === "string") {
        size += item.length;
        if (size > limit) throw new TooLarge();
        return quote(item);
      }
      if (typeof item === "number") return item - item === 0 ? text(item) : "null";
      if (typeof item === "boolean") return item ? "true" : "false";
      if (typeof item === "bigint") return text(item);
      if (item === undefined) return undefined;
      if (typeof item === "function") throw new Refusal(`${where} is a function, which JSON cannot carry`);
      if (typeof item === "symbol") throw new Refusal(`${where} is a symbol, which JSON cannot carry`);
      if (item === null) return "null";
      if (isRawJSON(item)) return quote(item);
      for (let i = 0; i < parents.length; i++) {
        if (parents[i] === item) throw new Refusal(`${where} contains itself, which JSON cannot carry`);
      }
      if (parents.length >= 500) throw new Refusal(`${where} is nested deeper than 500 levels`);
      parents[parents.length] = item;
      const written = writeObject(item, where);
      parents.length--;
      return written;
    };
    const writeObject = (item, where) => {
      if (item instanceof Promise) throw new Refusal(`${where} is a promise: await it first`);
      if (isView(item) || item instanceof ArrayBuffer) {
        throw new Refusal(
          `${where} is binary data, which JSON cannot carry: store it with artifact(name, data)`,
        );
      }
      if (typeof item.toJSON === "function") return write(item.toJSON(), where);
      if (isArray(item)) return writeList(item, where);
      if (item instanceof Set) return writeList([...item], where);
      if (item instanceof Map) return writeMap(item, where);
      if (item instanceof Number || item instanceof String || item instanceof Boolean) {
        return write(item.valueOf(), where);
      }
      let out = "";
      const add = (key, member) => {
        const written = write(member, step(where, key));
        if (written !== undefined) out += `${out === "" ? "" : ","}${quote(key)}:${written}`;
      };
      if (item instanceof NativeError) {
        add("name", item.name);
        add("message", item.message);
      }
      const names = keys(item);
      for (let i = 0; i < names.length; i++) add(names[i], item[names[i]]);
      return `{${out}}`;
    };
    const writeList = (list, where) => {
      let out = "";
      for (let i = 0; i < list.length; i++) {
        out += (i === 0 ? "" : ",") + (write(list[i], step(where, i)) ?? "null");
      }
      return `[${out}]`;
    };
    const writeMap = (map, where) => {
      const entries = [...map];
      if (!entries.every(([key]) => typeof key === "string")) return writeList(entries, where);
      let out = "";
      for (const [key, member] of entries) {
        const written = write(member, step(where, key));
        if (written !== undefined) out += `${out === "" ? "" : ","}${quote(key)}:${written}`;
      }
      return `{${out}}`;
    };
    return write(value, path);
  }

  /** Parses JSON; an integer that a double cannot hold becomes a BigInt. */
  function fromJson(json) {
    if (!LONG_NUMBER.test(json)) return parse(json);
    return parse(json, (_key, value, context) => {
      if (typeof value !== "number" || Number.isSafeInteger(value) || !/^-?\d+$/.test(context.source)) {
        return value;
      }
      return BigInt(context.source);
    });
  }

  // ---- errors
  /** A call that failed: the server's text as message, and what mcpx knows about it. */
  class ToolError extends NativeError {
    constructor(message, details = {}) {
      super(message);
      const members = { code: "tool-error", ...details };
      for (const name of keys(members)) {
        if (members[name] !== undefined) {
          defineProperty(this, name, {
            value: members[name],
            writable: true,
            configurable: true,
            enumerable: true,
          });
        }
      }
    }
  }
  defineProperty(ToolError.prototype, "name", { value: "ToolError", writable: true, configurable: true });
  const fromPort = new WeakSet();

  /** The script's own frames of a stack: everything else names files that the user never wrote. */
  function ownFrames(stack) {
    const mark = `${state.filename}:`;
    return text(stack).split("\n").filter((line) => /^\s+at .*:\d+:\d+\)?$/.test(line) && line.includes(mark))
      .map((line) => line.replace(/at (async )?\$default \((.*)\)$/, "at $1$2")).join("\n");
  }
  function describeError(thrown) {
    try {
      if (!(thrown instanceof NativeError)) {
        return { name: typeof thrown, message: `The script threw ${show(thrown, 300)}, which is no Error.` };
      }
      const body = { name: text(thrown.name), message: text(thrown.message), stack: ownFrames(thrown.stack) };
      if (fromPort.has(thrown)) {
        for (const name of ["code", "hint", "data", "diagnostics"]) {
          if (hasOwn(thrown, name)) body[name] = thrown[name];
        }
      }
      return thrown instanceof ReferenceError ? withNames(body) : body;
    } catch {
      return { name: "Error", message: "The script threw something that cannot be read." };
    }
  }
  /** A name that does not exist says which do. */
  function withNames(body) {
    const name = /^(\S+) is not defined$/.exec(body.message)?.[1];
    if (name === undefined) return body;
    if (/^(Deno|fetch|process|require|Buffer|module|exports|__dirname|WebSocket|Worker)$/.test(name)) {
      body.hint =
        `Scripts have no ${name} under this profile: they reach tools, and what --profile or --allow-… grants.`;
      return body;
    }
    const all = [...state.namespaces, ...API_NAMES];
    const near = all.map((word) => [distance(name.toLowerCase(), word.toLowerCase()), word])
      .filter(([far]) => far <= Math.max(2, name.length / 3)).sort((a, b) => a[0] - b[0])[0]?.[1];
    const shown = state.namespaces.slice(0, 30).join(", ") || "none";
    body.message += `. Namespaces: ${shown}${state.namespaces.length > 30 ? ", …" : ""}.`;
    if (near !== undefined) body.hint = `Did you mean ${near}?`;
    return body;
  }
  function distance(a, b) {
    let row = [...Array(b.length + 1).keys()];
    for (let i = 1; i <= a.length; i++) {
      const next = [i];
      for (let j = 1; j <= b.length; j++) {
        next[j] = Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1));
      }
      row = next;
    }
    return row[b.length];
  }
  function fail(given, thrown) {
    if (state.finished) return;
    state.finished = true;
    const body = describeError(thrown);
    const code = body.name === "RangeError" && body.message === "Array buffer allocation failed"
      ? "script-memory"
      : given;
    if (code === "script-memory") body.message = "The script used more memory than its limit (exec.heap).";
    let error;
    try {
      error = toJson({ code, ...body }, "error");
    } catch {
      error = quote({ code, name: body.name, message: body.message, stack: body.stack });
    }
    put(`{"t":"fail","error":${error}}`);
  }
  /**
   * Sends a record, an emitted value or a request: nothing after the verdict, and nothing beyond the limits, which the daemon keeps again.
   * Counting here keeps a flood from piling up in front of the process's own output.
   */
  function send(line, isOutput) {
    if (state.finished) return;
    if (isOutput) state.sent += line.length;
    if (state.sent > state.maxOutputBytes) return tooMuchOutput();
    put(line);
  }
  const tooMuchOutput = () =>
    failSentence(
      "script-output",
      `The script printed more than ${state.maxOutputBytes} bytes (exec.maxOutput).`,
    );
  const failSentence = (code, message, stack) => {
    if (state.finished) return;
    state.finished = true;
    put(`{"t":"fail","error":${quote({ code, message, stack })}}`);
  };

  // ---- printing
  /** Text for people: never throws, never grows without bound. */
  function show(value, limit = 100_000) {
    try {
      return showWhole(value).slice(0, limit);
    } catch {
      return "[unprintable]";
    }
  }
  function showWhole(value) {
    if (typeof value === "string") return value;
    if (typeof value === "bigint") return `${value}n`;
    if (typeof value === "function") return `[Function ${value.name || "anonymous"}]`;
    if (typeof value !== "object" || value === null) return text(value);
    if (value instanceof NativeError) {
      const frames = ownFrames(value.stack);
      return `${value.name}: ${value.message}${frames === "" ? "" : `\n${frames}`}`;
    }
    return lenient(value, 1);
  }
  function lenient(value, indent) {
    const parents = [];
    return quote(value, function (_key, item) {
      while (parents.length > 0 && parents[parents.length - 1] !== this) parents.pop();
      if (typeof item === "bigint") return rawJSON(text(item));
      if (typeof item === "function") return `[Function ${item.name || "anonymous"}]`;
      if (typeof item === "symbol") return text(item);
      if (typeof item !== "object" || item === null) return item;
      if (parents.includes(item)) return "[Circular]";
      const plain = item instanceof Map
        ? { Map: [...item] }
        : item instanceof Set
        ? { Set: [...item] }
        : item instanceof NativeError
        ? { name: item.name, message: item.message, ...item }
        : isView(item)
        ? `[${item.constructor.name} of ${item.byteLength} bytes]`
        : item;
      if (typeof plain === "object") parents.push(plain);
      return plain;
    }, indent) ?? text(value);
  }
  function format(values) {
    let rest = values;
    let first = "";
    if (typeof values[0] === "string" && values.length > 1 && values[0].includes("%")) {
      let used = 1;
      first = values[0].replace(/%([sdifjoOc%])/g, (whole, kind) => {
        if (kind === "%") return "%";
        if (used >= values.length) return whole;
        const value = values[used++];
        if (kind === "c") return "";
        if (kind === "d" || kind === "f") return text(Number(value));
        return kind === "i" ? text(Math.trunc(Number(value))) : show(value);
      });
      rest = values.slice(used);
      return [first, ...rest.map((value) => show(value))].join(" ");
    }
    return rest.map((value) => show(value)).join(" ");
  }
  function record(level, message, attributes) {
    const extra = attributes === undefined ? "" : `,"attributes":${quote(lenient(attributes))}`;
    send(`{"t":"log","level":"${level}","text":${quote(message)}${extra}}`, true);
  }
  function logger(base) {
    const at = (level) => (message, attributes) =>
      record(
        level,
        show(message),
        base === undefined && attributes === undefined ? undefined : {
          ...base,
          ...(typeof attributes === "object"
            ? attributes
            : attributes === undefined
            ? {}
            : { value: attributes }),
        },
      );
    const log = at("info");
    for (const level of ["debug", "info", "warn", "error"]) log[level] = at(level);
    log.with = (attributes) => logger({ ...base, ...attributes });
    return freeze(log);
  }
  const printer = (level) => (...values) => record(level, format(values));
  const timersByLabel = create(null);
  const counts = create(null);
  define("console", {
    log: printer("info"),
    info: printer("info"),
    debug: printer("debug"),
    trace: printer("debug"),
    warn: printer("warn"),
    error: printer("error"),
    dir: (value) => record("info", show(value)),
    table: (value) => record("info", show(value)),
    group: printer("info"),
    groupEnd: () => {},
    assert: (condition, ...values) => {
      if (!condition) record("error", `Assertion failed: ${format(values)}`);
    },
    count: (label = "default") => record("info", `${label}: ${counts[label] = (counts[label] ?? 0) + 1}`),
    time: (label = "default") => {
      timersByLabel[label] = kit.now();
    },
    timeEnd: (label = "default") =>
      record("info", `${label}: ${kit.now() - (timersByLabel[label] ?? kit.now())} ms`),
  });

  // ---- requests to the outside
  function request(kind, name, body, extra = "") {
    return new Promise((resolve, reject) => {
      const id = ++lastId;
      pending[id] = [resolve, reject];
      state.open++;
      if (++state.requests > state.maxCalls) {
        return failSentence(
          "script-calls",
          `The script made more than ${state.maxCalls} calls and look-ups (exec.maxCalls).`,
        );
      }
      send(
        `{"t":"call","id":${id},"op":"${kind}","name":${quote(text(name))},"body":${quote(body)}${extra}}`,
      );
    });
  }
  /** Something the worker itself does for the script, such as a digest: the answer comes like a call's. */
  function local(kind, body, onId) {
    return new Promise((resolve, reject) => {
      const id = ++lastId;
      pending[id] = [resolve, reject];
      state.open++;
      onId?.(id);
      hostOp(id, kind, quote(body));
    });
  }
  const settled = (id) => {
    const pair = pending[id];
    if (pair === undefined) return undefined;
    delete pending[id];
    state.open--;
    return pair;
  };
  function toolError(error) {
    const built = new ToolError(text(error.message), {
      code: error.code,
      hint: error.hint,
      data: error.data,
      diagnostics: error.diagnostics,
    });
    if (error.data !== undefined && error.data !== null && error.data.raw !== undefined) {
      defineProperty(built, "raw", { value: error.data.raw, configurable: true, writable: true });
    }
    fromPort.add(built);
    return built;
  }
  // An async function, so that the error is made where the script's own frames are still on the asynchronous stack.
  async function ask(kind, name, body, extra) {
    const answer = await request(kind, name, body, extra);
    if (answer.error !== undefined) throw toolError(answer.error);
    return answer.body;
  }
  async function call(name, args) {
    if (typeof name !== "string") {
      throw new TypeError('Cannot call: the name is a string such as "server.tool".');
    }
    const given = args === undefined ? {} : args;
    if (typeof given !== "object" || given === null || isArray(given)) {
      const kind = given === null ? "null" : isArray(given) ? "an array" : `a ${typeof given}`;
      throw new TypeError(
        `Cannot call ${name}: its arguments are one object, as in { key: value }, not ${kind}.`,
      );
    }
    let json;
    try {
      json = toJson(given, "arguments");
    } catch (error) {
      if (error instanceof Refusal) throw new TypeError(`Cannot call ${name}: ${error.message}.`);
      throw error;
    }
    const { value, raw } = await ask("call", name, json);
    if (typeof value === "object" && value !== null && !hasOwn(value, "raw")) {
      defineProperty(value, "raw", { value: raw, configurable: true, writable: true });
    }
    return value;
  }
  async function search(query, options) {
    const limit = typeof options === "number" ? options : options?.limit ?? 10;
    return await ask("search", query, text(Math.max(1, Math.min(1000, Math.trunc(Number(limit)) || 10))));
  }
  async function describe(name) {
    return await ask("describe", name, "");
  }
  function emit(value) {
    try {
      send(`{"t":"emit","json":${quote(toJson(value, "value", state.maxOutputBytes) ?? "null")}}`, true);
    } catch (error) {
      if (error instanceof TooLarge) {
        return tooMuchOutput();
      }
      if (error instanceof Refusal) throw new TypeError(`Cannot emit: ${error.message}.`);
      throw error;
    }
  }
  async function artifact(name, data) {
    const [bytes, mime] = artifactBytes(name, data);
    state.stored += bytes.length;
    if (state.stored > state.maxArtifactBytes) {
      return failSentence(
        "script-storage",
        `The script stored more than ${state.maxArtifactBytes} bytes as artifacts (exec.maxArtifacts).`,
      );
    }
    return await ask("artifact", name, kit.toBase64(bytes), `,"mime":${quote(mime)}`);
  }
  function artifactBytes(name, data) {
    const wrong = (state) => new TypeError(`Cannot store the artifact: ${state}.`);
    if (typeof name !== "string" || name === "") throw wrong('the name is a string such as "report.json"');
    if (typeof data === "string") {
      return [kit.encodeUtf8(data), kit.mimeOf(name, "text/plain; charset=utf-8")];
    }
    if (data instanceof ArrayBuffer) {
      return [new Uint8Array(data), kit.mimeOf(name, "application/octet-stream")];
    }
    if (isView(data)) {
      return [
        new Uint8Array(data.buffer, data.byteOffset, data.byteLength),
        kit.mimeOf(name, "application/octet-stream"),
      ];
    }
    if (data === undefined) throw wrong("there is no data; write artifact(name, data)");
    if (
      typeof data === "object" && data !== null && typeof data.path === "string" && keys(data).length === 1
    ) {
      throw wrong("artifact(name, data) takes the data itself and reads no file");
    }
    try {
      return [kit.encodeUtf8(toJson(data, "data")), "application/json"];
    } catch (error) {
      if (error instanceof Refusal) throw wrong(error.message);
      throw error;
    }
  }

  // ---- namespaces
  function namespace(ns, names) {
    const functions = create(null);
    const known = new Set(names);
    const find = (key) => {
      const name = key === "then_" && known.has("then") && !known.has("then_") ? "then" : key;
      return functions[name] ??= defineProperty((args) => call(`${ns}.${name}`, args), "name", {
        value: `${ns}.${name}`,
      });
    };
    return new Proxy(create(null), {
      get: (_target, key) => {
        if (typeof key !== "string" || key === "then") return undefined;
        if (!known.has(key) && (key === "toJSON" || key === "constructor")) return undefined;
        if (!known.has(key) && (key === "toString" || key === "valueOf")) return () => `[namespace ${ns}]`;
        return find(key);
      },
      has: (_target, key) => typeof key === "string" && key !== "then" && known.has(key),
      ownKeys: () => names.filter((name) => name !== "then"),
      getOwnPropertyDescriptor: (_target, key) =>
        typeof key === "string" && key !== "then" && known.has(key)
          ? { value: find(key), enumerable: true, configurable: true, writable: false }
          : undefined,
      set: () => false,
      defineProperty: () => false,
      deleteProperty: () => false,
    });
  }
  function allTools(spaces) {
    const made = create(null);
    for (const { namespace: ns, names } of spaces) made[ns] = namespace(ns, names);
    return new Proxy(create(null), {
      get: (_target, key) =>
        typeof key !== "string" || key === "then" || key === "toJSON"
          ? undefined
          : made[key] ?? namespace(key, []),
      has: (_target, key) => typeof key === "string" && key in made,
      ownKeys: () => keys(made),
      getOwnPropertyDescriptor: (_target, key) =>
        typeof key === "string" && key in made
          ? { value: made[key], enumerable: true, configurable: true, writable: false }
          : undefined,
      set: () => false,
    });
  }

  // ---- starting
  const api = { call, search, describe, emit, artifact, log: logger(undefined), ToolError };
  const API_NAMES = ["tools", "call", "search", "describe", "emit", "log", "artifact", "args", "ToolError"];
  for (const name of keys(api)) define(name, api[name]);
  Object.assign(kit, { define, state, local, quote, settled });
  addWeb(kit);

  function moduleObject(exported) {
    return new Proxy(create(null), {
      get: (_target, key) => {
        if (typeof key !== "string" || key === "then") return undefined;
        if (key in api) return api[key];
        throw new SyntaxError(`The module "mcpx" has no export ${key}; it has ${keys(api).join(", ")}.`);
      },
      set: (_target, key, value) => {
        exported[key] = { value };
        return true;
      },
      has: (_target, key) => key in api,
      ownKeys: () => keys(api),
      getOwnPropertyDescriptor: (_target, key) =>
        key in api ? { value: api[key], enumerable: true, configurable: true } : undefined,
    });
  }
  const noImport = (specifier) =>
    Promise.reject(new TypeError(`Cannot import ${show(specifier, 80)}: scripts import from "mcpx" only.`));
  async function drive(main) {
    const exported = create(null);
    const hook = async (kind) => {
      try {
        await hooks[kind]?.(moduleObject(create(null)), noImport);
      } catch (error) {
        throw new NativeError(`The hook script.${kind} failed: ${show(error, 1000)}`);
      }
    };
    await hook("before");
    let value;
    try {
      value = await main(moduleObject(exported), noImport);
      const chosen = exported.$export ?? exported.default;
      if (value === undefined && chosen !== undefined) {
        value = typeof chosen.value === "function" ? await chosen.value(api.args) : chosen.value;
      }
    } catch (error) {
      define("outcome", { ok: false, error });
      try {
        await hook("onError");
      } catch (again) {
        record("error", again.message);
      }
      throw error;
    }
    if (hooks.onSuccess !== undefined) {
      define("outcome", { ok: true, result: value });
      await hook("onSuccess");
    }
    return value;
  }
  /** The verdict waits for one turn of the event loop, in which what was left unhandled is told. */
  function finish(value) {
    if (state.finished) return;
    let json;
    try {
      json = toJson(value, "result", state.maxResultBytes);
    } catch (error) {
      if (error instanceof TooLarge) return tooLarge();
      if (error instanceof Refusal) {
        return failSentence("script-result", `Cannot return the result: ${error.message}.`);
      }
      return fail("script-error", error);
    }
    if (json !== undefined && json.length > state.maxResultBytes) return tooLarge();
    state.verdict = json === undefined ? "" : `,"result":${quote(json)}`;
    kit.timer(VERDICT, 0, false);
  }
  const tooLarge = () =>
    failSentence(
      "script-result",
      `Cannot return the result: it is larger than ${state.maxResultBytes} bytes (exec.maxResult).`,
    );
  function sendVerdict() {
    if (state.finished) return;
    state.finished = true;
    put(`{"t":"done","open":${state.open}${state.verdict}}`);
  }

  return freeze({
    __proto__: null,
    /** Puts what this run sees in place; the script itself follows. */
    prepare(json) {
      const run = parse(json);
      state.filename = run.filename;
      state.maxResultBytes = run.maxResultBytes;
      state.maxOutputBytes = run.maxOutputBytes;
      state.maxCalls = run.maxCalls;
      state.maxArtifactBytes = run.maxArtifactBytes;
      state.namespaces = run.namespaces.map((entry) => entry.namespace);
      const tools = allTools(run.namespaces);
      api.tools = tools;
      api.args = fromJson(run.args);
      define("tools", tools);
      define("args", api.args);
      for (const ns of state.namespaces) {
        if (!(ns in globalThis)) define(ns, tools[ns]);
        if (!(ns in api)) api[ns] = tools[ns];
      }
      addGranted(kit, run.grants, run.env);
      define("$start", (main) => {
        if (state.hook !== undefined) {
          hooks[state.hook] = main;
          state.hook = undefined;
          return;
        }
        delete globalThis.$start;
        drive(main).then(finish, (error) => fail("script-error", error));
      });
    },
    /** The next script to start is this hook. */
    expect(kind) {
      state.hook = kind;
    },
    deliver(line) {
      const message = fromJson(line);
      const pair = settled(message.id);
      if (pair === undefined) return;
      pair[0](message);
    },
    fire(id) {
      if (id === VERDICT) sendVerdict();
      else kit.fire(id);
    },
    unhandled(reason) {
      fail("script-unhandled", reason);
    },
    /** Whether nothing can ever continue this script. */
    stalled() {
      if (state.finished || state.verdict !== undefined || state.open > 0 || state.timers > 0) return false;
      failSentence(
        "script-stalled",
        "The script waits for something that can never happen: no call and no timer is open, and it has not ended.",
      );
      return true;
    },
  });
});
