import { Hono } from "hono";
import type { Engine } from "../../lib/engine/engine.ts";
import { McpxError } from "../../lib/errors/mod.ts";
import { invoke } from "../../lib/operations/invoke.ts";
import { openApiDocument } from "../../lib/operations/openapi.ts";
import { type AnyOperation, OPERATIONS } from "../../lib/operations/table.ts";
import { type Answer, errorAnswer, jsonResponse } from "./answer.ts";
import { eventFeed } from "./event_feed.ts";
import { EventStreamAnswer } from "./event_stream.ts";
import { type GuardOptions, guardRequest } from "./guard.ts";
import { bodyLimits, readBody, readQuery } from "./read_input.ts";
import { readCaller, readRequestSettings } from "./request_caller.ts";
import { terminalAnswerer } from "./terminal_answerer.ts";

/** What the HTTP face stands on. */
export interface AppOptions {
  engine: Engine;
  guard: GuardOptions;
  /** Answers `/mcp` and `/sse`, which the guard protects as it does `/v1`. */
  mcp(request: Request): Promise<Response>;
  /** Runs a command line for the process that was started for it, where this listener may. */
  command?: (body: unknown) => Response;
  /** What `GET /v1/health` says. */
  health(): Record<string, unknown>;
}

type Handler = (request: Request, params: Readonly<Record<string, string>>) => Promise<Response>;

/** `/v1`: one route for each operation, derived from the table, with health and the OpenAPI document beside them. */
export function createApp(options: AppOptions): Hono {
  const app = new Hono();
  const methods = new Map<string, Set<string>>();
  const on = (method: string, path: string, handler: Handler): void => {
    const pattern = path.replace(/\{(\w+)\}/g, ":$1");
    methods.set(pattern, (methods.get(pattern) ?? new Set<string>()).add(method));
    app.on(method, pattern, (context) => handler(context.req.raw, context.req.param()));
  };
  app.use(async (context, next) => {
    guardRequest(context.req.raw, options.guard);
    await next();
  });
  const { command } = options;
  if (command) {
    on("POST", "/v1/command", async (request) => {
      return command(await readBody(request, bodyLimits(options.engine)));
    });
  }
  on("GET", "/v1/health", () => Promise.resolve(jsonResponse({ status: 200, body: options.health() })));
  on(
    "GET",
    "/v1/openapi.json",
    () => Promise.resolve(jsonResponse({ status: 200, body: openApiDocument() })),
  );
  on("GET", "/v1/events", (request) => Promise.resolve(eventFeed(request, options.engine.events)));
  for (const operation of OPERATIONS) {
    if (operation.notOn?.http !== undefined) continue;
    const { method, path, alternate } = operation.http;
    on(
      method,
      path,
      (request, params) =>
        serve(options, operation, request, (body, query) => ({ ...query, ...asObject(body), ...params })),
    );
    if (alternate) {
      on(
        method,
        alternate.path,
        (request, params) => serve(options, operation, request, (body) => alternate.toInput(params, body)),
      );
    }
  }
  for (const path of ["/mcp", "/sse", "/sse/:id"]) {
    app.all(path, (context) => options.mcp(context.req.raw));
  }
  for (const [pattern, allowed] of methods) {
    app.all(pattern, () => {
      const response = jsonResponse(
        errorAnswer(
          new McpxError(
            "method-not-allowed",
            `Cannot do that here: this route takes ${[...allowed].join(", ")}.`,
          ),
        ),
      );
      response.headers.set("allow", [...allowed].join(", "));
      return response;
    });
  }
  app.notFound((context) =>
    jsonResponse(
      errorAnswer(
        new McpxError("not-found", `Cannot find ${context.req.path}: there is no such route.`, {
          hint: "GET /v1/openapi.json lists them.",
        }),
      ),
    )
  );
  app.onError((error) => jsonResponse(errorAnswer(error)));
  return app;
}

async function serve(
  { engine, guard }: AppOptions,
  operation: AnyOperation,
  request: Request,
  toInput: (body: unknown, query: Record<string, unknown>) => unknown,
): Promise<Response> {
  const { identity, env, isCommandLine, isAttended } = readCaller(request.headers.get("x-mcpx-caller"));
  const values = readRequestSettings(request.headers.get("x-mcpx-settings"));
  const body = request.method === "GET" ? undefined : await readBody(request, bodyLimits(engine));
  const input = toInput(
    body,
    request.method === "POST" ? {} : readQuery(operation, new URL(request.url).searchParams),
  );
  const abort = new AbortController();
  const asksForStream = accepts(request, "text/event-stream") ||
    (typeof body === "object" && body !== null && "stream" in body && body.stream === true);
  const stream = operation.streams && asksForStream ? new EventStreamAnswer(() => abort.abort()) : undefined;
  if (!stream) request.signal.addEventListener("abort", () => abort.abort(), { once: true });
  const answer = (async (): Promise<Answer> => {
    engine.active++;
    try {
      const caller = engine.caller({
        surface: isCommandLine ? "cli" : "http",
        identity,
        signal: abort.signal,
        ...(guard.transport === "tcp" ? { isRemote: true } : {}),
        ...(env ? { env } : {}),
        ...(values ? { values } : {}),
        ...(stream ? { emit: (event) => stream.emit(event) } : {}),
        ...(stream && isAttended ? { answerer: terminalAnswerer((event) => stream.emit(event)) } : {}),
      });
      return { status: 200, body: await invoke(operation, input, { engine, caller }) };
    } catch (error) {
      return errorAnswer(error);
    } finally {
      engine.active--;
    }
  })();
  if (!stream) return jsonResponse(await answer);
  void answer.then((settled) => stream.done(settled));
  return stream.response;
}

function asObject(body: unknown): Record<string, unknown> {
  if (body === undefined) return {};
  if (typeof body === "object" && body !== null && !Array.isArray(body)) {
    return body as Record<string, unknown>;
  }
  throw new McpxError("invalid-input", "Cannot read the body: it is not a JSON object.");
}

function accepts(request: Request, type: string): boolean {
  return request.headers.get("accept")?.includes(type) ?? false;
}
