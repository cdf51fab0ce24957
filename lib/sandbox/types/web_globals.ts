/** Declarations of the web-standard globals that a script finds, and of those that a profile adds. */
export const WEB_GLOBALS = `
interface Console {
  log(...values: unknown[]): void;
  info(...values: unknown[]): void;
  debug(...values: unknown[]): void;
  trace(...values: unknown[]): void;
  warn(...values: unknown[]): void;
  error(...values: unknown[]): void;
  dir(value: unknown): void;
  table(value: unknown): void;
  group(...values: unknown[]): void;
  groupEnd(): void;
  assert(condition: unknown, ...values: unknown[]): void;
  count(label?: string): void;
  time(label?: string): void;
  timeEnd(label?: string): void;
}
declare const console: Console;
declare function setTimeout(callback: (...values: any[]) => unknown, ms?: number, ...values: any[]): number;
declare function setInterval(callback: (...values: any[]) => unknown, ms?: number, ...values: any[]): number;
declare function clearTimeout(id?: number): void;
declare function clearInterval(id?: number): void;
declare function queueMicrotask(callback: () => void): void;
declare function structuredClone<T>(value: T): T;
declare function atob(text: string): string;
declare function btoa(text: string): string;
declare const performance: { now(): number; readonly timeOrigin: number };
type BufferSource = ArrayBuffer | ArrayBufferView;
declare const crypto: {
  randomUUID(): string;
  getRandomValues<T extends ArrayBufferView>(into: T): T;
  readonly subtle: { digest(algorithm: string | { name: string }, data: BufferSource): Promise<ArrayBuffer> };
};
declare class DOMException extends Error {
  constructor(message?: string, name?: string);
  readonly code: number;
}
declare class Event {
  constructor(type: string, options?: { cancelable?: boolean });
  readonly type: string;
  readonly target: EventTarget | null;
  readonly defaultPrevented: boolean;
  preventDefault(): void;
  stopImmediatePropagation(): void;
}
declare class CustomEvent<T = any> extends Event {
  constructor(type: string, options?: { cancelable?: boolean; detail?: T });
  readonly detail: T;
}
declare class EventTarget {
  addEventListener(type: string, listener: (event: any) => void, options?: { once?: boolean; signal?: AbortSignal }): void;
  removeEventListener(type: string, listener: (event: any) => void): void;
  dispatchEvent(event: Event): boolean;
}
declare class AbortSignal extends EventTarget {
  static abort(reason?: any): AbortSignal;
  static timeout(ms: number): AbortSignal;
  static any(signals: Iterable<AbortSignal>): AbortSignal;
  readonly aborted: boolean;
  readonly reason: any;
  onabort: ((event: Event) => void) | null;
  throwIfAborted(): void;
}
declare class AbortController {
  readonly signal: AbortSignal;
  abort(reason?: any): void;
}
declare class TextEncoder {
  readonly encoding: string;
  encode(text?: string): Uint8Array<ArrayBuffer>;
}
declare class TextDecoder {
  constructor(label?: string, options?: { fatal?: boolean; ignoreBOM?: boolean });
  decode(bytes?: BufferSource, options?: { stream?: boolean }): string;
}
declare class URLSearchParams {
  constructor(init?: string | Record<string, string> | Iterable<[string, string]>);
  append(name: string, value: string): void;
  delete(name: string): void;
  get(name: string): string | null;
  getAll(name: string): string[];
  has(name: string): boolean;
  set(name: string, value: string): void;
  sort(): void;
  forEach(callback: (value: string, name: string) => void): void;
  entries(): IterableIterator<[string, string]>;
  keys(): IterableIterator<string>;
  values(): IterableIterator<string>;
  [Symbol.iterator](): IterableIterator<[string, string]>;
  readonly size: number;
  toString(): string;
}
declare class URL {
  constructor(url: string | URL, base?: string | URL);
  static canParse(url: string | URL, base?: string | URL): boolean;
  static parse(url: string | URL, base?: string | URL): URL | null;
  href: string;
  protocol: string;
  username: string;
  password: string;
  host: string;
  hostname: string;
  port: string;
  pathname: string;
  search: string;
  hash: string;
  readonly origin: string;
  readonly searchParams: URLSearchParams;
  toString(): string;
  toJSON(): string;
}
/** In hooks: how the script ended. */
declare const outcome: { ok: true; result: any } | { ok: false; error: any };
declare class Headers {
  constructor(init?: Record<string, string> | Iterable<[string, string]>);
  append(name: string, value: string): void;
  delete(name: string): void;
  get(name: string): string | null;
  getSetCookie(): string[];
  has(name: string): boolean;
  set(name: string, value: string): void;
  forEach(callback: (value: string, name: string) => void): void;
  entries(): IterableIterator<[string, string]>;
  keys(): IterableIterator<string>;
  values(): IterableIterator<string>;
  [Symbol.iterator](): IterableIterator<[string, string]>;
}
declare class Response {
  constructor(body?: string | BufferSource | null, init?: { status?: number; statusText?: string; headers?: Record<string, string> });
  readonly ok: boolean;
  readonly status: number;
  readonly statusText: string;
  readonly headers: Headers;
  readonly url: string;
  readonly redirected: boolean;
  readonly bodyUsed: boolean;
  bytes(): Promise<Uint8Array>;
  arrayBuffer(): Promise<ArrayBuffer>;
  text(): Promise<string>;
  json(): Promise<any>;
}
/** With the profile \`net\`. */
declare function fetch(
  input: string | URL,
  init?: {
    method?: string;
    headers?: Record<string, string> | Iterable<[string, string]> | Headers;
    body?: string | BufferSource | URLSearchParams | null;
    redirect?: "follow" | "error" | "manual";
    signal?: AbortSignal;
  },
): Promise<Response>;
/** What a profile adds: the members are there where it grants them. */
declare namespace Deno {
  interface FileInfo {
    isFile: boolean;
    isDirectory: boolean;
    isSymlink: boolean;
    size: number;
    mtime: Date | null;
  }
  interface DirEntry {
    name: string;
    isFile: boolean;
    isDirectory: boolean;
    isSymlink: boolean;
  }
  function readFile(path: string | URL): Promise<Uint8Array>;
  function readTextFile(path: string | URL): Promise<string>;
  function readDir(path: string | URL): AsyncIterable<DirEntry>;
  function stat(path: string | URL): Promise<FileInfo>;
  function writeFile(path: string | URL, data: Uint8Array, options?: { append?: boolean; create?: boolean }): Promise<void>;
  function writeTextFile(path: string | URL, data: string, options?: { append?: boolean; create?: boolean }): Promise<void>;
  function mkdir(path: string | URL, options?: { recursive?: boolean }): Promise<void>;
  function remove(path: string | URL, options?: { recursive?: boolean }): Promise<void>;
  const env: { get(name: string): string | undefined; has(name: string): boolean; toObject(): Record<string, string> };
  class Command {
    constructor(command: string | URL, options?: { args?: string[]; cwd?: string | URL });
    output(): Promise<{ code: number; signal: string | null; success: boolean; stdout: Uint8Array; stderr: Uint8Array }>;
  }
}
`;
