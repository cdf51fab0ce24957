/**
 * Makes one file for Linux that holds mcpx and the Deno that runs it. Gives its path on the last line.
 *
 * `deno task package:single [folder]`
 *
 * @module
 */
import { bundle } from "./bundle.ts";
import { launcher } from "./launcher.ts";
import { ROOT, run, say } from "./run.ts";

/**
 * Writes the file: a launcher, then a compressed archive.
 *
 * @param out the folder that it is written into
 * @param options `bundled`: a folder that {@link bundle} wrote; `level`: how hard it is compressed, from 1 to 9
 * @returns its path
 */
export async function packageSingle(
  out: string,
  options: { bundled?: string; level?: number } = {},
): Promise<string> {
  if (Deno.build.os !== "linux") throw new Error("Cannot make the file: it is for Linux, and made there.");
  const work = await Deno.makeTempDir({ prefix: "mcpx-single-" });
  try {
    if (options.bundled === undefined) await bundle(`${work}/dist`);
    else await run("cp", ["-r", options.bundled, `${work}/dist`]);
    await Deno.copyFile(await Deno.realPath(Deno.execPath()), `${work}/deno`);
    await Deno.chmod(`${work}/deno`, 0o755);
    const archive = `${work}/archive.tar.gz`;
    await run("tar", ["-I", `gzip -${options.level ?? 9}`, "-cf", archive, "deno", "dist"], { cwd: work });
    const bytes = await Deno.readFile(archive);
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex().slice(0, 32);
    const script = await launcher("single");
    await Deno.mkdir(out, { recursive: true });
    const path = `${out}/mcpx-linux-${Deno.build.arch}`;
    const head = knowingItsLength(script, digest);
    using file = await Deno.open(path, { write: true, create: true, truncate: true, mode: 0o755 });
    for (const part of [head, bytes]) {
      for (let at = 0; at < part.length;) at += await file.write(part.subarray(at));
    }
    await Deno.chmod(path, 0o755);
    return path;
  } finally {
    await Deno.remove(work, { recursive: true });
  }
}

/** The launcher knows where it ends: its own length is written into it, in a field of fixed width. */
function knowingItsLength(script: string, digest: string): Uint8Array<ArrayBuffer> {
  const encoder = new TextEncoder();
  const text = script.replace("@DIGEST@", digest).replace("@OFFSET@", "00000000");
  const length = encoder.encode(text).length;
  return encoder.encode(text.replace("00000000", String(length + 1).padEnd(8)));
}

if (import.meta.main) say(await packageSingle(Deno.args[0] ?? `${ROOT}dist`));
