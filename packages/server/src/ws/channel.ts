import type { Duplex } from "node:stream";
import type { MaybePromise, PraxisError } from "@praxis/env";
import { type RawData, WebSocket } from "ws";
import type { Session, SessionOwner } from "../session.ts";
import type { Beating, Heartbeat } from "./heartbeat.ts";
import type { Outbox } from "./outbox.ts";
import { textFrame } from "./text-frame.ts";

/** Requests that a client may have waiting behind a running one before its socket is no longer read. */
const MAX_BACKLOG = 64;
/** Unsent bytes above which a client that does not read its replies is no longer read either. */
const HIGH_WATER_BYTES = 16 * 1024 * 1024;

/** A socket that knows its channel, so that one function serves all sockets, and the stream below, to which replies are written. */
export class SessionSocket extends WebSocket {
  channel: Channel | null = null;
  stream: Duplex | null = null;
  outbox: Outbox | null = null;

  /**
   * Begins the closing handshake; `ws` itself calls this when the peer's close frame arrives, and then the session is given up at
   * once: a client that reconnects after the handshake must not find its old slot taken.
   */
  override close(code?: number, reason?: string | Buffer): void {
    this.outbox?.flush(); // what was answered goes before the close frame
    super.close(code, reason);
    this.leave(code ?? NO_STATUS);
  }

  /** Tells the channel, once, that this socket is gone. */
  leave(code: number): void {
    const { channel } = this;
    this.channel = null;
    channel?.socketClosed(code);
  }
}

/** Close code of a handshake without one. */
const NO_STATUS = 1005;

/** The protocol spoken over a channel: a text in, a text out. Neither method throws or rejects. */
export interface Door {
  /** The reply, or null when the client asks to end the session. Null text: the message was binary. */
  answer(text: string | null): MaybePromise<string | null>;
  /** True for the message that ends the session. */
  isClose(text: string): boolean;
}

/** What a channel needs of its server. */
export interface ChannelHost {
  readonly heartbeat: Heartbeat;
  /** How long the session of a lost socket waits, in ms. */
  readonly resumeGraceMs: number;
  now(): number;
  /** The channel is over; nothing refers to it any more. */
  ended(channel: Channel): void;
}

/**
 * One client of one session: answers its messages one at a time in their order, each exactly once. Ends with the
 * session or the socket, whichever goes first; a client that asked for it may come back on another socket.
 */
export class Channel implements SessionOwner, Beating {
  seenAt = 0;
  readonly session: Session;
  readonly #host: ChannelHost;
  readonly #isAttached: boolean;
  #door: Door | null = null;
  #socket: SessionSocket | null;
  #canResume = false;
  #isBusy = false;
  #isLeaving = false;
  #isOver = false;
  #endReason: PraxisError | null = null;
  #backlog: (string | null)[] | null = null;

  /** Takes the session as owner, or as attached socket (throws SESSION_BUSY). */
  constructor(socket: SessionSocket, session: Session, isAttached: boolean, host: ChannelHost) {
    this.session = session;
    this.#host = host;
    this.#isAttached = isAttached;
    this.#socket = socket;
    if (isAttached) session.attach(this);
    else session.setOwner(this);
    socket.channel = this;
    host.heartbeat.add(this);
  }

  /** Sets what answers; to be called before the first message. */
  open(door: Door): void {
    this.#door = door;
  }

  /** From now on the session outlives a lost socket for a while. False on an attached socket, whose session lives on anyway. */
  allowResume(): boolean {
    this.#canResume = !this.#isAttached;
    return this.#canResume;
  }

  /** Goes on with another socket; the old one, if it still seems open, is cut. */
  adopt(socket: SessionSocket): void {
    const old = this.#socket;
    this.#socket = socket;
    socket.channel = this;
    this.#backlog = null;
    if (old === null) this.#host.heartbeat.add(this);
    else {
      old.channel = null;
      old.terminate();
    }
    this.seenAt = this.#host.heartbeat.tick;
    this.session.hold(null);
  }

  /** Notes a sign of life. */
  heard(): void {
    this.seenAt = this.#host.heartbeat.tick;
  }

