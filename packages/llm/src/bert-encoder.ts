import {
  activate,
  add,
  affine,
  attend,
  type Kernels,
  LayerNorm,
  type SafetensorsFile,
  Tape,
  type Tensor,
  toFloat32,
} from "@praxis/nn";
import { LlmError } from "./errors.ts";

export interface BertEncoderOptions {
  readonly kernels: Kernels;
  /** Tensors under the names of the original implementation (`encoder.layer.0.attention.self.query.weight` …). */
  readonly weights: SafetensorsFile;
  /** Must divide the width of the word vectors. */
  readonly heads: number;
  /** Added to variances; 1e-12 in BERT. */
  readonly epsilon?: number;
}

interface Affine {
  readonly weight: Tensor;
  readonly bias: Tensor;
}

interface Layer {
  readonly query: Affine;
  readonly key: Affine;
  readonly value: Affine;
  readonly out: Affine;
  readonly attentionNorm: LayerNorm;
  readonly wide: Affine;
  readonly narrow: Affine;
  readonly outputNorm: LayerNorm;
}

/** Token ids of one batch, rows filled up to the longest. */
export interface TokenBatch {
  /** [batch, length]; filling is −1. */
  readonly ids: Int32Array;
  /** [batch, length]: 1 where there is a token. */
  readonly mask: Float32Array;
  readonly batch: number;
  readonly length: number;
}

/**
 * The encoder of BERT (Devlin et al. 2019: post-norm, exact GELU, learned positions, one segment), forward only: its weights
 * have no gradients. Throws `BAD_FILE` when a tensor is missing or has another shape.
 */
export class BertEncoder {
  readonly width: number;
  readonly maxLength: number;
  readonly #tape: Tape;
  readonly #heads: number;
  readonly #words: Float32Array;
  readonly #vocabulary: number;
  /** Position and segment vectors summed, as every text is segment 0. */
  readonly #positions: Float32Array;
  readonly #norm: LayerNorm;
  readonly #layers: readonly Layer[];
  #carried: Float32Array;

