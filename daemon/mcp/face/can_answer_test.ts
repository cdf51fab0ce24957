import assert from "node:assert/strict";
import { hostCan } from "./can_answer.ts";

const ROWS: [version: string, capabilities: Record<string, unknown>, can: string[]][] = [
  ["2025-11-25", {}, []],
  ["2025-03-26", { elicitation: {} }, []],
  ["2025-06-18", { elicitation: {} }, ["form"]],
  ["2025-06-18", { elicitation: { form: {}, url: {} } }, ["form"]],
  ["2025-11-25", { elicitation: { form: {}, url: {} } }, ["form", "url"]],
  ["2025-11-25", { elicitation: { url: {} } }, ["url"]],
  ["2026-07-28", { elicitation: { url: {} }, sampling: {}, roots: {} }, ["url", "sampling", "roots"]],
  ["2024-11-05", { sampling: {}, roots: { listChanged: true } }, ["sampling", "roots"]],
  ["2025-11-25", { sampling: { tools: {} } }, ["sampling", "tools"]],
  ["2025-06-18", { sampling: { tools: {} } }, ["sampling"]],
  ["2025-11-25", { elicitation: true, sampling: null, roots: [] }, []],
];

Deno.test("a host is asked what it declared, in the revisions that have it: an empty elicitation means forms", () => {
  for (const [version, capabilities, can] of ROWS) {
    const host = { version, capabilities };
    const asked = {
      form: hostCan(host, "elicitation/create", { message: "?" }),
      url: hostCan(host, "elicitation/create", { mode: "url" }),
      sampling: hostCan(host, "sampling/createMessage", {}),
      tools: hostCan(host, "sampling/createMessage", { tools: [] }),
      roots: hostCan(host, "roots/list", {}),
      other: hostCan(host, "tools/list", {}),
    };
    const found = Object.entries(asked).filter(([, yes]) => yes).map(([name]) => name);
    assert.deepEqual(found, can, JSON.stringify(capabilities));
  }
});
