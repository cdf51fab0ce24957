import assert from "node:assert/strict";
import { offeredOperations, operationTool, operationToolName } from "../../daemon/mcp/face/operation_tool.ts";
import { MANIFEST } from "../../lib/cli/manifest.ts";
import { isErrorCode } from "../../lib/errors/mod.ts";
import { operationFields } from "../../lib/operations/fields.ts";
import { openApiDocument } from "../../lib/operations/openapi.ts";
import { OPERATIONS } from "../../lib/operations/table.ts";
import { isSettingPath } from "../../lib/settings/mod.ts";

Deno.test("every operation is on the command line with every input, or says why not", () => {
  for (const operation of OPERATIONS) {
    const commands = MANIFEST.operations.filter(({ id }) => id === operation.id);
    if (operation.notOn?.cli !== undefined) {
      assert.equal(commands.length, 0, operation.id);
      continue;
    }
    assert.equal(commands.length, operation.cli.commands.length, operation.id);
    const offered = new Set(commands.flatMap(({ inputs }) => inputs.map(({ name }) => name)));
    assert.deepEqual(
      [...offered].sort(),
      operationFields(operation).map(({ name }) => name).sort(),
      operation.id,
    );
  }
});

Deno.test("the command line has no operation that the table lacks", () => {
  const ids = new Set(OPERATIONS.map(({ id }) => id));
  for (const { id } of MANIFEST.operations) assert.ok(ids.has(id), id);
});

Deno.test("every operation is in the OpenAPI document with every input, and nothing else is", () => {
  const { paths } = openApiDocument() as {
    paths: Record<
      string,
      Record<string, { operationId: string; parameters?: { name: string }[]; requestBody?: unknown }>
    >;
  };
  const documented = new Map(
    Object.values(paths).flatMap((methods) => Object.values(methods)).map((item) => [item.operationId, item]),
  );
  assert.deepEqual(
    [...documented.keys()].sort(),
    OPERATIONS.filter(({ notOn }) => notOn?.http === undefined).map(({ id }) => id).sort(),
  );
  for (const operation of OPERATIONS) {
    const item = documented.get(operation.id);
    const text = JSON.stringify(item);
    for (const { name } of operationFields(operation)) {
      assert.ok(text.includes(JSON.stringify(name)), `${operation.id}.${name}`);
    }
  }
});

/** Fields that the command line fills by itself, and that MCP has another way for. */
const NOT_ON_MCP = new Set(["textArguments", "preview", "filename", "content", "caller", "stream"]);

Deno.test("every operation is an MCP tool with every input, or says why not", () => {
  const idsOf = (admin: boolean): Set<string> =>
    new Set(offeredOperations({ full: true, code: true, admin }).map(({ id }) => id));
  const offered = idsOf(false);
  const toAdmins = idsOf(true);
  for (const operation of OPERATIONS) {
    assert.equal(toAdmins.has(operation.id), operation.notOn?.mcp === undefined, operation.id);
    assert.equal(
      offered.has(operation.id),
      toAdmins.has(operation.id) && operation.admin === undefined,
      operation.id,
    );
    const { inputSchema } = operationTool(operation) as { inputSchema: { properties?: object } };
    const names = new Set(Object.keys(inputSchema.properties ?? {}));
    const missing = operationFields(operation).map(({ name }) => name).filter((name) => !names.has(name));
    assert.deepEqual(missing.filter((name) => !NOT_ON_MCP.has(name)), [], operation.id);
    for (const name of missing) assert.ok(operation.cli.fields?.[name]?.hidden, `${operation.id}.${name}`);
  }
  const ids = new Set(OPERATIONS.map(operationToolName));
  assert.equal(ids.size, OPERATIONS.length, "no two tools share a name");
});

Deno.test("operations name settings and error codes that exist, and every exception has a reason", () => {
  for (const operation of OPERATIONS) {
    for (const path of operation.settings) assert.ok(isSettingPath(path), `${operation.id}: ${path}`);
    for (const code of operation.errors) assert.ok(isErrorCode(code), `${operation.id}: ${code}`);
    for (const reason of [...Object.values(operation.notOn ?? {}), operation.admin]) {
      assert.ok(reason === undefined || reason.length > 20, operation.id);
    }
    assert.ok(operation.summary.endsWith("."), operation.id);
    assert.ok(operation.examples.length > 0, operation.id);
  }
});

Deno.test("no two operations share an id, a route or a command", () => {
  const unique = (values: string[]): void =>
    assert.equal(new Set(values).size, values.length, values.join("\n"));
  unique(OPERATIONS.map(({ id }) => id));
  unique(OPERATIONS.map(({ http }) => `${http.method} ${http.path}`));
  unique(OPERATIONS.flatMap(({ cli }) => cli.commands.map(({ words }) => words.join(" "))));
});
