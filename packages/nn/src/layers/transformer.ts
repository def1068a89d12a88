import type { RandomSource } from "../initialise.ts";
import type { Activation, Kernels } from "../kernels/kernels.ts";
import { add } from "../operations.ts";
import type { Tape } from "../tape.ts";
import type { Module, Parameter, Tensor } from "../tensor.ts";
import { type AttentionMask, MultiHeadAttention } from "./attention.ts";
import { Mlp } from "./mlp.ts";
import { LayerNorm } from "./norm.ts";

export interface TransformerBlockOptions {
  readonly kernels: Kernels;
  readonly rng: RandomSource;
  readonly name: string;
  readonly width: number;
  readonly heads: number;
  /** Width inside the MLP, default 2 · width. */
  readonly inner?: number;
  /** Default `gelu`. */
  readonly activation?: Activation;
}

/** Attention and an MLP, each on the normalised input and added to it (pre-norm; Xiong et al. 2020). */
export class TransformerBlock implements Module {
  readonly attentionNorm: LayerNorm;
  readonly attention: MultiHeadAttention;
  readonly mlpNorm: LayerNorm;
  readonly mlp: Mlp;

  constructor(options: TransformerBlockOptions) {
    const { kernels, rng, name, width, heads, inner = 2 * width, activation = "gelu" } = options;
    this.attentionNorm = new LayerNorm({ kernels, name: `${name}.attentionNorm`, width });
    this.attention = new MultiHeadAttention({ kernels, rng, name: `${name}.attention`, width, heads });
    this.mlpNorm = new LayerNorm({ kernels, name: `${name}.mlpNorm`, width });
    const mlp = { inputs: width, hidden: [inner], outputs: width, activation };
    this.mlp = new Mlp({ kernels, rng, name: `${name}.mlp`, ...mlp });
  }

  parameters(): readonly Parameter[] {
    return [this.attentionNorm, this.attention, this.mlpNorm, this.mlp].flatMap((layer) => layer.parameters());
  }

  /** [batch, items, width] → the same */
  forward(tape: Tape, x: Tensor, mask: AttentionMask = {}): Tensor {
    const seen = add(tape, x, this.attention.forward(tape, this.attentionNorm.forward(tape, x), mask));
    return add(tape, seen, this.mlp.forward(tape, this.mlpNorm.forward(tape, seen)));
  }
}
