import assert from "node:assert/strict";
import { checkStructured } from "./check_structured.ts";
import { type BinaryReference, extractBinary } from "./extract_binary.ts";
import { previewText, utf8Length } from "./preview_text.ts";
import fc from "fast-check";

function storing(): {
  stored: string[];
  store: (name: string, base64: string, mimeType: string) => BinaryReference;
} {
  const stored: string[] = [];
  return {
    stored,
    store: (name, base64, mimeType) => {
      stored.push(`${name} ${base64} ${mimeType}`);
      return { id: `a${stored.length}`, path: `/s/${name}`, bytes: base64.length, mimeType };
    },
  };
}

Deno.test("images, audio and blobs become references, and all else of the blocks stays", async () => {
  const envelope = {
    _meta: { a: 1 },
    isError: false,
    content: [
      { type: "text", text: "hi" },
      { type: "image", data: "IMG", mimeType: "image/png", annotations: { priority: 1 } },
      { type: "audio", data: "SND", mimeType: "audio/mpeg" },
      {
        type: "resource",
        resource: { uri: "file:///x/../../re port.pdf?q", blob: "PDF", mimeType: "application/pdf" },
      },
      { type: "resource", resource: { uri: "a://b", text: "kept" } },
      { type: "hologram", data: "kept" },
    ],
  };
  const before = structuredClone(envelope);
  const { stored, store } = storing();
  const slim = await extractBinary(envelope, store);
  assert.deepEqual(envelope, before);
  assert.deepEqual(stored, [
    "image-2.png IMG image/png",
    "audio-3.mp3 SND audio/mpeg",
    "re_port.pdf PDF application/pdf",
  ]);
  assert.deepEqual(slim, {
    ...before,
    content: [
      before.content[0],
      {
        type: "image",
        mimeType: "image/png",
        annotations: { priority: 1 },
        artifact: { id: "a1", path: "/s/image-2.png", bytes: 3, mimeType: "image/png" },
      },
      {
        type: "audio",
        mimeType: "audio/mpeg",
        artifact: { id: "a2", path: "/s/audio-3.mp3", bytes: 3, mimeType: "audio/mpeg" },
      },
      {
        type: "resource",
        resource: {
          uri: "file:///x/../../re port.pdf?q",
          mimeType: "application/pdf",
          artifact: { id: "a3", path: "/s/re_port.pdf", bytes: 3, mimeType: "application/pdf" },
        },
      },
      ...before.content.slice(4),
    ],
  });
});

Deno.test("a resource that was read loses its blobs too, under harmless names", async () => {
  const { stored, store } = storing();
  for (const uri of ["x://..", "x:///etc/..%2fpasswd", "data", `f:///${"a".repeat(500)}`]) {
    await extractBinary({ contents: [{ uri, blob: "B" }] }, store);
  }
  for (const entry of stored) {
    assert.match(entry, /^[A-Za-z0-9][A-Za-z0-9._-]{0,90} B application\/octet-stream$/);
  }
});

Deno.test("an envelope without bytes comes back as it is", async () => {
  const { stored, store } = storing();
  for (
    const envelope of [{}, { content: "x" }, { content: [null, 1, { type: "image" }, { type: "resource" }] }]
  ) {
    assert.equal(await extractBinary(envelope, store), envelope);
  }
  assert.deepEqual(stored, []);
});

Deno.test("a failure to store is the caller's to see", async () => {
  const failing = (): Promise<BinaryReference> => Promise.reject(new Error("disk full"));
  await assert.rejects(extractBinary({ content: [{ type: "image", data: "A" }] }, failing), /disk full/);
});

Deno.test("a preview ends between characters", () => {
  assert.deepEqual(previewText("short", 100), { text: "short", totalBytes: 5, cut: false });
  assert.deepEqual(previewText("a😀b", 4), { text: "a", totalBytes: 6, cut: true });
  assert.deepEqual(previewText("a😀b", 5), { text: "a😀", totalBytes: 6, cut: true });
  assert.deepEqual(previewText("abc", 0), { text: "", totalBytes: 3, cut: true });
  fc.assert(fc.property(fc.string({ unit: "grapheme" }), fc.nat(40), (text, bytes) => {
    const preview = previewText(text, bytes);
    assert.ok(text.startsWith(preview.text) && utf8Length(preview.text) <= bytes);
    assert.ok(preview.text.isWellFormed());
    assert.equal(preview.totalBytes, new TextEncoder().encode(text).length);
  }));
});

Deno.test("a block whose data cannot be stored stays as it came, and the others are stored", async () => {
  const broken = { type: "audio", mimeType: "audio/wav", data: "!!!" };
  const content = [broken, { type: "image", mimeType: "image/png", data: "AAAA" }];
  const slim = await extractBinary(
    { content },
    (name, base64, mimeType) => base64 === "!!!" ? undefined : { id: "a1", path: name, bytes: 3, mimeType },
  );
  assert.deepEqual(slim.content, [broken, {
    type: "image",
    mimeType: "image/png",
    artifact: { id: "a1", path: "image-2.png", bytes: 3, mimeType: "image/png" },
  }]);
});

Deno.test("bytes are counted right where a pair lies on the border of two pieces", () => {
  for (const shift of [65_534, 65_535, 65_536]) {
    const text = "x".repeat(shift) + "😀é";
    assert.equal(utf8Length(text), shift + 6);
  }
  assert.equal(utf8Length("\ud800"), 3);
});

Deno.test("results are checked by their schema with pointers into the envelope, errors never", () => {
  const validate = (): { pointer: string; message: string }[] => [{ pointer: "/a", message: "wrong" }];
  const schema = { type: "object" };
  assert.deepEqual(checkStructured(schema, { structuredContent: {} }, validate), [
    { pointer: "/structuredContent/a", message: "wrong" },
  ]);
  assert.deepEqual(checkStructured(undefined, { structuredContent: {} }, validate), []);
  assert.deepEqual(checkStructured(schema, { structuredContent: {}, isError: true }, validate), []);
  assert.equal(checkStructured(schema, { content: [] }, validate)[0]?.pointer, "/structuredContent");
});
