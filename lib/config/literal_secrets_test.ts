import assert from "node:assert/strict";
import { literalSecrets } from "./literal_secrets.ts";

Deno.test("values that people write out and that are no secret stay readable", () => {
  const harmless: [string, string][] = [
    ["NODE_ENV", "production"],
    ["LOG_LEVEL", "debug"],
    ["PATH", "/usr/local/bin:/usr/bin:/opt/x9f3kq/bin"],
    ["HOME", "/home/q9w8e7r6"],
    ["LANG", "en_US.UTF-8"],
    ["MODEL", "claude3sonnet20240229"],
    ["X", "production"],
    ["X", "read-only"],
    ["X", "true"],
    ["X", "123456789"],
    ["X", "2024-11-05"],
    ["X", "10.0.0.1:8080"],
    ["X", "https://api.example.org/v1/things"],
    ["X", "postgres://localhost:5432/app"],
    ["X", "/var/lib/app/data.db"],
    ["X", "us-east-1"],
    ["X", "gpt-4o-mini"],
    ["X", "application/json; charset=utf8"],
    ["X", "someone@example.org"],
    ["X", "My Little Application"],
    ["X", "FilesystemServer"],
    ["JAVA_OPTS", "-Xmx512m -Dfile=x"],
    ["X", "${SECRET}"],
    ["X", "Bearer ${SECRET}"],
    ["Accept", "application/vnd.x9k2m4p8q1+json"],
    ["User-Agent", "agent/1.2.3 (build a8f3c9d2e1)"],
    ["X", "a1b2"],
    ["X", "modelcontextprotocol"],
    ["X", "jane.doe42@example.org"],
    ["X", "my-project-1234567890"],
  ];
  for (const [name, value] of harmless) assert.deepEqual(literalSecrets(name, value), [], `${name}=${value}`);
});

Deno.test("a literal that no list of names knows is a secret, whole and in its telling parts", () => {
  const secret: [string, string, ...string[]][] = [
    ["SLOT", "hunter22pass"],
    ["HOOK", "https://hooks.slack.com/services/T01/B02/a8F3kQ9zLmXpR7vT", "a8F3kQ9zLmXpR7vT"],
    ["X", "q9w8e7r6t5y4"],
    ["X", "QwErTyUiOpAsDf"],
    ["X", "550e8400-e29b-41d4-a716-446655440000"],
    ["X", '{"Authorization":"Bearer n7f3k2m9x1"}', "n7f3k2m9x1"],
    ["X-Thing", "abcdefghijklmnopqrstuvwxyz"],
    ["X", "/a8F3kQ9z/LmXpR7vT"],
    ["X", "tag-${NAME}-9f8e7d6c5b", "9f8e7d6c5b"],
    ["X", "pässw0rt-ünïcode9"],
  ];
  for (const [name, value, ...parts] of secret) {
    const found = literalSecrets(name, value);
    if (!value.includes("${")) assert.ok(found.includes(value), `${name}=${value}: ${found}`);
    for (const part of parts) assert.ok(found.includes(part), `${part} of ${value}: ${found}`);
    assert.ok(found.every((one) => one.length >= 6), String(found));
  }
});

Deno.test("the path of what is there is no secret, alone or in a list", () => {
  const exists = (path: string): boolean => path.startsWith("/there/");
  const path = "/there/q9w8e7r6t5y4/file";
  assert.deepEqual(literalSecrets("X", path, { exists }), []);
  assert.deepEqual(literalSecrets("X", `${path}:${path}x`, { exists }), []);
  assert.notDeepEqual(literalSecrets("X", path), []);
  assert.notDeepEqual(literalSecrets("X", `${path}:secret99word`, { exists }), []);
});
