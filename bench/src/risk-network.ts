import type { Rng } from "@praxis/env";
import { Adam, type Kernels, Mlp, meanSquaredError, Tape, zeroGradients } from "@praxis/nn";

const HIDDEN = [64, 64] as const;
const LEARNING_RATE = 3e-3;
const WEIGHT_DECAY = 1e-3;
const EPOCHS = 20;
const MINIBATCH = 64;
/** Rows of one pass without gradients. */
const CHUNK = 4096;

/** Two hidden layers of 64 that predict a risk from a feature row; the last hidden layer is what a linear model builds on. */
export class RiskMlp {
  readonly hidden = HIDDEN[1];
  readonly #inputs: number;
  readonly #rng: Rng;
  readonly #body: Mlp;
  readonly #head: Mlp;
  readonly #adam: Adam;
  readonly #tape: Tape;
  readonly #quiet: Tape;

  constructor(kernels: Kernels, inputs: number, rng: Rng) {
    this.#inputs = inputs;
    this.#rng = rng.split("minibatches");
    const weights = rng.split("weights");
    this.#body = new Mlp({ kernels, rng: weights, name: "body", inputs, hidden: HIDDEN, activation: "relu" });
    this.#head = new Mlp({
      kernels,
      rng: weights,
      name: "head",
      inputs: this.hidden,
      hidden: [],
      activation: "relu",
      outputs: 1,
    });
    this.#adam = new Adam(kernels, [...this.#body.parameters(), ...this.#head.parameters()], {
      learningRate: LEARNING_RATE,
      weightDecay: WEIGHT_DECAY,
    });
    this.#tape = new Tape(kernels);
    this.#quiet = new Tape(kernels, { recording: false });
  }

  fit(inputs: Float32Array, targets: Float32Array): void {
    const parameters = [...this.#body.parameters(), ...this.#head.parameters()];
    for (let epoch = 0; epoch < EPOCHS; epoch++) {
      const order = this.#rng.shuffled(Array.from(targets.keys()));
      for (let at = 0; at < order.length; at += MINIBATCH) {
        const rows = order.slice(at, at + MINIBATCH);
        const batch = new Float32Array(rows.length * this.#inputs);
        rows.forEach((row, i) => {
          batch.set(inputs.subarray(row * this.#inputs, (row + 1) * this.#inputs), i * this.#inputs);
        });
        const x = this.#tape.input([rows.length, this.#inputs], batch);
        const y = this.#head.forward(this.#tape, this.#body.forward(this.#tape, x));
        meanSquaredError(
          this.#tape,
          y,
          rows.map((row) => targets[row]!),
        );
        zeroGradients(parameters);
        this.#tape.backward();
        this.#adam.step();
        this.#tape.reset();
      }
    }
  }

  represent(inputs: Float32Array, rows: number): Float32Array {
    const outputs = new Float32Array(rows * this.hidden);
    for (let at = 0; at < rows; at += CHUNK) {
      const count = Math.min(CHUNK, rows - at);
      const part = inputs.subarray(at * this.#inputs, (at + count) * this.#inputs);
      outputs.set(
        this.#body.forward(this.#quiet, this.#quiet.input([count, this.#inputs], part)).data,
        at * this.hidden,
      );
      this.#quiet.reset();
    }
    return outputs;
  }
}
