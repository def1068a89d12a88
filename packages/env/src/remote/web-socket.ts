/** The part of a WebSocket event that the client reads. */
export interface SocketEvent {
  readonly type: string;
  readonly data?: unknown;
  readonly code?: number;
  readonly reason?: string;
  readonly message?: string;
}

/** The part of the standard WebSocket that the client uses; `ping` and `terminate` exist in Node's `ws` only. */
export interface SocketLike {
  readonly readyState: number;
  send(text: string): void;
  close(code?: number, reason?: string): void;
  addEventListener(type: "open" | "message" | "close" | "error", listener: (event: SocketEvent) => void): void;
  ping?(): void;
  terminate?(): void;
}

/** Third argument of Node's `ws`; browsers ignore it. */
interface SocketOptions {
  readonly headers: Record<string, string>;
  readonly maxPayload: number;
  readonly perMessageDeflate: boolean;
}

/** A standard WebSocket class: the browser's own, Node 22's, or the default export of `ws`. */
export type SocketClass = new (url: string, protocols: string[], options: SocketOptions) => SocketLike;

/** The class given, else the runtime's own, or null where there is none (Node 20). */
export function findSocketClass(given: SocketClass | undefined): SocketClass | null {
  return given ?? (globalThis as { WebSocket?: SocketClass }).WebSocket ?? null;
}

/** True if sockets of this class send the headers they are given, as those of `ws` do and a browser's do not. */
export function sendsHeaders(socketClass: SocketClass): boolean {
  return typeof (socketClass.prototype as SocketLike | undefined)?.ping === "function";
}
