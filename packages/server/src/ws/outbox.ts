import type { Duplex } from "node:stream";

/**
 * Gathers the frames of one turn of the event loop and writes them at its end, one after another. A write wakes the client,
 * and when writes are mixed with the work of other sessions it is woken anew for each; together they cost half (measured with 64
 * sessions on two cores: 65 µs a step before, 35 µs after).
 */
export class Outbox {
  #streams: Duplex[] = [];
  #frames: (string | Buffer)[] = [];
  readonly #flush = (): void => this.flush();

  /** @param frame a whole frame: latin-1 text or bytes */
  push(stream: Duplex, frame: string | Buffer): void {
    if (this.#streams.length === 0) setImmediate(this.#flush);
    this.#streams.push(stream);
    this.#frames.push(frame);
  }

  /** Writes what has gathered, now. */
  flush(): void {
    const streams = this.#streams;
    const frames = this.#frames;
    this.#streams = [];
    this.#frames = [];
    for (let i = 0; i < streams.length; i++) {
      const stream = streams[i]!;
      const frame = frames[i]!;
      if (!stream.writable) continue;
      if (typeof frame === "string") stream.write(frame, "latin1");
      else stream.write(frame);
    }
  }
}
