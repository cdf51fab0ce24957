import { eventually } from "../../support/world.ts";
import { codeOf, type Effects, type Json, pause, type Place } from "./place.ts";

/** The question and the task of a call that has to wait. */
async function waiting(place: Place, tool: string): Promise<{ id: string; task: string } | undefined> {
  const { status, body } = await place.call(tool);
  if (status !== 202) return undefined;
  const data = (body.error as Json).data as { question: { id: string }; task: string };
  return { id: data.question.id, task: data.task };
}

/** The state of a task or a question. */
async function stateOf(place: Place, path: string, member: "task" | "question"): Promise<unknown> {
  const { body } = await place.get(path);
  return (body[member] as Json | undefined)?.state;
}

async function drop(place: Place, task: string | undefined): Promise<void> {
  if (task !== undefined) await place.post(`/v1/tasks/${task}/cancel`);
}

/** Two instances of the server whose instances are keyed by session, and then a call of a third session. */
async function third(
  place: Place,
): Promise<{ answered: Awaited<ReturnType<Place["call"]>>; pids: number[] }> {
  await place.post("/v1/restart", { namespace: "pair" });
  const pids: number[] = [];
  for (const session of ["a", "b"]) {
    const { body } = await place.as(session).call("pair.wait", { ms: 1 });
    pids.push((body.result as { pid: number }).pid);
  }
  return { answered: await place.as("c").call("pair.wait", { ms: 1 }), pids };
}

/** Settings of questions and tasks. */
export const QUESTION_EFFECTS: Effects = {
  "elicit.askTimeout": {
    values: ["300ms", "45s"],
    sees: ["failed", "input_required"],
    observe: (place) =>
      place.holding({ "elicit.confirmDestructive": "true" }, async () => {
        const one = await waiting(place, "asker.wipe");
        await pause(700);
        const state = await stateOf(place, `/v1/tasks/${one?.task}`, "task");
        await drop(place, one?.task);
        return state;
      }),
  },
  "elicit.confirmDestructive": {
    values: ["false", "true"],
    sees: [undefined, "waiting-input"],
    observe: async (place) => {
      const answered = await place.call("asker.wipe");
      const { data } = (answered.body.error ?? {}) as { data?: { task?: string } };
      await drop(place, data?.task);
      return codeOf(answered);
    },
  },
  "elicit.disambiguate": {
    values: ["never", "ask"],
    sees: [undefined, "waiting-input"],
    observe: async (place) => {
      const { answered } = await third(place);
      const { data } = (answered.body.error ?? {}) as { data?: { task?: string } };
      await drop(place, data?.task);
      return codeOf(answered);
    },
  },
  "elicit.disambiguateDefault": {
    values: ["new", "recent"],
    sees: [false, true],
    observe: (place) =>
      place.holding({ "elicit.disambiguate": "ask", "elicit.askTimeout": "200ms" }, async () => {
        const { answered, pids } = await third(place);
        const { task } = (answered.body.error as Json).data as { task: string };
        await pause(600);
        const { body } = await place.get(`/v1/tasks/${task}/result`);
        return pids.includes((body.result as { pid: number }).pid);
      }),
  },
  "elicit.maxOpen": {
    values: ["1", "20000"],
    sees: [false, true],
    observe: async (place) => {
      const first = await waiting(place, "asker.ask");
      const second = await waiting(place, "asker.ask");
      await drop(place, first?.task);
      await drop(place, second?.task);
      return second !== undefined;
    },
  },
  "elicit.ttl": {
    values: ["300ms", "1h"],
    sees: ["expired", "pending"],
    observe: async (place) => {
      const one = await waiting(place, "asker.ask");
      await pause(700);
      const state = await stateOf(place, `/v1/elicit/${one?.id}`, "question");
      await drop(place, one?.task);
      return state;
    },
  },
  "serve.parkTimeout": {
    values: ["300ms", "10m"],
    sees: [false, true],
    observe: async (place) => {
      const asks = { elicitation: { form: {} } };
      const params: Json = { name: "mcpx_call", arguments: { tool: "asker.ask" } };
      const { result } = await place.mcp("tools/call", params, asks) as { result: Json };
      const [key = ""] = Object.keys(result.inputRequests as Json);
      await pause(700);
      const answer = await place.mcp("tools/call", {
        ...params,
        requestState: result.requestState,
        inputResponses: { [key]: { action: "accept", content: { name: "x" } } },
      }, asks);
      return answer.error === undefined;
    },
  },
  "task.ttl": {
    values: ["150ms", "1d"],
    sees: [404, 200],
    observe: async (place) => {
      const { body } = await place.post("/v1/exec", { code: "return 1", task: true });
      const { id } = body.task as { id: string };
      await eventually(
        async () => await stateOf(place, `/v1/tasks/${id}`, "task") !== "working",
        "the task has ended",
      );
      await pause(400);
      return (await place.get(`/v1/tasks/${id}`)).status;
    },
  },
};
