import { reservedMeaning } from "../catalog/reserved_names.ts";

/** Modules of JavaScript runtimes that scripts are used to having under these names. */
const MODULES: ReadonlySet<string> = new Set(
  ("assert async_hooks buffer child_process cluster constants dgram diagnostics_channel dns domain events fs fsp fse http " +
    "http2 https inspector module net os path perf_hooks punycode querystring readline repl stream string_decoder sys " +
    "timers tls trace_events tty url util v8 vm wasi worker_threads zlib Bun global require exports _ lodash z")
    .split(" "),
);

/** Whether a name in a script belongs to the language or a runtime, so that a call of it is no tool's. */
export function isScriptBuiltin(name: string): boolean {
  return reservedMeaning(name) !== undefined || MODULES.has(name);
}
