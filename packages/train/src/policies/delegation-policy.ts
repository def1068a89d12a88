import type { Rng } from "@praxis/env";
import {
  activate,
  addToItems,
  concat,
  type Kernels,
  Linear,
  Mlp,
  makeParameter,
  orthogonal,
  type Parameter,
  reshape,
  type Tape,
  type Tensor,
} from "@praxis/nn";
import { z } from "zod";
import type { ActionDistribution } from "../action-distribution.ts";
import type { LayeredState } from "../memory-rows.ts";
import type { ObservationRecorder } from "../observation-record.ts";
import type { Memories, RecordedInput, RecordedOutput, RecordedPolicy } from "../recorded-policy.ts";
import { PARAMETER_BINS, PARAMETERS } from "./delegation-action.ts";
import { DELEGATION_LOGITS_AT, DelegationHead } from "./delegation-head.ts";
import { FlatRecorder } from "./flat-recorder.ts";
import { makeRecurrentCore } from "./recurrent-core.ts";
import { columnsOf, SlotFeatureEncoder } from "./slot-features.ts";
import { makeSlotLayout, SCALAR_AT, slotsOf } from "./slot-layout.ts";
import { SlotMemory } from "./slot-memory.ts";
import { SlotRecorder, slotRecordLayout } from "./slot-recorder.ts";
import { GraphTrunk, SetTrunk, type SlotTrunk } from "./slot-trunk.ts";
import { VectorActionHead } from "./vector-action-head.ts";

const positive = z.int().min(1);

/** Settings of an orchestrator's policy over a roster of slots. */
export const delegationPolicySettings = z.strictObject({
  encoder: z
    .enum(["set", "gnn", "flat", "none"])
    .default("set")
    .describe(
      "slots as a set, as nodes of the delegation graph, all numbers as features, or none: the memory reads all numbers and layers follow it",
    ),
  memory: z
    .enum(["shift", "task", "none"])
    .default("shift")
    .describe("how long it remembers: the whole episode, to the task's end, or nothing"),
  critic: z
    .enum(["shared", "separate", "feedforward"])
    .default("shared")
    .describe("the value reads the policy's memory, one of its own, or none"),
  stopValueGradient: z.boolean().default(false).describe("the value's loss does not reach what it shares"),
  action: z
    .enum(["factored", "box"])
    .default("factored")
    .describe("a masked distribution over choices, or a Gaussian over the action vector"),
  decoder: z.enum(["affine", "seed"]).default("affine").describe("of box: reaches every choice, or rounds −1 … 1"),
  isMasked: z.boolean().default(true).describe("of factored: illegal choices have probability 0"),
  width: positive.multipleOf(4).default(64).describe("numbers of a projected embedding and of a slot"),
  hidden: positive.default(128).describe("width of the memory"),
  slotHidden: positive.default(32).describe("width of each slot's memory"),
  headHidden: positive.default(64).describe("width of the hidden layer before slot scores and value"),
});

/** Checked settings, defaults filled in. */
export type DelegationPolicySettings = z.output<typeof delegationPolicySettings>;

/** First numbers of the outputs. assumption: a slot is chosen with p 0.38, 2.4 of 6 at first; the time budget is mostly none. */
const SLOT_BIAS = -0.5;
const NO_BUDGET_BIAS = 2;

/** Widths of the layers that read an observation as it is. */
const FLAT_HIDDEN = [256, 128];
/** Widths of the tanh layers after the memory, for actor and critic, where no encoder comes before it. */
const TOWER_HIDDEN = [256, 128];

/**
 * The policy of an orchestrator: an encoder of slots (permuting them permutes their scores and nothing else), a memory of each
 * slot and one of the whole, heads of the factored action and a value. Each part is a module of its own.
 */
export class DelegationPolicy implements RecordedPolicy {
  readonly settings: DelegationPolicySettings;
  readonly distribution: ActionDistribution;
  readonly inputs: number;
  readonly slots: number;
  readonly logDeviations: Parameter | null;
  readonly #layout: ReturnType<typeof makeSlotLayout>;
  readonly #encoder: SlotFeatureEncoder | null;
  readonly #trunk: SlotTrunk | null;
  readonly #flat: Mlp | null;
  readonly #slotMemory: SlotMemory | null;
  readonly #core: ReturnType<typeof makeRecurrentCore> | null;
  readonly #criticCore: ReturnType<typeof makeRecurrentCore> | null;
  readonly #tower: Mlp | null;
  readonly #choices: Linear;
  readonly #slotHead: SlotHead | null;
  readonly #value: Mlp;