  receive(data: RawData, isBinary: boolean): void {
    this.seenAt = this.#host.heartbeat.tick;
    const text = isBinary ? null : data.toString();
    if (this.#isBusy) this.#postpone(text);
    else if (!this.#isLeaving) this.#answer(text);
  }

  /** The socket is gone. @param code its close code: 1000, 1001 and none (1005) are a client that left on purpose */
  socketClosed(code: number): void {
    this.#host.heartbeat.remove(this);
    this.#socket = null;
    this.#backlog = null;
    const isDeliberate = code === 1000 || code === 1001 || code === NO_STATUS;
    if (this.#canResume && !isDeliberate && !this.session.isClosed)
      this.session.hold(this.#host.now() + this.#host.resumeGraceMs);
    else this.#leave();
  }

  sessionEnded(reason: PraxisError): void {
    this.#finish(reason.row.closeCode ?? 1000, reason.message);
  }

  /** Ends the session for `reason` as soon as the request in progress, if any, is answered. */
  shutDown(reason: PraxisError): void {
    this.#isLeaving = true;
    this.#backlog = null;
    this.#endReason = reason;
    if (!this.#isBusy) this.session.end(reason);
  }

  get isBusy(): boolean {
    return this.#isBusy;
  }

  beat(): void {
    this.#socket?.ping();
  }

  lost(): void {
    this.#socket?.terminate();
  }

  #answer(text: string | null): void {
    const reply = this.#door === null ? null : this.#door.answer(text);
    if (typeof reply === "string") this.#send(reply);
    else if (reply === null) this.#end();
    else this.#answerLater(reply);
  }

  #answerLater(pending: Promise<string | null>): void {
    this.#isBusy = true;
    const socket = this.#socket;
    void pending.then((reply) => {
      this.#isBusy = false;
      // A client that came back on another socket asks again for what it missed; nothing is sent unasked.
      if (reply === null) this.#end();
      else if (socket === this.#socket) this.#send(reply);
      if (this.#endReason === null) this.#drain();
      else this.session.end(this.#endReason);
    });
  }

  #postpone(text: string | null): void {
    if (this.#isLeaving) return;
    this.#backlog ??= [];
    this.#backlog.push(text);
    if (this.#backlog.length === MAX_BACKLOG) this.#socket?.pause();
    if (text === null || this.#door?.isClose(text) !== true) return;
    // The slot is free from here on, though what was asked before is still answered.
    this.#isLeaving = true;
    if (this.#isAttached) this.session.detach(this);
    else this.session.freeSlot();
  }

  #drain(): void {
    while (!this.#isBusy && this.#backlog !== null && this.#backlog.length > 0) {
      if (this.#backlog.length === MAX_BACKLOG) this.#socket?.resume();
      this.#answer(this.#backlog.shift() as string | null);
    }
  }

  #send(text: string): void {
    const socket = this.#socket;
    if (socket === null || socket.readyState !== socket.OPEN) return;
    const { stream } = socket;
    if (stream === null) return;
    // One write a reply, where `send` needs two buffers. Frames of `ws` itself (pong, close) are whole writes too, as nothing
    // is compressed, so that frames never mix.
    socket.outbox?.push(stream, textFrame(text));
    if (stream.writableLength <= HIGH_WATER_BYTES) return;
    socket.pause();
    stream.once("drain", () => socket.resume());
  }

  #end(): void {
    this.#finish(1000, "");
  }

  #finish(code: number, reason: string): void {
    const socket = this.#socket;
    this.#leave();
    if (socket !== null && socket.readyState <= socket.OPEN) socket.close(code, code === 1000 ? "" : clipped(reason));
  }

  /** Gives the session up: once. */
  #leave(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#isLeaving = true;
    this.#backlog = null;
    if (this.#isAttached) this.session.detach(this);
    else this.session.close();
    this.#host.ended(this);
  }
}

/** A close reason holds at most 123 bytes. */
const clipped = (reason: string): string => reason.replace(/[^\x20-\x7e]/g, "?").slice(0, 120);
