import { type Initialiser, orthogonal, type RandomSource } from "../initialise.ts";
import type { Activation, Kernels } from "../kernels/kernels.ts";
import { activate } from "../operations.ts";
import type { Tape } from "../tape.ts";
import type { Module, Parameter, Tensor } from "../tensor.ts";
import { Linear } from "./linear.ts";

export interface MlpOptions {
  readonly kernels: Kernels;
  readonly rng: RandomSource;
  readonly name: string;
  readonly inputs: number;
  /** Widths of the layers; each is followed by the activation. May be empty: then the MLP is the identity. */
  readonly hidden: readonly number[];
  readonly activation: Activation;
  /** A last layer without activation, if wanted. */
  readonly outputs?: number;
  /** Default: orthogonal with gain √2. */
  readonly initialise?: Initialiser;
  /** Default: as `initialise`. */
  readonly initialiseOutput?: Initialiser;
}

/** Linear layers with a nonlinearity after each, and possibly a last one without. */
export class Mlp implements Module {
  readonly inputs: number;
  readonly outputs: number;
  readonly activation: Activation;
  readonly hidden: readonly Linear[];
  readonly last: Linear | null;

  constructor(options: MlpOptions) {
    const { kernels, rng, name, inputs, hidden, activation, outputs, initialise = orthogonal(Math.SQRT2) } = options;
    this.inputs = inputs;
    this.activation = activation;
    let width = inputs;
    this.hidden = hidden.map((next, i) => {
      const layer = new Linear({ kernels, rng, name: `${name}.${i}`, inputs: width, outputs: next, initialise });
      width = next;
      return layer;
    });
    const initialiseOutput = options.initialiseOutput ?? initialise;
    this.last =
      outputs === undefined
        ? null
        : new Linear({ kernels, rng, name: `${name}.out`, inputs: width, outputs, initialise: initialiseOutput });
    this.outputs = outputs ?? width;
  }

  parameters(): readonly Parameter[] {
    return [...this.hidden, ...(this.last === null ? [] : [this.last])].flatMap((layer) => layer.parameters());
  }

  forward(tape: Tape, x: Tensor): Tensor {
    let y = x;
    for (const layer of this.hidden) y = activate(tape, this.activation, layer.forward(tape, y));
    return this.last === null ? y : this.last.forward(tape, y);
  }
}
