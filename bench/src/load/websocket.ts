import { randomBytes } from "node:crypto";
import { connect, type Socket } from "node:net";

/** Header and payload of a masked client text frame. The mask is zero, which RFC 6455 allows, so payloads can be prepared once. */
export function clientFrame(text: string): Buffer {
  const payload = Buffer.from(text);
  const length = payload.length;
  const extended = length < 126 ? 0 : length < 65_536 ? 2 : 8;
  const frame = Buffer.alloc(2 + extended + 4 + length);
  frame[0] = 0x81;
  frame[1] = 0x80 | (extended === 0 ? length : extended === 2 ? 126 : 127);
  if (extended === 2) frame.writeUInt16BE(length, 2);
  if (extended === 8) frame.writeBigUInt64BE(BigInt(length), 2);
  payload.copy(frame, 2 + extended + 4);
  return frame;
}

const PONG = Buffer.from([0x8a, 0x80, 0, 0, 0, 0]);

/**
 * A WebSocket client that costs almost nothing: text frames out as prepared, text frames in counted and handed over as
 * bytes. It answers pings and knows nothing else; that keeps the load generator from being what is measured.
 */
export class LeanSocket {
  readonly socket: Socket;
  #pending: Buffer = Buffer.alloc(0);
  #open = false;
  onText: (payload: Buffer) => void = () => {};
  onClose: () => void = () => {};

  private constructor(socket: Socket) {
    this.socket = socket;
  }

  /** Opens `ws://host:port/path`; rejects when the handshake is refused or the socket breaks before it. */
  static open(host: string, port: number, path: string): Promise<LeanSocket> {
    return new Promise((resolve, reject) => {
      const socket = connect({ host, port, noDelay: true });
      const lean = new LeanSocket(socket);
      let head = Buffer.alloc(0);
      socket.once("error", reject);
      socket.on("error", () => lean.onClose());
      socket.on("close", () => lean.onClose());
      socket.on("connect", () => {
        socket.write(
          `GET ${path} HTTP/1.1\r\nHost: ${host}:${port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${randomBytes(16).toString("base64")}\r\n\r\n`,
        );
      });
      socket.on("data", (chunk) => {
        if (lean.#open) {
          lean.#read(chunk);
          return;
        }
        head = Buffer.concat([head, chunk]);
        const end = head.indexOf("\r\n\r\n");
        if (end < 0) return;
        if (!head.subarray(0, end).toString("latin1").startsWith("HTTP/1.1 101")) {
          reject(new Error(`handshake refused: ${head.subarray(0, 40).toString("latin1")}`));
          socket.destroy();
          return;
        }
        lean.#open = true;
        resolve(lean);
        if (head.length > end + 4) lean.#read(head.subarray(end + 4));
      });
    });
  }

  #read(chunk: Buffer): void {
    let data = this.#pending.length === 0 ? chunk : Buffer.concat([this.#pending, chunk]);
    while (data.length >= 2) {
      const opcode = data[0]! & 0x0f;
      let length = data[1]! & 0x7f;
      let at = 2;
      if (length === 126) {
        if (data.length < 4) break;
        length = data.readUInt16BE(2);
        at = 4;
      } else if (length === 127) {
        if (data.length < 10) break;
        length = Number(data.readBigUInt64BE(2));
        at = 10;
      }
      if (data.length < at + length) break;
      const payload = data.subarray(at, at + length);
      data = data.subarray(at + length);
      if (opcode === 1) this.onText(payload);
      else if (opcode === 9) this.socket.write(PONG);
      else if (opcode === 8) this.socket.end();
    }
    this.#pending = data;
  }
}
