import type { Kernels } from "../kernels/kernels.ts";
import type { Tape } from "../tape.ts";
import { checkShape, type Module, makeParameter, type Parameter, type Tensor } from "../tensor.ts";

export interface NormOptions {
  readonly kernels: Kernels;
  readonly name: string;
  readonly width: number;
  /** Added to the variance; default 1e-5 (layer), 1e-6 (root mean square). */
  readonly epsilon?: number;
}

/** Layer normalisation over the last axis (Ba, Kiros and Hinton 2016). */
export class LayerNorm implements Module {
  readonly width: number;
  readonly epsilon: number;
  readonly weight: Parameter;
  readonly bias: Parameter;

  constructor({ kernels, name, width, epsilon = 1e-5 }: NormOptions) {
    this.width = width;
    this.epsilon = epsilon;
    this.weight = makeParameter(kernels, `${name}.weight`, [width]);
    this.weight.data.fill(1);
    this.bias = makeParameter(kernels, `${name}.bias`, [width]);
  }

  parameters(): readonly Parameter[] {
    return [this.weight, this.bias];
  }

  forward(tape: Tape, x: Tensor): Tensor {
    checkShape(`${this.weight.name}: input`, x.shape, [...x.shape.slice(0, -1), this.width]);
    const rows = x.data.length / this.width;
    const mean = tape.floats(rows);
    const scale = tape.floats(rows);
    const y = tape.output(x.shape, [x, this.weight, this.bias]);
    const { weight, bias, epsilon } = this;
    tape.kernels.layerNorm({ x: x.data, gain: weight.data, bias: bias.data, epsilon, y: y.data, mean, scale });
    tape.record(y, (dy) => {
      // An input that wants no gradient still needs a place for the kernel to write one.
      const dx = x.needsGradient ? tape.gradientOf(x) : tape.floats(x.data.length);
      const { gradient: dGain } = weight;
      const { gradient: dBias } = bias;
      tape.kernels.layerNormBackward({ x: x.data, gain: weight.data, mean, scale, dy, dx, dGain, dBias });
    });
    return y;
  }
}

/** Root-mean-square normalisation over the last axis (Zhang and Sennrich 2019). */
export class RmsNorm implements Module {
  readonly width: number;
  readonly epsilon: number;
  readonly weight: Parameter;

  constructor({ kernels, name, width, epsilon = 1e-6 }: NormOptions) {
    this.width = width;
    this.epsilon = epsilon;
    this.weight = makeParameter(kernels, `${name}.weight`, [width]);
    this.weight.data.fill(1);
  }

  parameters(): readonly Parameter[] {
    return [this.weight];
  }

  forward(tape: Tape, x: Tensor): Tensor {
    checkShape(`${this.weight.name}: input`, x.shape, [...x.shape.slice(0, -1), this.width]);
    const scale = tape.floats(x.data.length / this.width);
    const y = tape.output(x.shape, [x, this.weight]);
    const { weight, epsilon } = this;
    tape.kernels.rmsNorm({ x: x.data, gain: weight.data, epsilon, y: y.data, scale });
    tape.record(y, (dy) => {
      const dx = x.needsGradient ? tape.gradientOf(x) : tape.floats(x.data.length);
      tape.kernels.rmsNormBackward({ x: x.data, gain: weight.data, scale, dy, dx, dGain: weight.gradient });
    });
    return y;
  }
}