  constructor({ kernels, weights, heads, epsilon = 1e-12 }: BertEncoderOptions) {
    const read = new WeightReader(kernels, weights, epsilon);
    const [vocabulary, width] = read.shape("embeddings.word_embeddings.weight");
    this.width = width;
    this.#vocabulary = vocabulary;
    if (width % heads !== 0) throw new LlmError("BAD_FILE", `${heads} heads do not divide a width of ${width}.`);
    this.#heads = heads;
    this.#tape = new Tape(kernels, { recording: false });
    this.#words = read.array("embeddings.word_embeddings.weight", [vocabulary, width]);
    this.maxLength = read.shape("embeddings.position_embeddings.weight")[0];
    this.#positions = read.array("embeddings.position_embeddings.weight", [this.maxLength, width]);
    const segments = read.array("embeddings.token_type_embeddings.weight", [2, width]);
    kernels.addRow(segments.subarray(0, width), this.#positions);
    this.#norm = read.norm("embeddings.LayerNorm", width);

    const layers: Layer[] = [];
    for (let i = 0; weights.tensors.has(`encoder.layer.${i}.attention.self.query.weight`); i++) {
      const at = `encoder.layer.${i}`;
      const inner = read.shape(`${at}.intermediate.dense.weight`)[0];
      layers.push({
        query: read.affine(`${at}.attention.self.query`, width, width),
        key: read.affine(`${at}.attention.self.key`, width, width),
        value: read.affine(`${at}.attention.self.value`, width, width),
        out: read.affine(`${at}.attention.output.dense`, width, width),
        attentionNorm: read.norm(`${at}.attention.output.LayerNorm`, width),
        wide: read.affine(`${at}.intermediate.dense`, width, inner),
        narrow: read.affine(`${at}.output.dense`, inner, width),
        outputNorm: read.norm(`${at}.output.LayerNorm`, width),
      });
    }
    if (layers.length === 0) throw new LlmError("BAD_FILE", "The weights have no 'encoder.layer.0'.");
    this.#layers = layers;
    this.#carried = kernels.floats(this.width);
  }

  /** Last hidden states [batch, length, width], handed to `use`; their memory is taken back when it returns. */
  run<Result>({ ids, mask, batch, length }: TokenBatch, use: (tape: Tape, states: Tensor) => Result): Result {
    if (length > this.maxLength) {
      throw new LlmError("BAD_FILE", `A text of ${length} tokens is too long for ${this.maxLength} positions.`);
    }
    const wrong = ids.find((id) => id >= this.#vocabulary);
    if (wrong !== undefined) {
      throw new LlmError("BAD_FILE", `The tokenizer gave the id ${wrong}; the model has ${this.#vocabulary} words.`);
    }
    const tape = this.#tape;
    const { kernels } = tape;
    const { width } = this;
    try {
      let x: Tensor = tape.output([batch, length, width], []);
      kernels.gatherRows(this.#words, width, tape.ints(ids), x.data);
      const positions = this.#positions.subarray(0, length * width);
      for (let b = 0; b < batch; b++) {
        kernels.axpy(1, positions, x.data.subarray(b * length * width, (b + 1) * length * width));
      }
      x = this.#carry(this.#norm.forward(tape, x));
      for (const layer of this.#layers) x = this.#carry(this.#layer(layer, x, mask));
      return use(tape, x);
    } finally {
      tape.reset();
    }
  }

  /** Moves a tensor out of the tape and takes the tape's memory back: a pass then needs that of one layer, not of six. */
  #carry(x: Tensor): Tensor {
    const { length } = x.data;
    if (this.#carried.length < length) {
      this.#tape.kernels.free(this.#carried);
      this.#carried = this.#tape.kernels.floats(length);
    }
    this.#carried.set(x.data);
    this.#tape.reset();
    return this.#tape.wrap(x.shape, this.#carried.subarray(0, length), []);
  }

  #layer(layer: Layer, x: Tensor, mask: Float32Array): Tensor {
    const tape = this.#tape;
    const leading = x.shape.slice(0, -1);
    const apply = ({ weight, bias }: Affine, input: Tensor): Tensor => affine(tape, input, weight, bias, leading);
    const seen = attend(tape, {
      query: apply(layer.query, x),
      key: apply(layer.key, x),
      value: apply(layer.value, x),
      heads: this.#heads,
      mask: { allowed: mask },
    });
    const attended = layer.attentionNorm.forward(tape, add(tape, apply(layer.out, seen), x));
    const thought = apply(layer.narrow, activate(tape, "gelu", apply(layer.wide, attended)));
    return layer.outputNorm.forward(tape, add(tape, thought, attended));
  }
}

/** Reads tensors into a kernel set's memory, checking their shapes. */
class WeightReader {
  readonly #kernels: Kernels;
  readonly #weights: SafetensorsFile;
  readonly #epsilon: number;

  constructor(kernels: Kernels, weights: SafetensorsFile, epsilon: number) {
    this.#kernels = kernels;
    this.#weights = weights;
    this.#epsilon = epsilon;
  }

  #tensor(name: string) {
    const stored = this.#weights.tensors.get(name);
    if (stored === undefined) throw new LlmError("BAD_FILE", `The weights have no tensor '${name}'.`);
    return stored;
  }

  shape(name: string): readonly [number, number] {
    const { shape } = this.#tensor(name);
    if (shape.length !== 2)
      throw new LlmError("BAD_FILE", `'${name}' has shape [${shape.join(", ")}], not a matrix's.`);
    return shape as readonly [number, number];
  }

  array(name: string, shape: readonly number[]): Float32Array {
    const stored = this.#tensor(name);
    if (stored.shape.join() !== shape.join()) {
      throw new LlmError(
        "BAD_FILE",
        `'${name}' has shape [${stored.shape.join(", ")}]; [${shape.join(", ")}] is needed.`,
      );
    }
    const { data } = toFloat32(stored);
    const array = this.#kernels.floats(data.length);
    array.set(data);
    return array;
  }

  /** A linear layer; the file's [outputs, inputs] becomes [inputs, outputs]. */
  affine(name: string, inputs: number, outputs: number): Affine {
    const stored = this.array(`${name}.weight`, [outputs, inputs]);
    const turned = this.#kernels.floats(stored.length);
    for (let o = 0; o < outputs; o++) {
      for (let i = 0; i < inputs; i++) turned[i * outputs + o] = stored[o * inputs + i]!;
    }
    this.#kernels.free(stored);
    return {
      weight: { shape: [inputs, outputs], data: turned, gradient: null, needsGradient: false },
      bias: { shape: [outputs], data: this.array(`${name}.bias`, [outputs]), gradient: null, needsGradient: false },
    };
  }

  norm(name: string, width: number): LayerNorm {
    const norm = new LayerNorm({ kernels: this.#kernels, name, width, epsilon: this.#epsilon });
    norm.weight.data.set(this.array(`${name}.weight`, [width]));
    norm.bias.data.set(this.array(`${name}.bias`, [width]));
    return norm;
  }
}
