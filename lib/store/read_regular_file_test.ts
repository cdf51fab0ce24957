import assert from "node:assert/strict";
import { readRegularFile, readRegularText } from "./read_regular_file.ts";

Deno.test("a regular file is read whole up to the limit, and told whose it is", async () => {
  const path = await Deno.makeTempFile();
  try {
    await Deno.writeTextFile(path, "0123456789");
    assert.equal(await readRegularText(path, { limit: 10 }), "0123456789");
    assert.equal((await readRegularFile(path, { limit: 10 })).uid, Deno.uid());
    await assert.rejects(readRegularFile(path, { limit: 9 }), /10 bytes, and 9 are read at most/);
  } finally {
    await Deno.remove(path);
  }
});

Deno.test("pipes, devices, folders and sparse files are refused at once", async () => {
  const folder = await Deno.makeTempDir();
  try {
    await new Deno.Command("mkfifo", { args: [`${folder}/pipe`] }).output();
    await Deno.symlink("/dev/zero", `${folder}/zero`);
    await Deno.writeTextFile(`${folder}/sparse`, "");
    await Deno.truncate(`${folder}/sparse`, 3 * 1024 ** 3);
    for (const name of ["pipe", "zero", "."]) {
      await assert.rejects(readRegularFile(`${folder}/${name}`, { limit: 100 }), /no regular file/, name);
    }
    await assert.rejects(readRegularFile(`${folder}/sparse`, { limit: 100 }), /3221225472 bytes/);
    await assert.rejects(readRegularFile(`${folder}/none`, { limit: 100 }), Deno.errors.NotFound);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
