/*
 * The web-standard globals that need no authority, built inside the script's realm. What the language cannot do (parse a URL, draw random
 * bytes, wait) is asked of the worker as strings and numbers.
 */
(function web(kit) {
  "use strict";
  const { define, state, local } = kit;
  const { fromBase64 } = Uint8Array;
  const toBase64 = (bytes) => Uint8Array.prototype.toBase64.call(bytes);

  class DOMException extends Error {
    #name;
    constructor(message = "", name = "Error") {
      super(message);
      this.#name = String(name);
    }
    get name() {
      return this.#name;
    }
    get code() {
      return {
        AbortError: 20,
        TimeoutError: 23,
        DataCloneError: 25,
        InvalidCharacterError: 5,
        QuotaExceededError: 22,
      }[this.#name] ?? 0;
    }
  }

  // ---- text and bytes
  function encodeUtf8(text) {
    const out = new Uint8Array(text.length * 3);
    return out.slice(0, encodeInto(text, out).written);
  }
  function encodeInto(text, out) {
    let written = 0;
    let read = 0;
    while (read < text.length) {
      let code = text.charCodeAt(read);
      let units = 1;
      if (code >= 0xd800 && code < 0xe000) {
        const low = code < 0xdc00 ? text.charCodeAt(read + 1) : NaN;
        if (low >= 0xdc00 && low < 0xe000) {
          code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
          units = 2;
        } else code = 0xfffd;
      }
      const size = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
      if (written + size > out.length) break;
      if (size === 1) out[written] = code;
      else {
        out[written] = (size === 2 ? 0xc0 : size === 3 ? 0xe0 : 0xf0) | (code >> (6 * (size - 1)));
        for (let i = 1; i < size; i++) out[written + i] = 0x80 | ((code >> (6 * (size - 1 - i))) & 0x3f);
      }
      written += size;
      read += units;
    }
    return { read, written };
  }
  /** Decodes UTF-8 from `at`; gives the text and how many bytes at the end are the start of a character. */
  function decodeUtf8(bytes, fatal, more) {
    let out = "";
    let codes = [];
    let at = 0;
    const push = (code) => {
      codes.push(code);
      if (codes.length === 4096) {
        out += String.fromCodePoint.apply(undefined, codes);
        codes = [];
      }
    };
    const bad = () => {
      if (fatal) throw new TypeError("Cannot decode: the bytes are not UTF-8.");
      push(0xfffd);
    };
    while (at < bytes.length) {
      const first = bytes[at];
      if (first < 0x80) {
        push(first);
        at++;
        continue;
      }
      const need = first >= 0xc2 && first < 0xe0
        ? 1
        : first >= 0xe0 && first < 0xf0
        ? 2
        : first >= 0xf0 && first < 0xf5
        ? 3
        : 0;
      if (need === 0) {
        bad();
        at++;
        continue;
      }
      let code = first & (0x3f >> need);
      let seen = 0;
      while (seen < need && at + seen + 1 < bytes.length) {
        const next = bytes[at + seen + 1];
        const low = seen > 0 ? 0x80 : first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
        const high = seen > 0 ? 0xbf : first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
        if (next < low || next > high) break;
        code = (code << 6) | (next & 0x3f);
        seen++;
      }
      if (seen === need) push(code);
      else if (more && at + seen + 1 >= bytes.length) {
        return { text: out + String.fromCodePoint(...codes), left: bytes.length - at };
      } else bad();
      at += seen + 1;
    }
    return { text: out + String.fromCodePoint(...codes), left: 0 };
  }
  const bytesOf = (data) =>
    data === undefined
      ? new Uint8Array()
      : data instanceof ArrayBuffer
      ? new Uint8Array(data)
      : new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  class TextEncoder {
    get encoding() {
      return "utf-8";
    }
    encode(text = "") {
      return encodeUtf8(String(text));
    }
    encodeInto(text, out) {
      return encodeInto(String(text), out);
    }
  }
  class TextDecoder {
    #label;
    #options;
    #rest = new Uint8Array();
    #started = false;
    constructor(label = "utf-8", options = {}) {
      const name = String(label).trim().toLowerCase();
      this.#label = /^(utf-?8|unicode-1-1-utf-8)$/.test(name)
        ? "utf-8"
        : /^utf-?16(le)?$/.test(name)
        ? "utf-16le"
        : /^(latin1|iso-8859-1|ascii|us-ascii)$/.test(name)
        ? "iso-8859-1"
        : undefined;
      if (this.#label === undefined) {
        throw new RangeError(`Cannot decode ${label}: scripts know utf-8, utf-16le and latin1.`);
      }
      this.#options = options;
    }
    get encoding() {
      return this.#label;
    }
    get fatal() {
      return this.#options.fatal === true;
    }
    get ignoreBOM() {
      return this.#options.ignoreBOM === true;
    }
    decode(data, { stream = false } = {}) {
      const given = bytesOf(data);
      const bytes = new Uint8Array(this.#rest.length + given.length);
      bytes.set(this.#rest);
      bytes.set(given, this.#rest.length);
      let { text, left } = this.#label === "utf-8"
        ? decodeUtf8(bytes, this.fatal, stream)
        : this.#units(bytes);
      this.#rest = stream ? bytes.slice(bytes.length - left) : new Uint8Array();
      if (!this.#started && !this.ignoreBOM && text.charCodeAt(0) === 0xfeff) text = text.slice(1);
      this.#started = stream;
      return text;
    }
    #units(bytes) {
      let text = "";
      const wide = this.#label === "utf-16le";
      for (let i = 0; i + (wide ? 1 : 0) < bytes.length; i += wide ? 2 : 1) {
        text += String.fromCharCode(wide ? bytes[i] | (bytes[i + 1] << 8) : bytes[i]);
      }
      return { text, left: wide ? bytes.length % 2 : 0 };
    }
  }
  function btoa(data) {
    const text = String(data);
    const bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (code > 255) {
        throw new DOMException("Cannot encode: a character is beyond Latin-1.", "InvalidCharacterError");
      }
      bytes[i] = code;
    }
    return toBase64(bytes);
  }
  function atob(data) {
    let bytes;
    try {
      bytes = fromBase64.call(Uint8Array, String(data));
    } catch {
      throw new DOMException("Cannot decode: the text is not base64.", "InvalidCharacterError");
    }
    let text = "";
    for (let i = 0; i < bytes.length; i++) text += String.fromCharCode(bytes[i]);
    return text;
  }

  // ---- timers
  const callbacks = new Map();
  let lastTimer = 0;
  const wait = (callback, ms, repeat, args) => {
    if (typeof callback !== "function") {
      throw new TypeError("Cannot set a timer: the first argument is a function.");
    }
    const id = ++lastTimer;
    callbacks.set(id, { callback, args, repeat });
    state.timers++;
    const delay = Math.min(Math.max(Number(ms) || 0, repeat ? 1 : 0), 2 ** 31 - 1);
    kit.timer(id, delay, repeat);
    return id;
  };
  const cancel = (id) => {
    if (!callbacks.delete(id)) return;
    state.timers--;
    kit.clear(id);
  };
  kit.fire = (id) => {
    const entry = callbacks.get(id);
    if (entry === undefined) return;
    if (!entry.repeat) {
      callbacks.delete(id);
      state.timers--;
    }
    try {
      const { callback, args } = entry;
      callback(...args);
    } catch (error) {
      kit.uncaught(error);
    }
  };
  kit.uncaught = (error) => {
    Promise.reject(error);
  };
  define("setTimeout", (callback, ms, ...args) => wait(callback, ms, false, args));
  define("setInterval", (callback, ms, ...args) => wait(callback, ms, true, args));
  define("clearTimeout", cancel);
  define("clearInterval", cancel);
  const resolved = Promise.resolve();
  define("queueMicrotask", (callback) => {
    if (typeof callback !== "function") throw new TypeError("Cannot queue: the argument is a function.");
    resolved.then(() => callback());
  });
  define("performance", Object.freeze({ now: () => kit.now(), timeOrigin: Date.now() - kit.now() }));

  // ---- events and aborting
  class Event {
    #type;
    #prevented = false;
    constructor(type, options = {}) {
      this.#type = String(type);
      this.cancelable = options.cancelable === true;
      this.target = null;
    }
    get type() {
      return this.#type;
    }
    get defaultPrevented() {
      return this.#prevented;
    }
    preventDefault() {
      if (this.cancelable) this.#prevented = true;
    }
  }
  class CustomEvent extends Event {
    constructor(type, options = {}) {
      super(type, options);
      this.detail = options.detail ?? null;
    }
  }
  class EventTarget {
    #listeners = [];
    addEventListener(type, listener, options = {}) {
      const once = typeof options === "object" && options !== null && options.once === true;
      if (
        listener === null ||
        this.#listeners.some((entry) => entry.type === type && entry.listener === listener)
      ) return;
      this.#listeners.push({ type, listener, once });
      if (typeof options === "object" && options?.signal) {
        options.signal.addEventListener("abort", () => this.removeEventListener(type, listener), {
          once: true,
        });
      }
    }
    removeEventListener(type, listener) {
      this.#listeners = this.#listeners.filter((entry) => entry.type !== type || entry.listener !== listener);
    }
    dispatchEvent(event) {
      event.target = this;
      for (const entry of this.#listeners.slice()) {
        if (entry.type !== event.type) continue;
        if (entry.once) this.removeEventListener(entry.type, entry.listener);
        try {
          if (typeof entry.listener === "function") entry.listener.call(this, event);
          else entry.listener.handleEvent(event);
        } catch (error) {
          kit.uncaught(error);
        }
      }
      const handler = this[`on${event.type}`];
      if (typeof handler === "function") handler.call(this, event);
      return !event.defaultPrevented;
    }
  }
  let mayMakeSignal = false;
  const abortSignal = Symbol("abort");
  class AbortSignal extends EventTarget {
    #reason;
    #aborted = false;
    onabort = null;
    constructor() {
      super();
      if (!mayMakeSignal) throw new TypeError("Illegal constructor");
    }
    static #make() {
      mayMakeSignal = true;
      try {
        return new AbortSignal();
      } finally {
        mayMakeSignal = false;
      }
    }
    static make() {
      return AbortSignal.#make();
    }
    get aborted() {
      return this.#aborted;
    }
    get reason() {
      return this.#reason;
    }
    throwIfAborted() {
      if (this.#aborted) throw this.#reason;
    }
    [abortSignal](reason) {
      if (this.#aborted) return;
      this.#aborted = true;
      this.#reason = reason === undefined
        ? new DOMException("This operation was aborted", "AbortError")
        : reason;
      this.dispatchEvent(new Event("abort"));
    }
    static abort(reason) {
      const signal = AbortSignal.#make();
      signal[abortSignal](reason);
      return signal;
    }
    static timeout(ms) {
      const signal = AbortSignal.#make();
      wait(() => signal[abortSignal](new DOMException("Signal timed out.", "TimeoutError")), ms, false, []);
      return signal;
    }
    static any(signals) {
      const signal = AbortSignal.#make();
      for (const one of signals) {
        if (one.aborted) {
          signal[abortSignal](one.reason);
          break;
        }
        one.addEventListener("abort", () => signal[abortSignal](one.reason), { once: true });
      }
      return signal;
    }
  }
  const makeSignal = AbortSignal.make;
  delete AbortSignal.make;
  class AbortController {
    #signal = makeSignal();
    get signal() {
      return this.#signal;
    }
    abort(reason) {
      this.#signal[abortSignal](reason);
    }
  }

  // ---- addresses
  class URLSearchParams {
    #pairs = [];
    #changed;
    constructor(init = "", changed = undefined) {
      this.#changed = changed;
      if (typeof init === "object" && init !== null) {
        const pairs = typeof init[Symbol.iterator] === "function" ? init : Object.entries(init);
        for (const [name, value] of pairs) this.#pairs.push([String(name), String(value)]);
      } else this.#parse(String(init));
    }
    #parse(text) {
      for (const part of text.replace(/^\?/, "").split("&")) {
        if (part === "") continue;
        const cut = part.indexOf("=");
        const name = cut < 0 ? part : part.slice(0, cut);
        this.#pairs.push([unescapeForm(name), unescapeForm(cut < 0 ? "" : part.slice(cut + 1))]);
      }
    }
    #touch() {
      this.#changed?.(this.toString());
    }
    get size() {
      return this.#pairs.length;
    }
    append(name, value) {
      this.#pairs.push([String(name), String(value)]);
      this.#touch();
    }
    delete(name, value) {
      this.#pairs = this.#pairs.filter(([key, held]) =>
        key !== String(name) || (value !== undefined && held !== String(value))
      );
      this.#touch();
    }
    get(name) {
      return this.#pairs.find(([key]) => key === String(name))?.[1] ?? null;
    }
    getAll(name) {
      return this.#pairs.filter(([key]) => key === String(name)).map(([, value]) => value);
    }
    has(name, value) {
      return this.#pairs.some(([key, held]) =>
        key === String(name) && (value === undefined || held === String(value))
      );
    }
    set(name, value) {
      const at = this.#pairs.findIndex(([key]) => key === String(name));
      if (at < 0) this.#pairs.push([String(name), String(value)]);
      else {
        this.#pairs[at] = [String(name), String(value)];
        this.#pairs = this.#pairs.filter(([key], i) => i <= at || key !== String(name));
      }
      this.#touch();
    }
    sort() {
      this.#pairs.sort(([a], [b]) => a < b ? -1 : a > b ? 1 : 0);
      this.#touch();
    }
    forEach(callback, self) {
      for (const [name, value] of this.#pairs) callback.call(self, value, name, this);
    }
    *entries() {
      for (const [name, value] of this.#pairs) yield [name, value];
    }
    *keys() {
      for (const [name] of this.#pairs) yield name;
    }
    *values() {
      for (const [, value] of this.#pairs) yield value;
    }
    [Symbol.iterator]() {
      return this.entries();
    }
    toString() {
      return this.#pairs.map(([name, value]) => `${escapeForm(name)}=${escapeForm(value)}`).join("&");
    }
  }
  function escapeForm(text) {
    let out = "";
    const bytes = encodeUtf8(text);
    for (let i = 0; i < bytes.length; i++) {
      const char = String.fromCharCode(bytes[i]);
      if (/[A-Za-z0-9*._-]/.test(char)) out += char;
      else out += char === " " ? "+" : `%${bytes[i].toString(16).toUpperCase().padStart(2, "0")}`;
    }
    return out;
  }
  function unescapeForm(text) {
    const source = encodeUtf8(text.replaceAll("+", " "));
    const out = [];
    for (let i = 0; i < source.length; i++) {
      const pair = source[i] === 37 ? String.fromCharCode(source[i + 1] ?? 0, source[i + 2] ?? 0) : "";
      if (/^[0-9a-fA-F]{2}$/.test(pair)) {
        out.push(parseInt(pair, 16));
        i += 2;
      } else out.push(source[i]);
    }
    return decodeUtf8(Uint8Array.from(out), false, false).text;
  }
  class URL {
    #parts;
    #params;
    constructor(href, base) {
      const parts = kit.url(String(href), base === undefined ? "" : String(base));
      if (parts === "") throw new TypeError(`Invalid URL: '${href}'`);
      this.#parts = JSON.parse(parts);
    }
    static canParse(href, base) {
      return kit.url(String(href), base === undefined ? "" : String(base)) !== "";
    }
    static parse(href, base) {
      return URL.canParse(href, base) ? new URL(href, base) : null;
    }
    get origin() {
      return this.#parts.origin;
    }
    get searchParams() {
      return this.#params ??= new URLSearchParams(this.#parts.search, (text) => this.#change("search", text));
    }
    toString() {
      return this.#parts.href;
    }
    toJSON() {
      return this.#parts.href;
    }
    #change(name, value) {
      const parts = kit.url(this.#parts.href, "", kit.quote({ name, value: String(value) }));
      if (parts !== "") this.#parts = JSON.parse(parts);
    }
    static {
      for (
        const name of [
          "href",
          "protocol",
          "username",
          "password",
          "host",
          "hostname",
          "port",
          "pathname",
          "search",
          "hash",
        ]
      ) {
        Object.defineProperty(URL.prototype, name, {
          get() {
            return this.#parts[name];
          },
          set(value) {
            this.#change(name, value);
            if (name === "search" || name === "href") this.#params = undefined;
          },
          enumerable: true,
          configurable: true,
        });
      }
    }
  }

  // ---- random bytes and digests
  const subtle = Object.freeze({
    digest: async (algorithm, data) => {
      const name = typeof algorithm === "string" ? algorithm : algorithm?.name;
      const answer = await local("digest", { algorithm: String(name), data: toBase64(bytesOf(data)) });
      if (answer.error !== undefined) throw new DOMException(answer.error.message, answer.error.name);
      return fromBase64.call(Uint8Array, answer.body).buffer;
    },
  });
  const randomBytes = (count) => fromBase64.call(Uint8Array, kit.random(count));
  define(
    "crypto",
    Object.freeze({
      subtle,
      getRandomValues: (array) => {
        if (array.byteLength > 65536) {
          throw new DOMException("Cannot draw more than 65536 bytes at once.", "QuotaExceededError");
        }
        bytesOf(array).set(randomBytes(array.byteLength));
        return array;
      },
      randomUUID: () => {
        const bytes = randomBytes(16);
        bytes[6] = (bytes[6] & 0x0f) | 0x40;
        bytes[8] = (bytes[8] & 0x3f) | 0x80;
        return bytes.toHex().replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
      },
    }),
  );

  // ---- cloning
  function structuredClone(value) {
    const made = new Map();
    const refuse = (what) => {
      throw new DOMException(`Cannot clone ${what}.`, "DataCloneError");
    };
    const clone = (item) => {
      if (typeof item === "function") return refuse("a function");
      if (typeof item === "symbol") return refuse("a symbol");
      if (typeof item !== "object" || item === null) return item;
      if (made.has(item)) return made.get(item);
      const keep = (copy) => {
        made.set(item, copy);
        return copy;
      };
      if (item instanceof Date) return keep(new Date(item.getTime()));
      if (item instanceof RegExp) return keep(new RegExp(item.source, item.flags));
      if (item instanceof ArrayBuffer) return keep(item.slice(0));
      if (item instanceof DataView) {
        return keep(new DataView(clone(item.buffer), item.byteOffset, item.byteLength));
      }
      if (ArrayBuffer.isView(item)) {
        return keep(new item.constructor(clone(item.buffer), item.byteOffset, item.length));
      }
      if (item instanceof Number || item instanceof String || item instanceof Boolean) {
        return keep(Object(item.valueOf()));
      }
      if (
        item instanceof Promise || item instanceof WeakMap || item instanceof WeakSet ||
        item instanceof WeakRef
      ) {
        return refuse(`a ${item.constructor.name}`);
      }
      if (item instanceof Map) {
        const copy = keep(new Map());
        for (const [key, member] of item) copy.set(clone(key), clone(member));
        return copy;
      }
      if (item instanceof Set) {
        const copy = keep(new Set());
        for (const member of item) copy.add(clone(member));
        return copy;
      }
      if (item instanceof Error) {
        const copy = keep(new Error(item.message));
        copy.name = item.name;
        copy.stack = item.stack;
        return copy;
      }
      const copy = keep(Array.isArray(item) ? new Array(item.length) : {});
      for (const key of Object.keys(item)) {
        Object.defineProperty(copy, key, {
          value: clone(item[key]),
          writable: true,
          enumerable: true,
          configurable: true,
        });
      }
      return copy;
    };
    return clone(value);
  }

  const MIME = {
    json: "application/json",
    md: "text/markdown; charset=utf-8",
    html: "text/html; charset=utf-8",
    csv: "text/csv; charset=utf-8",
    svg: "image/svg+xml",
    png: "image/png",
    jpg: "image/jpeg",
    jpeg: "image/jpeg",
    gif: "image/gif",
    pdf: "application/pdf",
  };
  const mimeOf = (name, otherwise) => {
    const ending = /\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase();
    return ending !== undefined && Object.hasOwn(MIME, ending) ? MIME[ending] : otherwise;
  };
  Object.assign(kit, { encodeUtf8, decodeUtf8, toBase64, bytesOf, mimeOf, DOMException, URLSearchParams });
  const globals = {
    DOMException,
    TextEncoder,
    TextDecoder,
    atob,
    btoa,
    Event,
    CustomEvent,
    EventTarget,
    AbortSignal,
    AbortController,
    URL,
    URLSearchParams,
    structuredClone,
  };
  for (const name of Object.keys(globals)) define(name, globals[name]);
});
