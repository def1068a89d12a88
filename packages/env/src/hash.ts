/** FNV-1a, 64 bit, of the UTF-8 bytes of `text`, as [high, low] unsigned 32-bit words. Source: Fowler, Noll, Vo. */
export function fnv1a64(text: string): readonly [high: number, low: number] {
  let high = 0xcbf29ce4;
  let low = 0x84222325;
  const mix = (byte: number): void => {
    low ^= byte;
    // times 2^40 + 0x1b3: the product is taken in 16-bit limbs so that every partial stays exact.
    const p0 = (low & 0xffff) * 0x1b3;
    const p1 = (low >>> 16) * 0x1b3 + (p0 >>> 16);
    high = (Math.imul(high, 0x1b3) + (p1 >>> 16) + (low << 8)) | 0;
    low = (p1 << 16) | (p0 & 0xffff);
  };
  for (let i = 0; i < text.length; i++) {
    let code = text.charCodeAt(i);
    if (code < 0x80) {
      // The same once more, as nearly all text is ASCII and a call for each byte costs three times as much.
      low ^= code;
      const p0 = (low & 0xffff) * 0x1b3;
      const p1 = (low >>> 16) * 0x1b3 + (p0 >>> 16);
      high = (Math.imul(high, 0x1b3) + (p1 >>> 16) + (low << 8)) | 0;
      low = (p1 << 16) | (p0 & 0xffff);
      continue;
    }
    if (code >= 0xd800 && code <= 0xdfff) {
      const next = text.charCodeAt(i + 1);
      if (code <= 0xdbff && next >= 0xdc00 && next <= 0xdfff) {
        code = 0x10000 + ((code - 0xd800) << 10) + (next - 0xdc00);
        i++;
      } else code = 0xfffd; // a lone surrogate has no UTF-8 form
    }
    if (code < 0x800) mix(0xc0 | (code >> 6));
    else {
      if (code < 0x10000) mix(0xe0 | (code >> 12));
      else {
        mix(0xf0 | (code >> 18));
        mix(0x80 | ((code >> 12) & 0x3f));
      }
      mix(0x80 | ((code >> 6) & 0x3f));
    }
    mix(0x80 | (code & 0x3f));
  }
  return [high >>> 0, low >>> 0];
}

/** Sixteen hex digits of {@link fnv1a64}. */
export function hashText(text: string): string {
  const [high, low] = fnv1a64(text);
  return high.toString(16).padStart(8, "0") + low.toString(16).padStart(8, "0");
}

/** {@link fnv1a64} modulo `modulus` (at most 2^20), exact. */
export function hashModulo(text: string, modulus: number): number {
  const [high, low] = fnv1a64(text);
  return ((high % modulus) * (2 ** 32 % modulus) + (low % modulus)) % modulus;
}

/** JSON text with object keys in code-unit order at every depth; equal values give equal text. Undefined members are left out. */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value !== "object") return JSON.stringify(value) ?? "null";
  if (ArrayBuffer.isView(value)) return canonicalJson(Array.from(value as unknown as ArrayLike<number>));
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  const record = value as Record<string, unknown>;
  const parts: string[] = [];
  for (const key of Object.keys(record).sort()) {
    if (record[key] !== undefined) parts.push(`${JSON.stringify(key)}:${canonicalJson(record[key])}`);
  }
  return `{${parts.join(",")}}`;
}

/** Sixteen hex digits that are equal for equal JSON values, whatever their key order. */
export function hashJson(value: unknown): string {
  return hashText(canonicalJson(value));
}
