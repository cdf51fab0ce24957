import { type CommandContext, writeAnswer } from "../context.ts";
import { Interrupt } from "../interrupt.ts";
import { checkConfiguration } from "./doctor/configuration.ts";
import { checkDaemon } from "./doctor/daemon.ts";
import { checkFolders } from "./doctor/folders.ts";
import type { Check } from "./doctor/check.ts";

const MARKS: Record<Check["state"], ["green" | "yellow" | "red", string]> = {
  ok: ["green", "ok  "],
  warn: ["yellow", "warn"],
  fail: ["red", "fail"],
};

/**
 * Checks what mcpx needs, part by part; each finding says what to do.
 *
 * A configuration that cannot be read is one failure: what needs it is not tried.
 *
 * @returns 1 where a check fails
 */
export async function runDoctor(cx: CommandContext): Promise<number> {
  using interrupt = new Interrupt(cx.io);
  const checks: Check[] = [];
  const add = async (found: readonly Check[]): Promise<void> => {
    checks.push(...found);
    if (!cx.json) { for (const check of found) await show(cx, check); }
  };
  await add(await checkFolders(cx));
  const configuration = await checkConfiguration(cx);
  await add(configuration);
  if (!configuration.some(({ state }) => state === "fail")) await checkDaemon(cx, interrupt.signal, add);
  const failed = checks.filter(({ state }) => state === "fail").length;
  const warned = checks.filter(({ state }) => state === "warn").length;
  const verdict = failed > 0
    ? `${failed} of ${checks.length} checks failed.`
    : warned > 0
    ? `Everything works; ${warned} of ${checks.length} checks have something to say.`
    : `Everything works: ${checks.length} checks.`;
  await writeAnswer(cx, { ok: failed === 0, checks }, `${verdict}\n`);
  return failed === 0 ? 0 : 1;
}

async function show(cx: CommandContext, { state, name, message, hint }: Check): Promise<void> {
  const [tone, mark] = MARKS[state];
  if (cx.quiet && state === "ok") return;
  await cx.out.line(`${cx.paintOut(tone, mark)}  ${name}: ${message}`);
  if (hint !== undefined) await cx.out.line(`      ${cx.paintOut("dim", hint)}`);
}
