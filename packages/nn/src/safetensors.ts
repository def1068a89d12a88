import type { NamedArray } from "./adam.ts";
import { NnError } from "./errors.ts";
import type { Parameter } from "./tensor.ts";

/** Bytes of an element, by the format's names. */
const ELEMENT_BYTES = {
  BOOL: 1,
  U8: 1,
  I8: 1,
  I16: 2,
  U16: 2,
  F16: 2,
  BF16: 2,
  I32: 4,
  U32: 4,
  F32: 4,
  F64: 8,
  I64: 8,
  U64: 8,
} as const;

export type SafetensorsType = keyof typeof ELEMENT_BYTES;

/** A tensor as it lies in a file. */
export interface StoredTensor {
  readonly type: SafetensorsType;
  readonly shape: readonly number[];
  /** A view of the file's bytes, little endian. */
  readonly bytes: Uint8Array;
}

export interface SafetensorsFile {
  readonly tensors: ReadonlyMap<string, StoredTensor>;
  readonly metadata: Readonly<Record<string, string>>;
}

/** The format's own limit for its header. */
const MAX_HEADER_BYTES = 100_000_000;

function refuse(why: string): never {
  throw new NnError("BAD_FILE", `Not a valid safetensors file: ${why}.`);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isSize(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

/**
 * Reads the safetensors format (Hugging Face, version 0.x). Copies nothing: tensors are views of `file`. Throws `BAD_FILE`
 * for anything the format forbids: a header that is too long or no JSON, unknown types, sizes that do not fit their shape,
 * and tensors that overlap, leave holes or reach past the end.
 */
export function parseSafetensors(file: Uint8Array): SafetensorsFile {
  if (file.length < 8) refuse(`${file.length} bytes are too few`);
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const headerLength = view.getBigUint64(0, true);
  if (headerLength > BigInt(MAX_HEADER_BYTES)) refuse(`its header claims ${headerLength} bytes`);
  const dataStart = 8 + Number(headerLength);
  if (dataStart > file.length) refuse(`its header of ${headerLength} bytes does not fit in ${file.length}`);
  const header = parseHeader(file.subarray(8, dataStart));
  const data = file.subarray(dataStart);

  const metadata: [string, string][] = [];
  const tensors = new Map<string, StoredTensor>();
  const spans: { name: string; begin: number; end: number }[] = [];
  for (const [name, entry] of Object.entries(header)) {
    if (!isObject(entry)) refuse(`the entry '${name}' is not an object`);
    if (name === "__metadata__") {
      for (const [key, value] of Object.entries(entry)) {
        if (typeof value !== "string") refuse(`the metadata '${key}' is not text`);
        metadata.push([key, value]);
      }
      continue;
    }
    const { dtype, shape, data_offsets: offsets } = entry;
    if (typeof dtype !== "string" || !Object.hasOwn(ELEMENT_BYTES, dtype)) {
      refuse(`the tensor '${name}' has the unknown type ${JSON.stringify(dtype)}`);
    }
    const type = dtype as SafetensorsType;
    if (!Array.isArray(shape) || !shape.every(isSize)) refuse(`the shape of '${name}' is not a list of sizes`);
    if (!Array.isArray(offsets) || offsets.length !== 2 || !offsets.every(isSize)) {
      refuse(`the offsets of '${name}' are not two sizes`);
    }
    const [begin, end] = offsets as [number, number];
    const size = shape.reduce((product: number, axis: number) => product * axis, ELEMENT_BYTES[type]);
    if (end - begin !== size) refuse(`'${name}' takes ${end - begin} bytes, but its shape needs ${size}`);
    if (end > data.length) refuse(`'${name}' ends at byte ${end} of ${data.length}`);
    spans.push({ name, begin, end });
    tensors.set(name, { type, shape, bytes: data.subarray(begin, end) });
  }
  let at = 0;
  for (const { name, begin, end } of spans.sort((a, b) => a.begin - b.begin || a.end - b.end)) {
    if (begin !== at) refuse(`'${name}' begins at byte ${begin}, where ${at} was expected`);
    at = end;
  }
  if (at !== data.length) refuse(`${data.length - at} bytes after the last tensor belong to none`);
  return { tensors, metadata: Object.fromEntries(metadata) };
}

function parseHeader(bytes: Uint8Array): Record<string, unknown> {
  if (bytes[0] !== 0x7b) refuse("its header does not begin with '{'");
  let header: unknown;
  try {
    header = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    refuse("its header is not JSON");
  }
  if (!isObject(header)) refuse("its header is not an object");
  return header;
}

/**
 * Values as float32; F64 and integers are rounded to it. Bytes are taken to be in this machine's order, little endian, as
 * it is on every platform that runs WASM.
 */
export function toFloat32({ type, shape, bytes }: StoredTensor): NamedArray {
  // A copy, as views of the file need not be aligned. Not slice: that of Node's Buffer shares its memory.
  const { buffer } = new Uint8Array(bytes);
  switch (type) {
    case "F32":
      return { shape, data: new Float32Array(buffer) };
    case "BF16":
      // bfloat16 is the upper half of a float32.
      return { shape, data: new Float32Array(Uint32Array.from(new Uint16Array(buffer), (bits) => bits << 16).buffer) };
    case "F16":
      return { shape, data: Float32Array.from(new Uint16Array(buffer), halfToNumber) };
    case "F64":
      return { shape, data: Float32Array.from(new Float64Array(buffer)) };
    case "I64":
      return { shape, data: Float32Array.from(new BigInt64Array(buffer), Number) };
    case "U64":
      return { shape, data: Float32Array.from(new BigUint64Array(buffer), Number) };
    case "I32":
      return { shape, data: Float32Array.from(new Int32Array(buffer)) };
    case "U32":
      return { shape, data: Float32Array.from(new Uint32Array(buffer)) };
    case "I16":
      return { shape, data: Float32Array.from(new Int16Array(buffer)) };
    case "U16":
      return { shape, data: Float32Array.from(new Uint16Array(buffer)) };
    case "I8":
      return { shape, data: Float32Array.from(new Int8Array(buffer)) };
    case "U8":
    case "BOOL":
      return { shape, data: Float32Array.from(new Uint8Array(buffer)) };
  }
}

function halfToNumber(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

/** Writes float32 tensors, sorted by name, so that equal contents are equal bytes. */
export function formatSafetensors(
  tensors: ReadonlyMap<string, NamedArray>,
  metadata: Readonly<Record<string, string>> = {},
): Uint8Array<ArrayBuffer> {
  const names = [...tensors.keys()].sort();
  const entries: [string, unknown][] = [];
  const keys = Object.keys(metadata).sort();
  if (keys.length > 0) entries.push(["__metadata__", Object.fromEntries(keys.map((key) => [key, metadata[key]]))]);
  let at = 0;
  for (const name of names) {
    if (name === "__metadata__") throw new NnError("BAD_OPTION", "A tensor cannot be called '__metadata__'.");
    const { shape, data } = tensors.get(name)!;
    const size = shape.reduce((product, axis) => product * axis, 1);
    if (size !== data.length) {
      throw new NnError("BAD_SHAPE", `'${name}' has ${data.length} values; its shape needs ${size}.`);
    }
    entries.push([name, { dtype: "F32", shape, data_offsets: [at, at + 4 * size] }]);
    at += 4 * size;
  }
  // Spaces bring the data to a multiple of 8, as the format wants.
  const json = JSON.stringify(Object.fromEntries(entries));
  const raw = new TextEncoder().encode(json);
  const headerLength = Math.ceil(raw.length / 8) * 8;
  const file = new Uint8Array(8 + headerLength + at).fill(0x20, 0, 8 + headerLength);
  new DataView(file.buffer).setBigUint64(0, BigInt(headerLength), true);
  file.set(raw, 8);
  let to = 8 + headerLength;
  for (const name of names) {
    const { data } = tensors.get(name)!;
    file.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), to);
    to += data.byteLength;
  }
  return file;
}

/** The values of parameters by name, as copies, ready for {@link formatSafetensors}. */
export function parameterTensors(parameters: readonly Parameter[]): ReadonlyMap<string, NamedArray> {
  return new Map(parameters.map(({ name, shape, data }) => [name, { shape, data: data.slice() }]));
}

/**
 * Sets parameters from a file's tensors; throws `BAD_SHAPE`, changing nothing, when one is missing or of another shape.
 * Tensors that no parameter asks for are passed over.
 */
export function loadParameters(parameters: readonly Parameter[], { tensors }: SafetensorsFile): void {
  const values = parameters.map(({ name, shape }) => {
    const stored = tensors.get(name);
    if (stored === undefined) throw new NnError("BAD_SHAPE", `The file has no tensor '${name}'.`);
    if (stored.shape.length !== shape.length || stored.shape.some((axis, i) => axis !== shape[i])) {
      throw new NnError(
        "BAD_SHAPE",
        `'${name}' has shape [${stored.shape.join(", ")}] in the file, not [${shape.join(", ")}].`,
      );
    }
    return toFloat32(stored).data;
  });
  parameters.forEach(({ data }, i) => {
    data.set(values[i]!);
  });
}
