import { PraxisError } from "./errors.ts";

/** Typed arrays that snapshots may hold. */
const ARRAYS = {
  Uint8Array,
  Int32Array,
  Uint32Array,
  Float32Array,
  Float64Array,
} as const;

/** Key that marks what JSON lacks; a plain object with this key is wrapped itself. */
const TAG = "$praxis";

type Tagged = { readonly [TAG]: string; readonly data?: unknown };

function encodeNumber(x: number): unknown {
  return Number.isFinite(x) && !Object.is(x, -0) ? x : { [TAG]: "number", data: Object.is(x, -0) ? "-0" : String(x) };
}

function encode(value: unknown, path: string): unknown {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number") return encodeNumber(value);
  if (value === undefined) return { [TAG]: "undefined" };
  if (typeof value === "bigint") return { [TAG]: "bigint", data: String(value) };
  if (Array.isArray(value)) return Array.from(value, (item, i) => encode(item, `${path}[${i}]`));
  if (value instanceof Map) return { [TAG]: "map", data: encode([...value], path) };
  if (value instanceof Set) return { [TAG]: "set", data: encode([...value], path) };
  for (const [name, kind] of Object.entries(ARRAYS))
    if (value instanceof kind) return { [TAG]: name, data: Array.from(value, encodeNumber) };
  if (typeof value === "object") {
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype === Object.prototype || prototype === null) {
      const entries = Object.entries(value).map(([key, item]) => [key, encode(item, `${path}.${key}`)] as const);
      const plain = Object.fromEntries(entries);
      return Object.hasOwn(value, TAG) ? { [TAG]: "object", data: plain } : plain;
    }
  }
  throw new PraxisError(
    "NOT_SUPPORTED",
    `${path} is no plain data (${typeof value}), so it can't be written to a file.`,
  );
}

function decode(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(decode);
  const plain = (object: object) =>
    Object.fromEntries(Object.entries(object).map(([key, item]) => [key, decode(item)]));
  if (!Object.hasOwn(value, TAG)) return plain(value);
  const { [TAG]: kind, data } = value as Tagged;
  switch (kind) {
    case "number":
      return Number(data);
    case "undefined":
      return undefined;
    case "bigint":
      return BigInt(data as string);
    case "map":
      return new Map(decode(data) as [unknown, unknown][]);
    case "set":
      return new Set(decode(data) as unknown[]);
    case "object":
      return plain(data as object);
    default:
      if (Object.hasOwn(ARRAYS, kind)) return ARRAYS[kind as keyof typeof ARRAYS].from(decode(data) as number[]);
      throw new PraxisError("VALIDATION_ERROR", `The file holds '${kind}', which this version does not know.`);
  }
}

/**
 * Plain data as text: JSON and what it lacks (NaN, −0, undefined, bigint, Map, Set, typed arrays). Equal values give equal
 * text, whatever their inner representation. Throws NOT_SUPPORTED naming the path of a function or class instance.
 */
export function formatPlainData(value: unknown): string {
  return JSON.stringify(encode(value, "value"));
}

/** The value that {@link formatPlainData} was given; what was shared in it is copied. */
export function parsePlainData(text: string): unknown {
  return decode(JSON.parse(text));
}

/** A copy that shares nothing with `value`. Throws NOT_SUPPORTED naming the path of a function or class instance. */
export function copyPlainData<T>(value: T): T {
  return decode(encode(value, "value")) as T;
}
