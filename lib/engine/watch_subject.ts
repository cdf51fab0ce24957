import type { JsonObject } from "../schema/mod.ts";

/** Something of one server's that can be watched: what tells of it, and how it is asked for in each era. */
export interface WatchSubject {
  /** Tells one subject of a server from another. */
  readonly key: string;
  /** For people: `resource note://one`. */
  readonly title: string;
  /** Whether a notification is one about it. */
  tells(method: string, params: JsonObject): boolean;
  /** The requests that begin and end it before 2026-07-28; without them a server of these revisions tells unasked. */
  readonly requests?: { begin: string; end: string; params: JsonObject };
  /** What `subscriptions/listen` asks for. */
  readonly filter: JsonObject;
  /** Whether the server agreed, as the `notifications` of its acknowledgement say. */
  isHonoured(notifications: JsonObject): boolean;
  /** Members of the listen request's `_meta`. */
  readonly meta?: JsonObject;
}

/** A resource by its URI. */
export function resourceSubject(uri: string): WatchSubject {
  return {
    key: JSON.stringify(["resource", uri]),
    title: `resource ${uri}`,
    tells: (method, params) => method === "notifications/resources/updated" && params.uri === uri,
    requests: { begin: "resources/subscribe", end: "resources/unsubscribe", params: { uri } },
    filter: { resourceSubscriptions: [uri] },
    isHonoured: ({ resourceSubscriptions }) => includes(resourceSubscriptions, uri),
  };
}

/** A task of the 2026-07-28 extension by its id. */
export function taskSubject(taskId: string): WatchSubject {
  return {
    key: JSON.stringify(["task", taskId]),
    title: `task ${taskId}`,
    tells: (method, params) => method === "notifications/tasks" && params.taskId === taskId,
    filter: { taskIds: [taskId] },
    isHonoured: ({ taskIds }) => includes(taskIds, taskId),
    meta: {
      "io.modelcontextprotocol/clientCapabilities": {
        extensions: { "io.modelcontextprotocol/tasks": {} },
      },
    },
  };
}

function includes(list: unknown, name: string): boolean {
  return Array.isArray(list) && list.includes(name);
}
