import { expect, test } from "vitest";
import { crc32c, formatEventHeader, formatScalars } from "../src/tensorboard.ts";

// Made with RecordWriter and the Event messages of TensorBoard.
const GOLDEN_HEADER = "1800000000000000a37f4b2209000000000000f83f1a0d627261696e2e4576656e743a322a28646c";
const GOLDEN_SCALARS =
  "300000000000000095f5d05f09000000000000044010ac022a220a0f0a086368617274732f61150000a03f0a0f0a086c6f737365732f6215000040c04429c5ee";

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");

test("the checksum is CRC-32C", () => {
  expect(crc32c(new TextEncoder().encode("123456789"))).toBe(0xe3069283);
  expect(crc32c(new Uint8Array(32))).toBe(0x8a9136aa);
});

test("records are what TensorBoard's own writer makes, byte for byte", () => {
  expect(hex(formatEventHeader(1.5))).toBe(GOLDEN_HEADER);
  expect(hex(formatScalars(2.5, 300, { "charts/a": 1.25, "losses/b": -3 }))).toBe(GOLDEN_SCALARS);
});
