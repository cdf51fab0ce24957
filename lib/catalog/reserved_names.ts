const RESERVED_BY_MCPX = "mcpx recipe tools call search describe emit log artifact args ToolError";

/** Words that JavaScript or TypeScript give a meaning of their own where a name stands. */
const WORDS = "abstract any arguments as asserts async await bigint boolean break case catch class const " +
  "continue debugger declare default delete do else enum eval export extends false finally for from function " +
  "get global globalThis if implements import in infer instanceof interface intrinsic is keyof let module " +
  "namespace never new null number object of out override package private protected public readonly require " +
  "return satisfies set static string super switch symbol this throw true try type typeof undefined unique " +
  "unknown using var void while with yield NaN Infinity exports";

/** Members of every object, and the one that makes an object awaitable: unsafe as keys of `tools`. */
const MEMBERS = "then constructor prototype toString toLocaleString valueOf hasOwnProperty isPrototypeOf " +
  "propertyIsEnumerable __proto__ __defineGetter__ __defineSetter__ __lookupGetter__ __lookupSetter__";

/** Globals of the language, of the web platform, and of Deno, that a script may use or that its types declare. */
const GLOBALS =
  "Object Function Array Number Boolean String Symbol Date Promise RegExp Error AggregateError " +
  "EvalError RangeError ReferenceError SyntaxError TypeError URIError SuppressedError DisposableStack " +
  "AsyncDisposableStack JSON Math Intl Temporal ArrayBuffer SharedArrayBuffer Atomics DataView Uint8Array " +
  "Int8Array Uint16Array Int16Array Uint32Array Int32Array Float16Array Float32Array Float64Array " +
  "Uint8ClampedArray BigUint64Array BigInt64Array BigInt Map Set WeakMap WeakSet WeakRef Proxy Reflect " +
  "FinalizationRegistry Iterator WebAssembly Deno Buffer Record Partial Required Readonly Pick Omit Exclude " +
  "Extract Parameters ReturnType Awaited AbortController AbortSignal Blob BroadcastChannel " +
  "ByteLengthQueuingStrategy Cache CacheStorage CloseEvent CompressionStream CountQueuingStrategy Crypto " +
  "CryptoKey CryptoKeyPair CustomEvent CSSRule CSSStyleSheet DOMException DOMMatrix DOMMatrixReadOnly DOMPoint " +
  "DOMPointReadOnly DOMQuad DOMRect DOMRectReadOnly DecompressionStream ErrorEvent Event EventSource EventTarget " +
  "File FileReader FormData GPU GPUAdapter GPUBuffer GPUDevice GPUError GPUQueue GPUTexture Headers ImageBitmap " +
  "ImageBitmapRenderingContext ImageData Location MessageChannel MessageEvent MessagePort Navigator " +
  "NavigatorUAData OffscreenCanvas Performance PerformanceEntry PerformanceMark PerformanceMeasure " +
  "PerformanceObserver PerformanceObserverEntryList ProgressEvent PromiseRejectionEvent QuotaExceededError " +
  "ReadableByteStreamController ReadableStream ReadableStreamBYOBReader ReadableStreamBYOBRequest " +
  "ReadableStreamDefaultController ReadableStreamDefaultReader Request Response Storage SubtleCrypto TextDecoder " +
  "TextDecoderStream TextEncoder TextEncoderStream TransformStream TransformStreamDefaultController URL " +
  "URLPattern URLSearchParams WebSocket WebSocketError WebSocketStream WebTransport Window Worker WritableStream " +
  "WritableStreamDefaultController WritableStreamDefaultWriter addEventListener alert atob btoa caches " +
  "clearImmediate clearInterval clearTimeout close closed confirm console createImageBitmap crypto " +
  "decodeURI decodeURIComponent dispatchEvent encodeURI encodeURIComponent escape fetch isFinite isNaN " +
  "localStorage location name navigator onbeforeunload onerror onload onunhandledrejection onunload parseFloat " +
  "parseInt performance process prompt queueMicrotask removeEventListener reportError self sessionStorage " +
  "setImmediate setInterval setTimeout structuredClone unescape window";

/** Names that no namespace may have, with what each is already. */
const RESERVED: ReadonlyMap<string, string> = new Map([
  ...named(GLOBALS, "a global of scripts"),
  ...named(MEMBERS, "a member of every object"),
  ...named(WORDS, "a word of the language"),
  ...named(RESERVED_BY_MCPX, "a name of mcpx's own"),
]);

function named(words: string, meaning: string): [string, string][] {
  return words.split(" ").map((word) => [word, meaning]);
}

/**
 * What a name already means, where no namespace may have it.
 *
 * @param name an identifier
 * @returns words such as `a global of scripts`, or undefined where the name is free
 *
 * @example
 * ```ts
 * import { reservedMeaning } from "./reserved_names.ts";
 * console.assert(reservedMeaning("fetch") === "a global of scripts");
 * ```
 */
export function reservedMeaning(name: string): string | undefined {
  return RESERVED.get(name);
}
