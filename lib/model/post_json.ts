import { McpxError } from "../errors/mod.ts";

/** One request to a model's endpoint. */
export interface JsonPost {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: unknown;
  /** How long all of it may take, a second attempt included, ms. */
  timeoutMs: number;
  /** What must not be shown, whatever the endpoint answers. */
  secret: string;
  /** For messages. */
  name: string;
}

const MAX_ANSWER_BYTES = 4 * 1024 * 1024;
const DEFAULT_WAIT_MS = 500;
const SHOWN_CHARACTERS = 300;

/**
 * Posts JSON and reads JSON. After 429 or 5xx it is sent once more, within the same deadline; nothing else is repeated, and
 * redirects are not followed, since they would carry the key elsewhere.
 *
 * @throws {McpxError} `model-unavailable` with the reason, never with the key; `cancelled` when `signal` is aborted
 */
export async function postJson(post: JsonPost, signal: AbortSignal): Promise<unknown> {
  const deadline = AbortSignal.timeout(post.timeoutMs);
  const both = AbortSignal.any([signal, deadline]);
  try {
    const first = await attempt(post, both);
    if (!isWorthAnother(first.status)) return parse(post, first);
    await wait(first.retryAfterMs, both);
    return parse(post, await attempt(post, both));
  } catch (thrown) {
    if (signal.aborted) throw new McpxError("cancelled", "Cancelled by the caller.", { cause: thrown });
    if (deadline.aborted) {
      throw unavailable(post, `it did not answer within ${post.timeoutMs} ms (model.timeout)`);
    }
    if (thrown instanceof McpxError) throw thrown;
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    // The URL may carry a key, and is known to whoever set it.
    throw unavailable(post, `it cannot be reached (${reason.replace(/ for url \([^)]*\)/, "")})`);
  }
}

interface Attempt {
  status: number;
  text: string;
  retryAfterMs: number;
}

function isWorthAnother(status: number): boolean {
  return status === 429 || status >= 500;
}

async function attempt({ url, headers, body }: JsonPost, signal: AbortSignal): Promise<Attempt> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json", ...headers },
    body: JSON.stringify(body),
    redirect: "manual",
    signal,
  });
  const seconds = Number(response.headers.get("retry-after") ?? NaN);
  return {
    status: response.status,
    text: await readBounded(response),
    retryAfterMs: Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : DEFAULT_WAIT_MS,
  };
}

async function readBounded(response: Response): Promise<string> {
  if (response.body === null) return "";
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const chunk of response.body) {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) throw new Error(`its answer is larger than ${MAX_ANSWER_BYTES} bytes`);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

function parse(post: JsonPost, { status, text }: Attempt): unknown {
  if (status < 200 || status > 299) {
    const said = text.trim() === "" ? "" : `: ${text.trim().slice(0, SHOWN_CHARACTERS)}`;
    throw unavailable(post, `it answered ${status}${said}`);
  }
  try {
    return JSON.parse(text);
  } catch {
    throw unavailable(post, `its answer is no JSON: ${text.slice(0, 60)}`);
  }
}

async function wait(ms: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  const onAbort = (): void => reject(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    await promise;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
  }
}

/** An error that names the endpoint and the reason, and hides the key wherever the endpoint repeated it. */
export function unavailable({ name, secret }: Pick<JsonPost, "name" | "secret">, reason: string): McpxError {
  const shown = secret === "" ? reason : reason.replaceAll(secret, "***");
  return new McpxError("model-unavailable", `Cannot get an answer from ${name}: ${shown}.`, {
    hint: "mcpx settings get model.baseUrl",
  });
}
