import assert from "node:assert/strict";

/** What one sentence of the specification asks for. */
export type Requirement<C> =
  & {
    /** Page and heading. */
    section: string;
    /** The sentence in our words. */
    says: string;
  }
  & (
    | {
      /** Why nothing can be sent for it here. */
      why: string;
    }
    | {
      /** Sends what the sentence is about, and looks at what comes back. */
      check(context: C): Promise<void> | void;
    }
  );

/** Part of a table: who has to keep its rows. */
export interface RequirementPart<C> {
  /** Such as `a server`. */
  of: string;
  rows: readonly Requirement<C>[];
}

/** Makes a test of a table: one step for each row, all against what `open` opens once. */
export function requirements<C extends AsyncDisposable>(
  revision: string,
  open: () => Promise<C>,
  parts: readonly RequirementPart<C>[],
): void {
  Deno.test(`${revision} holds, requirement by requirement`, async (t) => {
    await using context = await open();
    for (const { of, rows } of parts) {
      for (const row of rows) {
        const name = `${of}: ${row.says} (${row.section})`;
        if ("why" in row) await t.step({ name: `${name}: ${row.why}`, ignore: true, fn: () => {} });
        else await t.step(name, async () => await row.check(context));
      }
    }
  });
}

/** Asserts that a value has these members, whatever else it has; a regular expression is matched, a list compared whole. */
export function has(actual: unknown, expected: unknown, path = "it"): void {
  if (expected instanceof RegExp) {
    assert.match(typeof actual === "string" ? actual : JSON.stringify(actual), expected, path);
  } else if (Array.isArray(expected)) {
    assert.ok(Array.isArray(actual), `${path} is no list: ${JSON.stringify(actual)}`);
    assert.equal(actual.length, expected.length, `${path}: ${JSON.stringify(actual)}`);
    expected.forEach((one, at) => has(actual[at], one, `${path}[${at}]`));
  } else if (typeof expected === "object" && expected !== null) {
    assert.ok(
      typeof actual === "object" && actual !== null,
      `${path} is no object: ${JSON.stringify(actual)}`,
    );
    for (const [name, one] of Object.entries(expected)) {
      has((actual as Record<string, unknown>)[name], one, `${path}.${name}`);
    }
  } else {
    assert.deepEqual(actual, expected, path);
  }
}

/** Asserts that an object has no members but these. */
export function hasOnly(actual: unknown, names: readonly string[], path = "it"): void {
  assert.ok(typeof actual === "object" && actual !== null, `${path} is no object`);
  const strange = Object.keys(actual).filter((name) => !names.includes(name));
  assert.deepEqual(strange, [], `${path} has members that its revision does not know`);
}

/** Asserts what every message of a server has to be: JSON-RPC 2.0, and exactly one of request, notification, result and error. */
export function isMessage(text: string): void {
  const message = JSON.parse(text) as unknown;
  for (const one of Array.isArray(message) ? message as unknown[] : [message]) {
    has(one, { jsonrpc: "2.0" });
    const { id, method, result, error } = one as Record<string, unknown>;
    if (method !== undefined) {
      assert.equal(typeof method, "string");
      assert.ok(id === undefined || typeof id === "string" || Number.isInteger(id), text);
      continue;
    }
    assert.equal([result, error].filter((part) => part !== undefined).length, 1, text);
    if (result !== undefined) {
      assert.ok(typeof result === "object" && result !== null && !Array.isArray(result), text);
      assert.ok(typeof id === "string" || Number.isInteger(id), text);
    } else {
      const { code, message: said } = error as Record<string, unknown>;
      assert.ok(Number.isInteger(code) && typeof said === "string", text);
    }
  }
}
