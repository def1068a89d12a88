import fc from "fast-check";
import { expect, test } from "vitest";
import {
  formatSafetensors,
  Linear,
  loadParameters,
  NnError,
  parameterTensors,
  parseSafetensors,
  toFloat32,
} from "../src/index.ts";
import { reference } from "./kernel-sets.ts";
import { seeded } from "./random.ts";

/** A file with any header. */
function fileWith(header: unknown, data: Uint8Array = new Uint8Array(0), claimed?: bigint): Uint8Array {
  const json = new TextEncoder().encode(typeof header === "string" ? header : JSON.stringify(header));
  const file = new Uint8Array(8 + json.length + data.length);
  new DataView(file.buffer).setBigUint64(0, claimed ?? BigInt(json.length), true);
  file.set(json, 8);
  file.set(data, 8 + json.length);
  return file;
}

test("what is written is read back, bit for bit, and equal contents are equal files", () => {
  const names = fc.string({ minLength: 1 }).filter((name) => name !== "__metadata__");
  const values = fc.float32Array({ maxLength: 20 });
  fc.assert(
    fc.property(fc.dictionary(names, values), fc.dictionary(names, fc.string()), (contents, metadata) => {
      const entries = Object.entries(contents).map(([name, data]) => [name, { shape: [data.length], data }] as const);
      const file = formatSafetensors(new Map(entries), metadata);
      const read = parseSafetensors(file);
      expect(read.tensors.size).toBe(entries.length);
      for (const [name, { data }] of entries) expect(toFloat32(read.tensors.get(name)!).data).toEqual(data);
      expect({ ...read.metadata }).toEqual({ ...metadata });
      expect(formatSafetensors(new Map(entries.reverse()), metadata)).toEqual(file);
    }),
    { numRuns: 50 },
  );
});

test("every numeric type becomes float32", () => {
  const cases = [
    ["F16", new Uint16Array([0x3c00, 0xc000, 0x7c00, 0x0001]), [1, -2, Number.POSITIVE_INFINITY, 2 ** -24]],
    ["BF16", new Uint16Array([0x3f80, 0xc000, 0x7f80]), [1, -2, Number.POSITIVE_INFINITY]],
    ["F64", new Float64Array([0.5, -3]), [0.5, -3]],
    ["I64", new BigInt64Array([-5n, 7n]), [-5, 7]],
    ["U64", new BigUint64Array([7n]), [7]],
    ["I32", new Int32Array([-5]), [-5]],
    ["U32", new Uint32Array([5]), [5]],
    ["I16", new Int16Array([-5]), [-5]],
    ["U16", new Uint16Array([5]), [5]],
    ["I8", new Int8Array([-5]), [-5]],
    ["U8", new Uint8Array([200]), [200]],
    ["BOOL", new Uint8Array([1, 0]), [1, 0]],
  ] as const;
  for (const [dtype, array, expected] of cases) {
    const bytes = new Uint8Array(array.buffer);
    const header = { x: { dtype, shape: [array.length], data_offsets: [0, bytes.length] } };
    expect([...toFloat32(parseSafetensors(fileWith(header, bytes)).tensors.get("x")!).data]).toEqual([...expected]);
  }
});

test("bad files are refused with the reason", () => {
  const entry = (shape: unknown, offsets: unknown, dtype: unknown = "F32") => ({ dtype, shape, data_offsets: offsets });
  const four = new Uint8Array(4);
  const eight = new Uint8Array(8);
  const cases: [Uint8Array, string][] = [
    [new Uint8Array(3), "3 bytes are too few"],
    [fileWith("{}", four, 100_000_001n), "claims 100000001 bytes"],
    [fileWith("{}", four, 7n), "does not fit"],
    [fileWith(" {}"), "does not begin with '{'"],
    [fileWith("{x"), "not JSON"],
    [fileWith({ x: 3 }), "'x' is not an object"],
    [fileWith({ __metadata__: { a: 1 } }), "metadata 'a' is not text"],
    [fileWith({ x: entry([1], [0, 4], "F8") }, four), 'unknown type "F8"'],
    [fileWith({ x: entry([1], [0, 4], "toString") }, four), "unknown type"],
    [fileWith({ x: entry([-1], [0, 4]) }, four), "not a list of sizes"],
    [fileWith({ x: entry([1], [0]) }, four), "not two sizes"],
    [fileWith({ x: entry([1], [4, 0]) }, four), "takes -4 bytes"],
    [fileWith({ x: entry([2 ** 40, 2 ** 40], [0, 4]) }, four), "its shape needs"],
    [fileWith({ x: entry([2], [0, 8]) }, four), "ends at byte 8 of 4"],
    [fileWith({ x: entry([1], [0, 4]), y: entry([1], [0, 4]) }, four), "begins at byte 0, where 4"],
    [fileWith({ x: entry([1], [4, 8]) }, eight), "begins at byte 4, where 0"],
    [fileWith({ x: entry([1], [0, 4]) }, eight), "4 bytes after the last tensor"],
  ];
  for (const [file, reason] of cases) expect(() => parseSafetensors(file)).toThrow(reason);
  expect(() => parseSafetensors(new Uint8Array(3))).toThrow(NnError);
});

test("cut or changed files never crash: they are read or refused", () => {
  const good = formatSafetensors(new Map([["w", { shape: [2, 2], data: new Float32Array([1, 2, 3, 4]) }]]), { a: "b" });
  fc.assert(
    fc.property(fc.nat(good.length), fc.nat(good.length - 1), fc.integer({ min: 0, max: 255 }), (length, at, byte) => {
      const bad = good.slice(0, length);
      if (at < length) bad[at] = byte;
      try {
        parseSafetensors(bad);
      } catch (error) {
        expect(error).toBeInstanceOf(NnError);
      }
    }),
  );
});

test("parameters are loaded by name, all or none", () => {
  const make = (seed: number, outputs = 2) =>
    new Linear({ kernels: reference, rng: seeded(seed), name: "l", inputs: 3, outputs });
  const [from, to] = [make(1), make(2)];
  const file = parseSafetensors(formatSafetensors(parameterTensors(from.parameters())));
  loadParameters(to.parameters(), file);
  expect(to.weight.data).toEqual(from.weight.data);
  const wide = make(3, 4);
  const before = wide.weight.data.slice();
  expect(() => loadParameters(wide.parameters(), file)).toThrow("'l.weight' has shape [3, 2] in the file, not [3, 4]");
  expect(wide.weight.data).toEqual(before);
  expect(() => loadParameters([{ ...from.weight, name: "other" }], file)).toThrow("no tensor 'other'");
});

test("a file in Node's Buffer reads like one in a Uint8Array", () => {
  const file = formatSafetensors(new Map([["w", { shape: [3], data: Float32Array.of(1, 2, 3) }]]));
  const stored = parseSafetensors(Buffer.from(file)).tensors.get("w")!;
  expect(toFloat32(stored).data).toEqual(Float32Array.of(1, 2, 3));
});
