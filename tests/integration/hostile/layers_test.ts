import assert from "node:assert/strict";
import { type Act, ACTS, type Peeling, PEELINGS } from "./acts.ts";
import { ATTACKS } from "./attacks.ts";
import { eachOf, Range, type RunAnswer } from "./range.ts";

/*
 * Layers are left out one after the other, and what gets through there is caught by the next. What caught what is written into
 * docs/security.md: MCPX_TEST_WRITE=1 writes it anew.
 */

const PAGE = new URL("../../../docs/security.md", import.meta.url);
const BEGIN = "<!-- what caught what: written by tests/integration/hostile/layers_test.ts -->";
const END = "<!-- end of what caught what -->";

/** Which layer an ending shows, by the words that only it has. */
function caughtBy({ error, ok }: RunAnswer, { without }: Peeling): string {
  if (ok) return "**nothing**";
  const { code = "", message = "" } = error ?? {};
  const out = new Set(without);
  if (code === "script-timeout") return "6 wall clock";
  if (code === "script-cpu") return out.has("daemon") ? "5 CPU limit" : "6 CPU clock, before 5";
  if (code === "script-memory") return "5 memory limit";
  if (code === "script-output" || code === "script-calls" || code === "script-result") {
    return out.has("daemon") ? "1 its own count" : "1 its own count, before 6";
  }
  if (/Requires|NotCapable|denied|Can't escalate/i.test(message)) {
    return out.has("worker") ? "4 flags" : "3 permissions";
  }
  if (/ERR_VM_DYNAMIC_IMPORT/.test(message)) return "1 compiled as a script";
  if (/scripts import from "mcpx" only/.test(message)) return "2 import hook";
  if (/Code generation from strings/.test(message)) return "1 no text to code";
  if (/undefined|not a constructor|not a function|not defined/.test(message)) {
    return out.has("realm") ? "2 blanked" : "1 not there";
  }
  if (/--no-npm|--no-remote|--cached-only|npm specifiers/i.test(message)) return "4 flags";
  return `? ${code}: ${message.slice(0, 120)}`;
}

/** Where no memory is counted, only the clock ends what fills it: that must not take long. */
function settingsOf({ settings = {} }: Act, { without }: Peeling): Record<string, unknown> {
  return without.includes("system") ? { ...settings, "exec.timeout": "1s" } : settings;
}

const cells = new Map<string, string>();

for (const peeling of PEELINGS) {
  Deno.test(`${peeling.title}: nothing that a script must not do is done`, async () => {
    await using range = await Range.open({ without: peeling.without });
    range.startInnocents();
    const acts = ACTS.filter(({ columns }) => columns?.includes(peeling.title));
    const failed: string[] = [];
    await eachOf(acts, 3, async (act) => {
      const by = caughtBy(await range.run(act.source, "none", settingsOf(act, peeling)), peeling);
      cells.set(`${act.name} ${peeling.title}`, by);
      if (/^(\?|\*\*)/.test(by)) failed.push(`${act.name}: ${by}`);
    });
    // The whole suite again: whatever a broken layer lets a script see, no file, no host and no other run is harmed.
    const attacks = peeling.without.length === 0
      ? []
      : ATTACKS.filter(({ name, profiles }) =>
        profiles === undefined && /^(import|escape|reach):/.test(name)
      );
    await eachOf(attacks, 5, async ({ source, settings }) => {
      await range.run(source, "none", { "exec.timeout": "2s", "exec.cpu": "1s", ...settings });
    });
    await range.unharmed();
    assert.deepEqual(failed, []);
  });
}

Deno.test("the page on security shows what caught what", async () => {
  if (cells.size === 0) return; // only some tests were picked
  const table = [
    `| a script that | ${PEELINGS.map(({ title }) => title).join(" | ")} |`,
    `| --- | ${PEELINGS.map(() => "---").join(" | ")} |`,
    ...ACTS.map((act: Act) =>
      `| ${act.name} | ${PEELINGS.map(({ title }) => cells.get(`${act.name} ${title}`) ?? "").join(" | ")} |`
    ),
  ].join("\n");
  const page = await Deno.readTextFile(PAGE);
  const [before = "", rest = ""] = page.split(BEGIN);
  const [, after = ""] = rest.split(END);
  const fresh = `${before}${BEGIN}\n\n${table}\n\n${END}${after}`;
  if (Deno.env.get("MCPX_TEST_WRITE") === "1") await Deno.writeTextFile(PAGE, fresh);
  else assert.equal(squeezed(page), squeezed(fresh), "run it with MCPX_TEST_WRITE=1");
});

/**
 * A table as it counts: without the padding that the formatter gives it. Whether a flood reaches its count before the clock ends it is
 * the machine's speed; both ends are the daemon's.
 */
function squeezed(text: string): string {
  return text.replace(/ +\|/g, " |").replace(/-{3,}/g, "---")
    .replace(
      /^\| (prints|calls|returns) .*$/gm,
      (row) => row.replaceAll("6 wall clock", "1 its own count, before 6"),
    );
}
