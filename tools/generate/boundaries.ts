import { BOUNDARIES } from "../../lib/sandbox/boundaries.ts";

/** The page of what holds a script, row by row from the table. */
export function boundariesPage(): string {
  const rows = BOUNDARIES.map(({ promise, layers, linux, macos, test, open }) =>
    `| ${promise} | ${layers.join(", ")} | ${linux} | ${macos} | ${test ? `\`${test.file}\`` : ""} | ${
      open ?? ""
    } |`
  );
  return `# Boundaries\n\nWhat holds around a script, on which system, by which test. The layers are those of [security](../security.md).\n\n` +
    `| | layers | Linux | macOS | tried by | what is left |\n| --- | --- | --- | --- | --- | --- |\n${
      rows.join("\n")
    }\n`;
}
