import type { SceneShape } from "@praxis/env";
import {
  activate,
  add,
  concat,
  GraphEncoder,
  type Kernels,
  LayerNorm,
  Linear,
  Lstm,
  type LstmState,
  Mlp,
  type Module,
  MultiHeadAttention,
  maskedMean,
  orthogonal,
  type Parameter,
  type RandomSource,
  reshape,
  type Tape,
  type Tensor,
  TransformerBlock,
} from "@praxis/nn";
import { z } from "zod";
import type { SceneBatch } from "./scene-batch.ts";
import { gatherTensorRows, repeatRows } from "./tensor-rows.ts";

/** Settings of a {@link SceneNetwork}. */
export const sceneNetworkSettings = z.strictObject({
  sceneWidth: z.int().min(4).default(64).describe("features of an item, a candidate and the situation"),
  sceneHeads: z.int().min(1).default(4).describe("attention heads, which divide sceneWidth"),
  graphLayers: z
    .int()
    .min(0)
    .default(1)
    .describe("rounds in which items hear from those they have an edge with; 0: no graph"),
  candidateAttention: z.boolean().default(true).describe("candidates look at items and at each other"),
  episodeMemory: z.int().min(0).default(64).describe("width of the memory over an episode; 0: none"),
  confidenceCoef: z.number().min(0).default(0.1).describe("weight of the confidence's loss beside that of the choice"),
});

export type SceneNetworkSettings = z.output<typeof sceneNetworkSettings>;

/** Where the rows of a batch stand in time. */
export interface Timeline {
  /** Steps of the longest episode, and episodes. */
  readonly steps: number;
  readonly columns: number;
  /** Place (step · columns + column) of each row. */
  readonly places: readonly number[];
  /** Memories before the first step, one a column; null without memory. */
  readonly state: LstmState | null;
}

/** Scores and confidence logits of every candidate of a batch. */
export interface SceneOutput {
  /** [rows, candidates, 2]: score, logit of the confidence. */
  readonly values: Tensor;
  /** [rows, 1]: what is added to the scores of candidates that abstain. */
  readonly abstain: Tensor;
  /** After the last step; null without memory. */
  readonly state: LstmState | null;
}

/**
 * Situation, items with their graph, and candidates, each brought to one width; candidates take in the item they are about and
 * attend to items and to each other; a memory over the episode reads the pooled scene. Equivariant in items and candidates.
 */
export class SceneNetwork implements Module {
  readonly memory: Lstm | null;
  readonly #settings: SceneNetworkSettings;
  readonly #situation: Mlp;
  readonly #items: GraphEncoder;
  readonly #candidates: Linear;
  readonly #about: Linear;
  readonly #fromSituation: Linear;
  readonly #toItems: MultiHeadAttention | null;
  readonly #itemsNorm: LayerNorm | null;
  readonly #among: TransformerBlock | null;
  readonly #head: Mlp;
  readonly #abstain: Linear;