  constructor(options: {
    readonly kernels: Kernels;
    readonly rng: Rng;
    /** Numbers in an observation; they say how many slots there are. */
    readonly inputs: number;
    /** Numbers of an embedding, default 384. */
    readonly embedding?: number;
    readonly settings?: z.input<typeof delegationPolicySettings>;
  }) {
    const { kernels, inputs, embedding } = options;
    const settings = delegationPolicySettings.parse(options.settings ?? {});
    const { encoder, memory, critic, width, hidden, slotHidden, headHidden } = settings;
    const rng = options.rng.split("policy");
    this.settings = settings;
    this.inputs = inputs;
    this.slots = slotsOf(inputs, embedding);
    const layout = makeSlotLayout(this.slots, embedding);
    this.#layout = layout;
    this.distribution =
      settings.action === "box"
        ? new VectorActionHead(this.slots, settings.decoder)
        : new DelegationHead(this.slots, { isMasked: settings.isMasked });
    const hasSlots = encoder === "set" || encoder === "gnn";
    const remembers = memory !== "none";
    const named = (name: string) => ({ kernels, rng: rng.split(name), name });
    this.#encoder = hasSlots ? new SlotFeatureEncoder({ ...named("encoder"), layout, width }) : null;
    this.#slotMemory =
      hasSlots && remembers
        ? new SlotMemory({ ...named("slotMemory"), slots: this.slots, width, hidden: slotHidden })
        : null;
    const trunkOptions = { ...named("trunk"), layout, width, memory: this.#slotMemory?.hidden ?? 0 };
    this.#trunk =
      encoder === "set" ? new SetTrunk(trunkOptions) : encoder === "gnn" ? new GraphTrunk(trunkOptions) : null;
    this.#flat =
      encoder === "flat" ? new Mlp({ ...named("flat"), inputs, hidden: FLAT_HIDDEN, activation: "relu" }) : null;
    const features = this.#trunk?.outputs ?? this.#flat?.outputs ?? inputs;
    const makeCore = (name: string) => makeRecurrentCore({ ...named(name), inputs: features, hidden });
    this.#core = remembers ? makeCore("core") : null;
    this.#criticCore = remembers && critic === "separate" ? makeCore("criticCore") : null;
    const hasTowers = encoder === "none";
    const direct = hasTowers && this.#core !== null ? 0 : features;
    const z = direct + (this.#core === null ? 0 : hidden);
    this.#tower = hasTowers
      ? new Mlp({ ...named("tower"), inputs: z, hidden: TOWER_HIDDEN, activation: "tanh" })
      : null;
    const choiceInputs = this.#tower?.outputs ?? z;
    const scoresSlots = hasSlots && settings.action === "factored";
    const outputs = this.distribution.inputSize - (scoresSlots ? this.slots : 0);
    this.#choices = new Linear({ ...named("choices"), inputs: choiceInputs, outputs, initialise: orthogonal(0.01) });
    this.#slotHead = scoresSlots
      ? new SlotHead({
          ...named("slotHead"),
          ...{ slotInputs: this.#trunk!.slotOutputs, contextInputs: this.#core === null ? features : hidden },
          hidden: headHidden,
        })
      : null;
    if (settings.action === "factored") this.#biasChoices(scoresSlots);
    const valueInputs = critic === "feedforward" || this.#core === null ? features : z;
    this.#value = new Mlp({
      ...{ ...named("value"), inputs: valueInputs, activation: "tanh", outputs: 1 },
      hidden: hasTowers ? TOWER_HIDDEN : [headHidden],
      initialiseOutput: orthogonal(1),
    });
    const { deviationSize } = this.distribution;
    this.logDeviations = deviationSize === 0 ? null : makeParameter(kernels, "logDeviations", [deviationSize]);
  }

  get identity() {
    const { isMasked, stopValueGradient, ...architecture } = this.settings;
    return { slots: this.slots, embedding: this.#layout.embedding, ...architecture };
  }

  parameters(): readonly Parameter[] {
    const modules = [
      ...[this.#encoder, this.#slotMemory, this.#trunk, this.#flat, this.#core, this.#criticCore],
      ...[this.#tower, this.#choices, this.#slotHead, this.#value],
    ];
    const own = modules.flatMap((module) => module?.parameters() ?? []);
    return this.logDeviations === null ? own : [...own, this.logDeviations];
  }

  makeRecorder(): ObservationRecorder {
    if (this.#trunk === null) return new FlatRecorder(this.inputs);
    return new SlotRecorder(this.#layout, { sortsGraph: this.#trunk.readsOrder });
  }

  initialMemories(batch: number): Memories {
    const cores = [this.#core, this.#criticCore].flatMap((core): LayeredState[] =>
      core === null ? [] : [{ layers: 1, state: core.initialState(batch) }],
    );
    return [...(this.#slotMemory?.initialMemories(batch) ?? []), ...cores];
  }

  forward(tape: Tape, input: RecordedInput): RecordedOutput {
    const starts = this.#startsOf(input);
    const { steps, batch } = input;
    const rows = steps * batch;
    const next: LayeredState[] = [];
    let left = input.memories;
    const { slots, pooled } = this.#encode(tape, { ...input, starts }, next);
    if (this.#slotMemory !== null) left = left.slice(2);
    const recur = (core: ReturnType<typeof makeRecurrentCore>, x: Tensor): Tensor => {
      const { state } = left[0]!;
      left = left.slice(1);
      const shaped = reshape(tape, x, [steps, batch, core.inputs]);
      const result = core.forward(tape, shaped, state, starts);
      next.push({ layers: 1, state: result.state });
      return reshape(tape, result.output, [rows, core.hidden]);
    };
    const hidden = this.#core === null ? null : recur(this.#core, pooled);
    // Without an encoder before it the memory alone is read.
    const join = (memory: Tensor, x: Tensor): Tensor => (this.#tower === null ? concat(tape, [memory, x]) : memory);
    const all = hidden === null ? pooled : join(hidden, pooled);
    const choices = this.#choices.forward(tape, this.#tower?.forward(tape, all) ?? all);
    const scores =
      this.#slotHead === null || slots === null ? null : this.#slotHead.forward(tape, slots, hidden ?? pooled);
    const { critic, stopValueGradient } = this.settings;
    const shared = (x: Tensor): Tensor => (stopValueGradient ? tape.wrap(x.shape, x.data, []) : x);
    const ownMemory = this.#criticCore === null ? null : recur(this.#criticCore, shared(pooled));
    const read =
      ownMemory !== null ? join(ownMemory, shared(pooled)) : critic === "feedforward" ? shared(pooled) : shared(all);
    return {
      logits: scores === null ? choices : concat(tape, [choices, scores]),
      values: this.#value.forward(tape, read),
      memories: next,
    };
  }

  #encode(tape: Tape, input: RecordedInput, next: LayeredState[]): { slots: Tensor | null; pooled: Tensor } {
    if (this.#encoder === null || this.#trunk === null) {
      const x = columnsOf(tape, input.records, 0, this.inputs);
      const all = tape.wrap([input.records.length, this.inputs], x, []);
      return { slots: null, pooled: this.#flat?.forward(tape, all) ?? all };
    }
    const features = this.#encoder.forward(tape, input);
    if (this.#slotMemory === null) return this.#trunk.forward(tape, features, null);
    const memory = this.#slotMemory.forward(tape, features, input, input.memories);
    next.push(...memory.memories);
    return this.#trunk.forward(tape, features, memory.output);
  }

  /** Where memories begin from nothing: at each episode, or at each task. */
  #startsOf({ starts, records }: RecordedInput): ArrayLike<number> {
    if (this.settings.memory !== "task") return starts;
    const scalars = this.#trunk === null ? this.#layout.scalarsAt : slotRecordLayout(this.#layout).scalars;
    return Uint8Array.from(records, ({ numbers }, row) =>
      starts[row] || numbers[scalars + SCALAR_AT.stepInTask] === 0 ? 1 : 0,
    );
  }

  #biasChoices(scoresSlots: boolean): void {
    const bias = this.#choices.bias!.data;
    const budget = PARAMETERS.indexOf("timeBudget");
    bias[DELEGATION_LOGITS_AT.parameters + budget * PARAMETER_BINS + PARAMETER_BINS - 1] = NO_BUDGET_BIAS;
    if (!scoresSlots) bias.fill(SLOT_BIAS, DELEGATION_LOGITS_AT.slots);
  }
}

/** Scores each slot by what it is and the context: MLP([slot, context] → hidden → 1), tanh. [rows, slots] */
class SlotHead {
  readonly #ofSlot: Linear;
  readonly #ofContext: Linear;
  readonly #score: Linear;

  constructor(options: {
    readonly kernels: Kernels;
    readonly rng: Rng;
    readonly name: string;
    readonly slotInputs: number;
    readonly contextInputs: number;
    readonly hidden: number;
  }) {
    const { kernels, rng, name, slotInputs, contextInputs, hidden } = options;
    const shared = { kernels, rng, outputs: hidden, initialise: orthogonal(1) };
    // One matrix product over [slot, context] in two parts, as the context is the same for all slots of a row.
    this.#ofSlot = new Linear({ ...shared, name: `${name}.slot`, inputs: slotInputs });
    this.#ofContext = new Linear({ ...shared, name: `${name}.context`, inputs: contextInputs, bias: false });
    const initialise = orthogonal(0.01);
    this.#score = new Linear({ kernels, rng, name: `${name}.score`, inputs: hidden, outputs: 1, initialise });
    this.#score.bias!.data.fill(SLOT_BIAS);
  }

  parameters(): readonly Parameter[] {
    return [this.#ofSlot, this.#ofContext, this.#score].flatMap((layer) => layer.parameters());
  }

  forward(tape: Tape, slots: Tensor, context: Tensor): Tensor {
    const [rows, count] = slots.shape as readonly [number, number];
    const sum = addToItems(tape, this.#ofSlot.forward(tape, slots), this.#ofContext.forward(tape, context));
    return reshape(tape, this.#score.forward(tape, activate(tape, "tanh", sum)), [rows, count]);
  }
}
