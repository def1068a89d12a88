import type { Clock } from "../clock.ts";

/** A socket that is kept alive. */
export interface Beating {
  /** {@link Heartbeat.tick} at the last sign of life; any frame is one. */
  seenAt: number;
  /** Sends a ping. */
  beat(): void;
  /** Nothing was heard for the whole limit. */
  lost(): void;
}

/** Sockets are visited in this many portions per interval, so that thousands of pings never come at once. */
const SLICES = 20;

/** Pings all sockets from one timer and gives up those that stay silent. */
export class Heartbeat {
  /** Goes up by one per portion; sockets note it instead of reading a clock. Mutable, read by every socket. */
  tick = 0;
  readonly #slices: Set<Beating>[] = Array.from({ length: SLICES }, () => new Set());
  readonly #places = new Map<Beating, Set<Beating>>();
  readonly #silentTicks: number;
  readonly #stop: () => void;
  #next = 0;

  /** @param intervalMs null: no pings, and silence is no reason to drop @param timeoutMs silence after which a socket is lost */
  constructor(clock: Clock, intervalMs: number | null, timeoutMs: number) {
    const period = (intervalMs ?? timeoutMs) / SLICES;
    this.#silentTicks = Math.ceil(timeoutMs / period);
    this.#stop = intervalMs === null ? () => {} : clock.every(period, () => this.#visit());
  }

  add(socket: Beating): void {
    const slice = this.#slices[this.#next++ % SLICES]!;
    socket.seenAt = this.tick;
    slice.add(socket);
    this.#places.set(socket, slice);
  }

  remove(socket: Beating): void {
    this.#places.get(socket)?.delete(socket);
    this.#places.delete(socket);
  }

  /** All sockets, oldest first. */
  sockets(): IterableIterator<Beating> {
    return this.#places.keys();
  }

  get size(): number {
    return this.#places.size;
  }

  stop(): void {
    this.#stop();
  }

  #visit(): void {
    this.tick++;
    for (const socket of this.#slices[this.tick % SLICES]!) {
      if (this.tick - socket.seenAt >= this.#silentTicks) socket.lost();
      else socket.beat();
    }
  }
}
