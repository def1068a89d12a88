import { NnError } from "./errors.ts";
import { type FactoredGradient, factoredSumOfSquares, GramMatrices, uncoveredRows } from "./factored-gradient.ts";
import type { Kernels } from "./kernels/kernels.ts";
import type { Schedule } from "./schedules.ts";
import type { Parameter } from "./tensor.ts";

export interface AdamOptions {
  readonly learningRate: number | Schedule;
  /** Default 0.9. */
  readonly beta1?: number;
  /** Default 0.999. */
  readonly beta2?: number;
  /** Default 1e-8; the PPO literature uses 1e-5. */
  readonly epsilon?: number;
  /** Default 0. */
  readonly weightDecay?: number;
  /** Weight decay apart from the gradient (AdamW; Loshchilov and Hutter 2019), default true. */
  readonly decoupled?: boolean;
  /** Which parameters decay; default: all. */
  readonly decays?: (parameter: Parameter) => boolean;
  /** Gradients whose joint Euclidean norm is above this are scaled down to it; default: no limit. */
  readonly maxGradNorm?: number;
}

export interface AdamReport {
  /** Before clipping. */
  readonly gradientNorm: number;
  readonly learningRate: number;
}

/** A tensor as files hold it. */
export interface NamedArray {
  readonly shape: readonly number[];
  readonly data: Float32Array;
}

/** Adam and AdamW (Kingma and Ba 2015; Loshchilov and Hutter 2019), clipping and update in one pass over memory. */
export class Adam {
  readonly #kernels: Kernels;
  readonly #grams: GramMatrices;
  readonly #options: AdamOptions;
  readonly #slots: readonly { readonly parameter: Parameter; readonly m: Float32Array; readonly v: Float32Array }[];
  #steps = 0;

  constructor(kernels: Kernels, parameters: readonly Parameter[], options: AdamOptions) {
    const names = new Set<string>();
    for (const { name } of parameters) {
      if (names.has(name)) throw new NnError("BAD_OPTION", `Two parameters are called '${name}'.`);
      names.add(name);
    }
    this.#kernels = kernels;
    this.#grams = new GramMatrices(kernels);
    this.#options = options;
    this.#slots = parameters.map((parameter) => ({
      parameter,
      m: kernels.floats(parameter.data.length),
      v: kernels.floats(parameter.data.length),
    }));
  }

  /** Steps made. */
  get steps(): number {
    return this.#steps;
  }

  /**
   * Changes the parameters by their gradients, which stay as they are. Throws `NON_FINITE` with the tensor's name, and
   * changes nothing, when a gradient is NaN or infinite.
   * @param factored gradients of whole rows that were not written out; they stand in for the parameters' own there
   */
  step(factored: readonly FactoredGradient[] = []): AdamReport {
    const { beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8, weightDecay = 0, decoupled = true } = this.#options;
    const { learningRate: rate, decays = () => true, maxGradNorm = Number.POSITIVE_INFINITY } = this.#options;
    const slots = this.#slots.map((slot) => {
      const own = factored.filter(({ parameter }) => parameter === slot.parameter);
      return { ...slot, own, free: own.length === 0 ? null : uncoveredRows(slot.parameter, own) };
    });
    let squares = 0;
    this.#grams.clear();
    for (const { parameter, own, free } of slots) {
      let sum = 0;
      for (const part of partsOf(parameter, free))
        sum += this.#kernels.sumOfSquares(parameter.gradient.subarray(...part));
      for (const gradient of own) sum += factoredSumOfSquares(this.#grams, gradient);
      if (!Number.isFinite(sum)) {
        throw new NnError(
          "NON_FINITE",
          `The gradient of '${parameter.name}' is not finite at optimiser step ${this.#steps}; no parameter was changed.`,
        );
      }
      squares += sum;
    }
    const gradientNorm = Math.sqrt(squares);
    const learningRate = typeof rate === "number" ? rate : rate(this.#steps);
    this.#steps++;
    const shared = {
      gradientScale: gradientNorm > maxGradNorm ? maxGradNorm / (gradientNorm + 1e-6) : 1,
      beta1,
      beta2,
      epsilon,
      stepSize: learningRate / (1 - beta1 ** this.#steps),
      vScale: 1 / Math.sqrt(1 - beta2 ** this.#steps),
    };
    for (const { parameter, m, v, own, free } of slots) {
      const decay = decays(parameter) ? weightDecay : 0;
      const [l2, share] = decoupled ? [0, learningRate * decay] : [decay, 0];
      const state = (from: number, to: number) => ({
        parameter: parameter.data.subarray(from, to),
        m: m.subarray(from, to),
        v: v.subarray(from, to),
        ...shared,
        ...{ l2, decay: share },
      });
      for (const [from, to] of partsOf(parameter, free))
        this.#kernels.adam({ ...state(from, to), gradient: parameter.gradient.subarray(from, to) });
      for (const { from, to, x, dy, rows } of own) {
        const [inputs, outputs] = parameter.shape as readonly [number, number];
        const product = { rows: to - from, x, ldx: inputs, offsetX: from, dy, k: rows };
        this.#kernels.adamProduct({ ...state(from * outputs, to * outputs), ...product });
      }
    }
    return { gradientNorm, learningRate };
  }

  /** Steps and moments (`m.<parameter>`, `v.<parameter>`), as copies. */
  save(): { readonly steps: number; readonly tensors: ReadonlyMap<string, NamedArray> } {
    const tensors = new Map<string, NamedArray>();
    for (const { parameter, m, v } of this.#slots) {
      tensors.set(`m.${parameter.name}`, { shape: parameter.shape, data: m.slice() });
      tensors.set(`v.${parameter.name}`, { shape: parameter.shape, data: v.slice() });
    }
    return { steps: this.#steps, tensors };
  }

  /** Continues from what {@link Adam.save} gave; throws `BAD_SHAPE`, changing nothing, when a tensor is missing or unfit. */
  restore(saved: { readonly steps: number; readonly tensors: ReadonlyMap<string, NamedArray> }): void {
    const find = (name: string, length: number): Float32Array => {
      const data = saved.tensors.get(name)?.data;
      if (data?.length !== length) {
        throw new NnError(
          "BAD_SHAPE",
          `The optimiser state has ${data?.length ?? "no"} values of '${name}', not ${length}.`,
        );
      }
      return data;
    };
    const found = this.#slots.map(({ parameter, m }) => ({
      m: find(`m.${parameter.name}`, m.length),
      v: find(`v.${parameter.name}`, m.length),
    }));
    this.#slots.forEach((slot, i) => {
      slot.m.set(found[i]!.m);
      slot.v.set(found[i]!.v);
    });
    this.#steps = saved.steps;
  }
}

/** Element ranges of a parameter whose gradient is written out; `free` rows, or all when null. */
function partsOf(parameter: Parameter, free: readonly (readonly [number, number])[] | null): [number, number][] {
  if (free === null) return [[0, parameter.data.length]];
  const width = parameter.data.length / (parameter.shape[0] ?? 1);
  return free.map(([from, to]) => [from * width, to * width]);
}
