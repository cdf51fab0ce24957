import process from "node:process";
import { confirm, isCancel, multiselect, note, password, select, text } from "@clack/prompts";
import { inert } from "../render/style.ts";
import type { Prompter } from "./prompter.ts";

/**
 * Prompts on the terminal, on stderr: stdout is for results.
 *
 * @param signal takes a prompt away once its question needs no answer any more
 */
export function clackPrompter(signal: AbortSignal): Prompter {
  const common = { output: process.stderr, signal };
  // What is no cancelling is what was asked for; the library's type of both is one union.
  const unless = <T>(value: T): Exclude<T, symbol> | undefined =>
    isCancel(value) ? undefined : value as Exclude<T, symbol>;
  const options = (offered: { value: string; title: string }[]): { value: string; label: string }[] =>
    offered.map(({ value, title }) => ({ value, label: inert(title) }));
  return {
    note: (message, title) => note(inert(message), inert(title), common),
    text: async ({ message, initial, secret, check }) => {
      const validate = (value: string | undefined): string | undefined => check(value ?? "");
      const shown = { ...common, message: inert(message), validate };
      return secret
        ? unless(await password(shown))
        : unless(await text({ ...shown, ...(initial === undefined ? {} : { initialValue: initial }) }));
    },
    confirm: async (message, initialValue) =>
      unless(await confirm({ ...common, message: inert(message), initialValue })),
    choose: async (message, offered, initialValue) =>
      unless(
        await select({
          ...common,
          message: inert(message),
          options: options(offered),
          ...(initialValue === undefined ? {} : { initialValue }),
        }),
      ),
    chooseSome: async (message, offered, initialValues) =>
      unless(
        await multiselect({
          ...common,
          message: inert(message),
          options: options(offered),
          initialValues,
          required: false,
        }),
      ),
  };
}
