import { NnError } from "./errors.ts";
import { sizeClass } from "./kernels/heap.ts";
import type { Kernels } from "./kernels/kernels.ts";
import { sizeOf, type Tensor } from "./tensor.ts";

export interface TapeOptions {
  /** Whether backward will be called, default true; without, nothing is kept for it. */
  readonly recording?: boolean;
}

/**
 * Records the layers of one forward pass and runs their backward passes in reverse. It also owns the memory in between:
 * {@link Tape.reset} takes all of it back for the next pass, so that a training loop allocates nothing after its first
 * round. Tensors of a tape are dead after `reset`.
 */
export class Tape {
  readonly kernels: Kernels;
  readonly recording: boolean;
  #backward: (() => void)[] = [];
  readonly #free = new Map<number, Float32Array[]>();
  #used: Float32Array[] = [];
  readonly #freeInts = new Map<number, Int32Array[]>();
  #usedInts: Int32Array[] = [];

  constructor(kernels: Kernels, { recording = true }: TapeOptions = {}) {
    this.kernels = kernels;
    this.recording = recording;
  }

  /** Memory until the next reset; what it holds is undefined. */
  floats(length: number): Float32Array {
    const size = sizeClass(length);
    const block = this.#free.get(size)?.pop() ?? this.kernels.floats(size);
    this.#used.push(block);
    return block.length === length ? block : block.subarray(0, length);
  }

  /** As {@link Tape.floats}, set to zero. */
  zeros(length: number): Float32Array {
    return this.floats(length).fill(0);
  }

  /** A copy of `values` in this tape's memory. */
  copy(values: ArrayLike<number>): Float32Array {
    const block = this.floats(values.length);
    block.set(values);
    return block;
  }

  /** A copy of `values` as integers, until the next reset. */
  ints(values: ArrayLike<number>): Int32Array {
    const size = sizeClass(values.length);
    const block = this.#freeInts.get(size)?.pop() ?? this.kernels.ints(size);
    this.#usedInts.push(block);
    const view = block.length === values.length ? block : block.subarray(0, values.length);
    view.set(values);
    return view;
  }

  /** A tensor that a layer writes; it wants a gradient if the tape records and any of `from` does. */
  output(shape: readonly number[], from: readonly Tensor[]): Tensor {
    return this.wrap(shape, this.floats(sizeOf(shape)), from);
  }

  /** A tensor around memory that is already there. */
  wrap(shape: readonly number[], data: Float32Array, from: readonly Tensor[]): Tensor {
    return { shape, data, gradient: null, needsGradient: this.recording && from.some((t) => t.needsGradient) };
  }

  /** A constant: a copy of `values`, without gradient unless asked for. */
  input(shape: readonly number[], values: ArrayLike<number>, needsGradient = false): Tensor {
    if (values.length !== sizeOf(shape)) {
      throw new NnError("BAD_SHAPE", `${values.length} values do not fill a tensor of shape [${shape.join(", ")}].`);
    }
    return { shape, data: this.copy(values), gradient: null, needsGradient: needsGradient && this.recording };
  }

  /** The gradient array of a tensor, zeros when first asked for. */
  gradientOf(tensor: Tensor): Float32Array {
    if (tensor.gradient === null) tensor.gradient = this.zeros(tensor.data.length);
    return tensor.gradient;
  }

  /** For a product that adds into a gradient: where, and with which beta; saves filling and reading zeros. */
  gradientTarget(tensor: Tensor): { readonly c: Float32Array; readonly beta: 0 | 1 } {
    if (tensor.gradient !== null) return { c: tensor.gradient, beta: 1 };
    tensor.gradient = this.floats(tensor.data.length);
    return { c: tensor.gradient, beta: 0 };
  }

  /** Adds `gradient`, an array of this tape that nobody else uses, to a tensor's gradient, or makes it that. */
  giveGradient(tensor: Tensor, gradient: Float32Array): void {
    if (tensor.gradient === null) tensor.gradient = gradient;
    else this.kernels.axpy(1, gradient, tensor.gradient);
  }

  /** Notes the backward pass of a layer whose output is `output`; it runs only if a gradient has reached that. */
  record(output: Tensor, backward: (gradient: Float32Array) => void): void {
    if (!output.needsGradient) return;
    this.#backward.push(() => {
      if (output.gradient !== null) backward(output.gradient);
    });
  }

  /** Adds `gradient` of a loss at `tensor`, for {@link Tape.backward} to carry on. */
  seed(tensor: Tensor, gradient: ArrayLike<number>): void {
    const into = this.gradientOf(tensor);
    if (gradient.length !== into.length) {
      throw new NnError("BAD_SHAPE", `A gradient of ${gradient.length} values was given for ${into.length}.`);
    }
    for (let i = 0; i < into.length; i++) into[i]! += gradient[i]!;
  }

  /** Carries the seeded gradients back to inputs and parameters (whose gradients it adds to); once for a forward pass. */
  backward(): void {
    const steps = this.#backward;
    this.#backward = [];
    for (let i = steps.length - 1; i >= 0; i--) steps[i]!();
  }

  /** Forgets the pass and takes its memory back. */
  reset(): void {
    this.#backward = [];
    for (const block of this.#used) giveBack(this.#free, block);
    for (const block of this.#usedInts) giveBack(this.#freeInts, block);
    this.#used = [];
    this.#usedInts = [];
  }
}

function giveBack<T extends Float32Array | Int32Array>(free: Map<number, T[]>, block: T): void {
  const list = free.get(block.length);
  if (list === undefined) free.set(block.length, [block]);
  else list.push(block);
}
