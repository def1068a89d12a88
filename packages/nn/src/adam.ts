import { NnError } from "./errors.ts";
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
   */
  step(): AdamReport {
    const { beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8, weightDecay = 0, decoupled = true } = this.#options;
    const { learningRate: rate, decays = () => true, maxGradNorm = Number.POSITIVE_INFINITY } = this.#options;
    let squares = 0;
    for (const { parameter } of this.#slots) {
      const sum = this.#kernels.sumOfSquares(parameter.gradient);
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
    for (const { parameter, m, v } of this.#slots) {
      const decay = decays(parameter) ? weightDecay : 0;
      const [l2, share] = decoupled ? [0, learningRate * decay] : [decay, 0];
      this.#kernels.adam({
        ...{ parameter: parameter.data, gradient: parameter.gradient, m, v },
        ...shared,
        ...{ l2, decay: share },
      });
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
