/** Writes Protocol Buffers messages: just the wire types that ONNX files need. */
export class ProtobufWriter {
  readonly #parts: Uint8Array[] = [];

  #varint(value: number | bigint): void {
    let rest = BigInt.asUintN(64, BigInt(value));
    const bytes: number[] = [];
    while (rest > 127n) {
      bytes.push(Number(rest & 127n) | 128);
      rest >>= 7n;
    }
    bytes.push(Number(rest));
    this.#parts.push(Uint8Array.from(bytes));
  }

  /** An integer; negative ones as int64. */
  int(field: number, value: number | bigint): this {
    this.#varint(field * 8);
    this.#varint(value);
    return this;
  }

  float(field: number, value: number): this {
    this.#varint(field * 8 + 5);
    const bytes = new Uint8Array(4);
    new DataView(bytes.buffer).setFloat32(0, value, true);
    this.#parts.push(bytes);
    return this;
  }

  bytes(field: number, value: Uint8Array): this {
    this.#varint(field * 8 + 2);
    this.#varint(value.length);
    this.#parts.push(value);
    return this;
  }

  text(field: number, value: string): this {
    return this.bytes(field, new TextEncoder().encode(value));
  }

  message(field: number, value: ProtobufWriter): this {
    return this.bytes(field, value.finish());
  }

  finish(): Uint8Array<ArrayBuffer> {
    const out = new Uint8Array(this.#parts.reduce((size, part) => size + part.length, 0));
    let at = 0;
    for (const part of this.#parts) {
      out.set(part, at);
      at += part.length;
    }
    return out;
  }
}