  constructor(options: {
    readonly kernels: Kernels;
    readonly rng: RandomSource;
    readonly shape: SceneShape;
    readonly settings: SceneNetworkSettings;
  }) {
    const { kernels, rng, shape, settings } = options;
    const { sceneWidth: width, sceneHeads: heads, graphLayers, candidateAttention, episodeMemory } = settings;
    const made = { kernels, rng };
    this.#settings = settings;
    this.#situation = new Mlp({
      ...{ ...made, name: "situation", inputs: shape.context, hidden: [2 * width, width], activation: "relu" },
    });
    this.#items = new GraphEncoder({
      ...{ ...made, name: "items", inputs: shape.items, width, layers: graphLayers },
      ...{ kind: "convolution", relations: shape.relations },
    });
    this.#candidates = new Linear({ ...made, name: "candidates", inputs: shape.candidates, outputs: width });
    this.#about = new Linear({ ...made, name: "about", inputs: width, outputs: width, bias: false });
    this.memory =
      episodeMemory === 0 ? null : new Lstm({ ...made, name: "memory", inputs: 3 * width, hidden: episodeMemory });
    const state = 3 * width + episodeMemory;
    this.#fromSituation = new Linear({ ...made, name: "fromSituation", inputs: state, outputs: width });
    this.#toItems = candidateAttention ? new MultiHeadAttention({ ...made, name: "toItems", width, heads }) : null;
    this.#itemsNorm = candidateAttention ? new LayerNorm({ kernels, name: "toItems.norm", width }) : null;
    this.#among = candidateAttention ? new TransformerBlock({ ...made, name: "among", width, heads }) : null;
    this.#head = new Mlp({
      ...{ ...made, name: "head", inputs: 2 * width, hidden: [width], activation: "relu", outputs: 2 },
      initialiseOutput: orthogonal(0.01),
    });
    this.#abstain = new Linear({
      ...{ ...made, name: "abstain", inputs: state, outputs: 1, initialise: orthogonal(0.01) },
    });
  }

  parameters(): readonly Parameter[] {
    return [
      ...[this.#situation, this.#items, this.#candidates, this.#about, this.memory, this.#fromSituation],
      ...[this.#toItems, this.#itemsNorm, this.#among, this.#head, this.#abstain],
    ].flatMap((part) => part?.parameters() ?? []);
  }

  /** Empty memories of `batch` episodes; null without memory. */
  initialState(batch: number): LstmState | null {
    return this.memory?.initialState(batch) ?? null;
  }

  /** @param timeline where the rows stand in time; only the memory asks for it */
  forward(tape: Tape, batch: SceneBatch, timeline: Timeline): SceneOutput {
    const { rows, candidates, itemMask, candidateMask } = batch;
    const { sceneWidth: width } = this.#settings;
    const situation = this.#situation.forward(tape, batch.context);
    const { items, pooled: itemsPooled } = this.#items.forward(tape, {
      ...{ items: batch.itemRows, mask: itemMask, adjacency: batch.adjacency },
    });
    const about = gatherTensorRows(tape, reshape(tape, items, [rows * batch.items, width]), batch.itemOf);
    const own = this.#candidates.forward(tape, batch.candidateRows);
    const met = add(tape, own, reshape(tape, this.#about.forward(tape, about), own.shape));
    const seen = activate(tape, "relu", met);
    const pooled = concat(tape, [situation, itemsPooled, maskedMean(tape, seen, candidateMask)]);
    const remembered = this.#remember(tape, pooled, timeline);
    const whole = remembered.output === null ? pooled : concat(tape, [pooled, remembered.output]);
    const told = this.#fromSituation.forward(tape, whole);
    let x = add(tape, met, reshape(tape, repeatRows(tape, told, candidates), met.shape));
    if (this.#toItems !== null && this.#itemsNorm !== null && this.#among !== null) {
      const looked = this.#toItems.forward(tape, this.#itemsNorm.forward(tape, x), { allowed: itemMask }, items);
      x = this.#among.forward(tape, add(tape, x, looked), { allowed: candidateMask });
    }
    const both = concat(tape, [x, reshape(tape, repeatRows(tape, told, candidates), x.shape)]);
    return {
      values: this.#head.forward(tape, both),
      abstain: this.#abstain.forward(tape, whole),
      state: remembered.state,
    };
  }

  /** Rows are laid out in time for the memory, with padding behind short episodes, and what it gives back as they were. */
  #remember(tape: Tape, pooled: Tensor, { steps, columns, places, state }: Timeline) {
    if (this.memory === null || state === null) return { output: null, state: null };
    const { hidden, inputs } = this.memory;
    const rowAt = new Int32Array(steps * columns).fill(-1);
    places.forEach((place, row) => {
      rowAt[place] = row;
    });
    const laid = reshape(tape, gatherTensorRows(tape, pooled, rowAt), [steps, columns, inputs]);
    const { output, state: next } = this.memory.forward(tape, laid, state);
    const back = gatherTensorRows(tape, reshape(tape, output, [steps * columns, hidden]), places);
    return { output: back, state: next };
  }
}
