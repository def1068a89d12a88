import { type FieldError, PraxisError } from "./errors.ts";

/** Dotted path of the first number in `value` that is NaN or infinite, or null. Typed arrays are read too. */
export function findNonFinite(value: unknown): string | null {
  if (typeof value === "number") return Number.isFinite(value) ? null : "";
  if (value === null || typeof value !== "object") return null;
  if (ArrayBuffer.isView(value)) {
    const numbers = value as unknown as ArrayLike<number>;
    if (value instanceof Float32Array && isFinite32(value)) return null;
    for (let i = 0; i < numbers.length; i++) if (!Number.isFinite(numbers[i])) return `[${i}]`;
    return null;
  }
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      const inner = findNonFinite(value[i]);
      if (inner !== null) return join(`[${i}]`, inner);
    }
    return null;
  }
  for (const key in value) {
    const inner = findNonFinite((value as Record<string, unknown>)[key]);
    if (inner !== null) return join(key, inner);
  }
  return null;
}

/**
 * True if every number is finite. A sum of 32-bit numbers, held in 64 bits, can't overflow, so it is finite just when they all
 * are. Four sums, as one would wait for itself; a vector of thousands is looked at in every step of an environment.
 */
function isFinite32(numbers: Float32Array): boolean {
  const { length } = numbers;
  let a = 0;
  let b = 0;
  let c = 0;
  let d = 0;
  let i = 0;
  for (; i + 3 < length; i += 4) {
    a += numbers[i]!;
    b += numbers[i + 1]!;
    c += numbers[i + 2]!;
    d += numbers[i + 3]!;
  }
  for (; i < length; i++) a += numbers[i]!;
  return Number.isFinite(a + b + c + d);
}

/** Throws NON_FINITE_NUMBER naming the first number in `value` that is NaN or infinite. @param what first part of the name */
export function checkFinite(value: unknown, what: string): void {
  const path = findNonFinite(value);
  if (path === null) return;
  const seen = typeof value === "number" ? String(value) : "a number that is not finite";
  throw new PraxisError("NON_FINITE_NUMBER", `The environment returned ${seen} in ${join(what, path)}.`);
}

const join = (head: string, rest: string): string =>
  rest === "" || rest.startsWith("[") ? head + rest : `${head}.${rest}`;

/** `value` as JSON can carry it: typed arrays become arrays at every depth. Returns `value` itself if it holds none. */
export function toPlainJson(value: unknown): unknown {
  if (value === null || typeof value !== "object") return value;
  if (ArrayBuffer.isView(value)) return Array.from(value as unknown as ArrayLike<number>);
  if (Array.isArray(value)) {
    let copy: unknown[] | null = null;
    for (let i = 0; i < value.length; i++) {
      const item: unknown = value[i];
      const plain = toPlainJson(item);
      if (plain !== item) {
        copy ??= value.slice();
        copy[i] = plain;
      }
    }
    return copy ?? value;
  }
  const record = value as Readonly<Record<string, unknown>>;
  let copy: Record<string, unknown> | null = null;
  for (const key of Object.keys(record)) {
    const plain = toPlainJson(record[key]);
    if (plain !== record[key]) {
      copy ??= { ...record };
      copy[key] = plain;
    }
  }
  return copy ?? value;
}

/** Deepest nesting a message may have. */
export const MAX_JSON_DEPTH = 64;

/**
 * Says what in parsed JSON no environment should be handed: nesting beyond {@link MAX_JSON_DEPTH}, `__proto__` keys and lone
 * surrogates (text that no UTF-8 reply could carry). Null if all is well.
 */
export function findUnsafeJson(value: unknown): FieldError | null {
  return visit(value, []);
}

function visit(value: unknown, path: (string | number)[]): FieldError | null {
  if (typeof value === "string")
    return value.isWellFormed()
      ? null
      : {
          type: "string_unicode",
          loc: [...path],
          msg: "Input should be a valid string, unable to parse raw data as a unicode string",
        };
  if (value === null || typeof value !== "object") return null;
  if (path.length >= MAX_JSON_DEPTH)
    return {
      type: "recursion_loop",
      loc: path.slice(0, 4),
      msg: `Input is nested deeper than ${MAX_JSON_DEPTH} levels`,
    };
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      const item: unknown = value[i];
      if (item === null || (typeof item !== "object" && typeof item !== "string")) continue;
      path.push(i);
      const found = visit(item, path);
      path.pop();
      if (found !== null) return found;
    }
    return null;
  }
  for (const key of Object.keys(value)) {
    path.push(key);
    if (key === "__proto__") return { type: "extra_forbidden", loc: [...path], msg: "Extra inputs are not permitted" };
    if (!key.isWellFormed())
      return { type: "string_unicode", loc: [...path.slice(0, -1)], msg: "A key is not a valid unicode string" };
    const found = visit((value as Record<string, unknown>)[key], path);
    path.pop();
    if (found !== null) return found;
  }
  return null;
}

/** Throws VALIDATION_ERROR for what {@link findUnsafeJson} finds. */
export function checkSafeJson(value: unknown): void {
  const found = findUnsafeJson(value);
  if (found !== null)
    throw new PraxisError("VALIDATION_ERROR", `${found.msg} (at ${found.loc.join(".") || "the top"}).`, {
      fields: [found],
    });
}
