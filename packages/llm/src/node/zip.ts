import { inflateRawSync } from "node:zlib";
import { LlmError } from "../errors.ts";

const END = 0x06054b50;
const ENTRY = 0x02014b50;
const STORED = 0;
const DEFLATED = 8;

/**
 * The bytes of one file in a ZIP archive (APPNOTE 6.3: central directory; stored or deflated, below 4 GB). Sums are not
 * checked here: callers know a better one. Throws `BAD_FILE` when it is no such archive or has no such file.
 */
export function readZipEntry(archive: Uint8Array, name: string): Uint8Array {
  const view = new DataView(archive.buffer, archive.byteOffset, archive.byteLength);
  const refuse = (why: string): never => {
    throw new LlmError("BAD_FILE", `Not a readable ZIP archive: ${why}.`);
  };
  const text = (at: number, length: number): string => new TextDecoder().decode(archive.subarray(at, at + length));
  try {
    // The end record is 22 bytes and a comment of at most 65,535.
    let end = archive.length - 22;
    const first = Math.max(0, end - 0xffff);
    while (end >= first && view.getUint32(end, true) !== END) end--;
    if (end < first) return refuse("its end record is missing");
    let at = view.getUint32(end + 16, true);
    for (let left = view.getUint16(end + 10, true); left > 0; left--) {
      if (view.getUint32(at, true) !== ENTRY) return refuse(`no directory entry at byte ${at}`);
      const [nameLength, extra, comment] = [28, 30, 32].map((field) => view.getUint16(at + field, true)) as [
        number,
        number,
        number,
      ];
      if (text(at + 46, nameLength) === name) {
        const method = view.getUint16(at + 10, true);
        const packed = view.getUint32(at + 20, true);
        const header = view.getUint32(at + 42, true);
        const data = header + 30 + view.getUint16(header + 26, true) + view.getUint16(header + 28, true);
        const bytes = archive.subarray(data, data + packed);
        if (method === STORED) return bytes;
        if (method === DEFLATED) return new Uint8Array(inflateRawSync(bytes));
        return refuse(`'${name}' is packed by method ${method}`);
      }
      at += 46 + nameLength + extra + comment;
    }
  } catch (error) {
    if (error instanceof LlmError) throw error;
    refuse((error as Error).message);
  }
  throw new LlmError("BAD_FILE", `The archive has no file '${name}'.`);
}
