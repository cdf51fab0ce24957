import type { FieldOption } from "../../elicit/form_fields.ts";

/** Ways to put something to the person at the terminal. Each gives undefined when they break off. */
export interface Prompter {
  /** Shows a text that needs no answer. */
  note(text: string, title: string): void;
  text(asked: {
    message: string;
    initial?: string;
    secret: boolean;
    /** What is wrong with a text. */
    check(text: string): string | undefined;
  }): Promise<string | undefined>;
  confirm(message: string, initial: boolean): Promise<boolean | undefined>;
  choose(message: string, options: FieldOption[], initial?: string): Promise<string | undefined>;
  chooseSome(message: string, options: FieldOption[], initial: string[]): Promise<string[] | undefined>;
}
