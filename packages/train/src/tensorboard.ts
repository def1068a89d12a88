/** CRC-32C (Castagnoli), reflected, as RFC 3720 defines it. */
const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, n) => {
  let crc = n;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1;
  return crc >>> 0;
});

/** CRC-32C of bytes: 0xE3069283 for "123456789". */
export function crc32c(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = CRC_TABLE[(crc ^ byte) & 0xff]! ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}

/** The mask that TFRecord files put over their checksums, so that a checksum of checksums stays useful. */
function maskedCrc(bytes: Uint8Array): number {
  const crc = crc32c(bytes);
  return (((crc >>> 15) | (crc << 17)) + 0xa282ead8) >>> 0;
}

function varint(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  while (rest >= 128) {
    bytes.push((rest % 128) | 128);
    rest = Math.floor(rest / 128);
  }
  return [...bytes, rest];
}

const WIRE = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const;

function field(number: number, wire: keyof typeof WIRE, payload: readonly number[]): number[] {
  const length = wire === "bytes" ? varint(payload.length) : [];
  return [...varint(number * 8 + WIRE[wire]), ...length, ...payload];
}

function fixed(bits: 32 | 64, value: number): number[] {
  const view = new DataView(new ArrayBuffer(bits / 8));
  if (bits === 32) view.setFloat32(0, value, true);
  else view.setFloat64(0, value, true);
  return [...new Uint8Array(view.buffer)];
}

/** A TFRecord: length, its checksum, data, its checksum. */
function record(data: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(data.length + 16);
  const view = new DataView(bytes.buffer);
  view.setBigUint64(0, BigInt(data.length), true);
  view.setUint32(8, maskedCrc(bytes.subarray(0, 8)), true);
  bytes.set(data, 12);
  view.setUint32(12 + data.length, maskedCrc(data), true);
  return bytes;
}

const text = (value: string): number[] => [...new TextEncoder().encode(value)];

/** First record of an event file (message Event of TensorFlow: wall_time = 1, file_version = 3). */
export function formatEventHeader(wallTimeS: number): Uint8Array {
  return record(
    Uint8Array.from([...field(1, "fixed64", fixed(64, wallTimeS)), ...field(3, "bytes", text("brain.Event:2"))]),
  );
}

/**
 * A record with one scalar a name (wall_time = 1, step = 2, summary = 5; value: tag = 1, simple_value = 2).
 * @param wallTimeS seconds since 1970
 */
export function formatScalars(wallTimeS: number, step: number, scalars: Readonly<Record<string, number>>): Uint8Array {
  const values = Object.entries(scalars).flatMap(([tag, value]) =>
    field(1, "bytes", [...field(1, "bytes", text(tag)), ...field(2, "fixed32", fixed(32, value))]),
  );
  const event = [
    ...field(1, "fixed64", fixed(64, wallTimeS)),
    ...field(2, "varint", varint(step)),
    ...field(5, "bytes", values),
  ];
  return record(Uint8Array.from(event));
}
