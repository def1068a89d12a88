import { fanInUniform, type Initialiser, type RandomSource } from "../initialise.ts";
import type { Kernels } from "../kernels/kernels.ts";
import type { Tape } from "../tape.ts";
import { checkShape, type Module, makeParameter, type Parameter, type Tensor } from "../tensor.ts";

export interface LinearOptions {
  readonly kernels: Kernels;
  readonly rng: RandomSource;
  /** Prefix of the parameters' names. */
  readonly name: string;
  readonly inputs: number;
  readonly outputs: number;
  /** Default true; starts at 0. */
  readonly bias?: boolean;
  /** Default: uniform on ±1/√inputs. */
  readonly initialise?: Initialiser;
}

/** y = x W + b over the last axis; W is [inputs, outputs], the transpose of PyTorch's. */
export class Linear implements Module {
  readonly inputs: number;
  readonly outputs: number;
  readonly weight: Parameter;
  readonly bias: Parameter | null;

  constructor({ kernels, rng, name, inputs, outputs, bias = true, initialise = fanInUniform }: LinearOptions) {
    this.inputs = inputs;
    this.outputs = outputs;
    this.weight = makeParameter(kernels, `${name}.weight`, [inputs, outputs]);
    initialise(this.weight.data, inputs, outputs, rng);
    this.bias = bias ? makeParameter(kernels, `${name}.bias`, [outputs]) : null;
  }

  parameters(): readonly Parameter[] {
    return this.bias === null ? [this.weight] : [this.weight, this.bias];
  }

  /** [..., inputs] → [..., outputs] */
  forward(tape: Tape, x: Tensor): Tensor {
    const leading = x.shape.slice(0, -1);
    checkShape(`${this.weight.name}: input`, x.shape, [...leading, this.inputs]);
    return affine(tape, x, this.weight, this.bias, leading);
  }
}

/** x W (+ b) with its backward pass, where W has been shaped [inputs, outputs]. */
export function affine(tape: Tape, x: Tensor, weight: Tensor, bias: Tensor | null, leading: readonly number[]): Tensor {
  const { kernels } = tape;
  const [inputs, outputs] = weight.shape as readonly [number, number];
  const rows = x.data.length / inputs;
  const y = tape.output([...leading, outputs], bias === null ? [x, weight] : [x, weight, bias]);
  // The bias is where the sums begin, so that adding it costs no pass of its own.
  if (bias !== null) for (let r = 0; r < rows; r++) y.data.set(bias.data, r * outputs);
  kernels.sgemm({ m: rows, n: outputs, k: inputs, a: x.data, b: weight.data, c: y.data, beta: bias === null ? 0 : 1 });
  tape.record(y, (dy) => {
    if (x.needsGradient) {
      const target = tape.gradientTarget(x);
      kernels.sgemm({ m: rows, n: inputs, k: outputs, a: dy, b: weight.data, transposeB: true, ...target });
    }
    if (weight.needsGradient) {
      const target = tape.gradientTarget(weight);
      kernels.sgemm({ m: inputs, n: outputs, k: rows, a: x.data, transposeA: true, b: dy, ...target });
    }
    if (bias?.needsGradient) kernels.sumRows(dy, tape.gradientOf(bias));
  });
  return y;
}
