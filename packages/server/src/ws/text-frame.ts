/** Opcode text with the final bit. */
const FINAL_TEXT = 0x81;
const SHORT = 125;
const MEDIUM = 0xffff;

/** Frame heads for payloads of less than 126 bytes, as latin-1 text. */
const SHORT_HEADS = Array.from({ length: SHORT + 1 }, (_, length) => String.fromCharCode(FINAL_TEXT, length));

/**
 * A server's text frame, ready for one write: latin-1 text if the payload is ASCII, which the stream then writes without any
 * buffer of ours, else bytes. Source: RFC 6455, section 5.2.
 */
export function textFrame(text: string): string | Buffer {
  const size = Buffer.byteLength(text);
  if (size === text.length && size <= MEDIUM) {
    if (size <= SHORT) return SHORT_HEADS[size]! + text;
    return String.fromCharCode(FINAL_TEXT, 126, size >> 8, size & 0xff) + text;
  }
  const headSize = size <= SHORT ? 2 : size <= MEDIUM ? 4 : 10;
  const frame = Buffer.allocUnsafe(headSize + size);
  frame[0] = FINAL_TEXT;
  if (size <= SHORT) frame[1] = size;
  else if (size <= MEDIUM) {
    frame[1] = 126;
    frame.writeUInt16BE(size, 2);
  } else {
    frame[1] = 127;
    frame.writeUInt32BE(Math.floor(size / 2 ** 32), 2);
    frame.writeUInt32BE(size >>> 0, 6);
  }
  frame.write(text, headSize);
  return frame;
}
