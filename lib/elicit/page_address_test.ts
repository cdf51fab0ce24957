import assert from "node:assert/strict";
import { judgePage } from "./page_address.ts";

Deno.test("a page on the web is a page", () => {
  for (const url of ["https://example.org/a?b=c#d", "http://127.0.0.1:8080/", "HTTPS://EXAMPLE.ORG"]) {
    assert.deepEqual(judgePage(url), {}, url);
  }
});

Deno.test("what runs code, reads files or hides what it is, is refused", () => {
  for (
    const url of [
      "javascript:alert(1)",
      "JavaScript:alert(1)",
      "java\nscript:alert(1)",
      " javascript:alert(1)",
      "\u0001javascript:alert(1)",
      "data:text/html,<script>alert(1)</script>",
      "file:///etc/passwd",
      "vbscript:x",
      "blob:https://example.org/1",
      "about:config",
      "view-source:https://example.org",
      "chrome://settings",
      "moz-extension://x",
      "ms-msdt:/id",
      "https://example.org/\u202efdp.exe",
      "https://exam\u200bple.org",
      "",
      "example.org",
      "/etc/passwd",
      "https://",
      `https://example.org/${"x".repeat(9000)}`,
    ]
  ) assert.ok("refused" in judgePage(url), JSON.stringify(url));
});

Deno.test("what may mislead is shown with a warning", () => {
  const warning = (url: string): string => {
    const judged = judgePage(url);
    assert.ok("warning" in judged, url);
    return judged.warning ?? "";
  };
  assert.match(warning("slack://open?team=1"), /no web page: .* slack: would open it/);
  assert.match(warning("mailto:a@example.org"), /mailto:/);
  assert.match(warning("https://bank.example@evil.example/"), /the page is at evil\.example/);
  assert.match(warning("https://аpple.example/"), /xn--/);
});
