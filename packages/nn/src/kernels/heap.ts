import { NnError } from "../errors.ts";

const ALIGNMENT = 64;
const PAGE = 65536;

/** Rounds up to one of four sizes in each power of two, so that freed blocks find a second use. */
export function sizeClass(length: number): number {
  if (length <= 16) return 16;
  const step = 2 ** Math.max(0, Math.floor(Math.log2(length - 1)) - 2);
  return Math.ceil(length / step) * step;
}

/**
 * Allocates inside one WASM memory of fixed size: memory that grew would take every view away from its owner. Untouched
 * pages cost address space only.
 */
export class Heap {
  readonly memory: WebAssembly.Memory;
  #top: number;
  readonly #freed = new Map<number, number[]>();

  /** @param base first free address, in bytes */
  constructor(memory: WebAssembly.Memory, base: number) {
    this.memory = memory;
    this.#top = Math.ceil(base / ALIGNMENT) * ALIGNMENT;
  }

  /** Address of a block of at least `length` 4-byte elements. */
  #take(length: number): number {
    const size = sizeClass(length) * 4;
    const reused = this.#freed.get(size)?.pop();
    if (reused !== undefined) return reused;
    const at = this.#top;
    const end = Math.ceil((at + size) / ALIGNMENT) * ALIGNMENT;
    const capacity = this.memory.buffer.byteLength;
    if (end > capacity) {
      throw new NnError(
        "OUT_OF_MEMORY",
        `${length} elements do not fit: ${capacity - at} of ${capacity} bytes of WASM memory are left. Raise memoryMiB (now ${Math.round((capacity / PAGE) * 0.0625)}).`,
      );
    }
    this.#top = end;
    return at;
  }

  floats(length: number): Float32Array {
    return new Float32Array(this.memory.buffer, this.#take(length), length).fill(0);
  }

  ints(length: number): Int32Array {
    return new Int32Array(this.memory.buffer, this.#take(length), length).fill(0);
  }

  free(array: Float32Array | Int32Array): void {
    const size = sizeClass(array.length) * 4;
    const list = this.#freed.get(size);
    if (list === undefined) this.#freed.set(size, [array.byteOffset]);
    else list.push(array.byteOffset);
  }

  /** The address of an array in this heap; throws `FOREIGN_ARRAY`. */
  addressOf(array: Float32Array | Int32Array): number {
    if (array.buffer !== this.memory.buffer) {
      throw new NnError(
        "FOREIGN_ARRAY",
        "The array is not in this kernel set's memory. Make it with kernels.floats or kernels.ints and copy the values in.",
      );
    }
    return array.byteOffset;
  }
}
