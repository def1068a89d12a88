/** All 65,536 values of IEEE 754 binary16, by their bits: decoding is then one look-up a number. */
let table: Float32Array | null = null;

function makeTable(): Float32Array {
  return Float32Array.from({ length: 0x10000 }, (_, bits) => {
    const sign = bits & 0x8000 ? -1 : 1;
    const exponent = (bits >> 10) & 0x1f;
    const fraction = bits & 0x3ff;
    if (exponent === 0) return sign * fraction * 2 ** -24;
    if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
    return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
  });
}

/** Numbers of a little-endian float16 file. A length that is odd throws RangeError. */
export function decodeFloat16(bytes: Uint8Array): Float32Array {
  if (bytes.length % 2 !== 0) throw new RangeError(`${bytes.length} bytes are no whole number of float16 values.`);
  table ??= makeTable();
  const values = new Float32Array(bytes.length / 2);
  for (let i = 0; i < values.length; i++) values[i] = table[bytes[2 * i]! | (bytes[2 * i + 1]! << 8)]!;
  return values;
}

/** The nearest float16 values, ties to even, as little-endian bytes; what is too large becomes infinite. */
export function encodeFloat16(values: Float32Array): Uint8Array {
  const bytes = new Uint8Array(2 * values.length);
  const word = new Uint32Array(1);
  const float = new Float32Array(word.buffer);
  for (let i = 0; i < values.length; i++) {
    float[0] = values[i]!;
    const half = toHalf(word[0]!, float[0]);
    bytes[2 * i] = half & 0xff;
    bytes[2 * i + 1] = half >> 8;
  }
  return bytes;
}

function toHalf(bits: number, value: number): number {
  const sign = (bits >>> 16) & 0x8000;
  const magnitude = Math.abs(value);
  if (Number.isNaN(value)) return sign | 0x7e00;
  // Half way from the largest finite value to the next power of two, and beyond.
  if (magnitude >= 65_520) return sign | 0x7c00;
  if (magnitude < 2 ** -14) return sign | roundToEven(magnitude * 2 ** 24);
  const exponent = ((bits >>> 23) & 0xff) - 127;
  // A fraction rounded up to 1,024 carries into the exponent by itself.
  return sign | (((exponent + 15) << 10) + roundToEven((magnitude / 2 ** exponent - 1) * 1024));
}

function roundToEven(value: number): number {
  const floor = Math.floor(value);
  const rest = value - floor;
  if (rest > 0.5 || (rest === 0.5 && floor % 2 === 1)) return floor + 1;
  return floor;
}
