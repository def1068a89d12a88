import { type Info, PraxisError, type Rng } from "@praxis/env";
import type { ActionDistribution, Odds } from "../action-distribution.ts";
import type { HeadRow, HeadValue } from "../action-head.ts";
import {
  addCategoricalGradient,
  drawIndex,
  entropyOf,
  indexOfLargest,
  logSoftmaxLegal,
} from "../distributions/categorical.ts";
import { NonEmptyBernoulli } from "../distributions/non-empty-bernoulli.ts";
import { addPlackettLuceGradient, choosePlackettLuce, plackettLuceLogProb } from "../distributions/plackett-luce.ts";
import {
  ABSENT_BINS,
  ACTION_AT,
  CALL,
  DELEGATE,
  DELEGATION_MODES,
  META_ACTIONS,
  needsSelection,
  PARAMETER_BINS,
  PARAMETERS,
  readsOrder,
  readsParameter,
  SPAWN_PARALLEL,
  toActionVector,
} from "./delegation-action.ts";
import { delegationMaskAt, readDelegationMask } from "./delegation-mask.ts";

/** Shares of the parts in the entropy bonus. assumption: slots have many bits and parameters matter least. */
const SLOT_SHARE = 0.3;
const PARAMETER_SHARE = 0.1;

/** Where the parts of a row of network outputs stand. */
export const DELEGATION_LOGITS_AT = {
  meta: 0,
  mode: META_ACTIONS.length,
  parameters: META_ACTIONS.length + DELEGATION_MODES.length,
  slots: META_ACTIONS.length + DELEGATION_MODES.length + PARAMETERS.length * PARAMETER_BINS,
} as const;

/**
 * The factored action distribution of an orchestrator over a roster of slots: a meta-action; for `delegateSubtask` a lead; which
 * slots (independent bits, at least one); in what order (Plackett–Luce, where the mode reads it); a mode; parameters. Lead, set
 * and order share the slots' logits. Only the parts that an action uses count in its log-probability, so that it is exact.
 *
 * The entropy is that of the meta-action plus, weighted by the (detached) chance of each meta-action that needs slots,
 * mode + {@link SLOT_SHARE} · set + {@link PARAMETER_SHARE} · parameters; orders add nothing: they share their logits with the set.
 */
export class DelegationHead implements ActionDistribution {
  readonly slots: number;
  readonly inputSize: number;
  readonly actionSize: number;
  readonly maskSize: number;
  readonly deviationSize = 0;
  /** False: every choice counts as legal, whatever the mask says (an ablation). */
  readonly isMasked: boolean;
  readonly #maskAt: ReturnType<typeof delegationMaskAt>;
  // One row's log-probabilities, filled by #load: meta-action, mode, parameters, lead.
  readonly #meta = new Float64Array(META_ACTIONS.length);
  readonly #mode = new Float64Array(DELEGATION_MODES.length);
  readonly #parameters = PARAMETERS.map(() => new Float64Array(PARAMETER_BINS));
  readonly #lead: Float64Array;
  readonly #set: NonEmptyBernoulli;
  readonly #bits: Uint8Array;

  constructor(slots: number, { isMasked = true }: { readonly isMasked?: boolean } = {}) {
    this.slots = slots;
    this.isMasked = isMasked;
    this.#maskAt = delegationMaskAt(slots);
    this.inputSize = DELEGATION_LOGITS_AT.slots + slots;
    this.actionSize = ACTION_AT.ranks + slots;
    this.maskSize = this.#maskAt.size;
    this.#lead = new Float64Array(slots);
    this.#set = new NonEmptyBernoulli(slots);
    this.#bits = new Uint8Array(slots);
  }

  readMask(info: Info, masks: Uint8Array, row: number): void {
    readDelegationMask(this.isMasked ? info : {}, this.slots, masks, row);
  }

  sample(head: HeadRow, rng: Rng, actions: Float32Array): number {
    this.#choose(head, actions, rng);
    return this.evaluate(head, actions).logProb;
  }

  mode(head: HeadRow, actions: Float32Array): void {
    this.#choose(head, actions, null);
  }

  evaluate(head: HeadRow, actions: Float32Array): HeadValue {
    this.#load(head);
    return { logProb: this.#logProb(head, actions), entropy: this.#entropy(head) };
  }

  addGradient(
    head: HeadRow,
    actions: Float32Array,
    { dLogProb, dEntropy }: { readonly dLogProb: number; readonly dEntropy: number },
    { dInputs }: { readonly dInputs: Float32Array; readonly dLogDeviations: Float32Array },
  ): void {
    this.#load(head);
    const at = head.row * this.inputSize;
    const from = head.row * this.actionSize;
    const [meta, mode] = [actions[from + ACTION_AT.meta]!, actions[from + ACTION_AT.mode]!];
    addCategoricalGradient(this.#meta, { chosen: meta, dLogProb, dEntropy }, dInputs, at);

    const chances = this.#chances();
    const modeWeights = { chosen: mode, dLogProb: meta === CALL ? dLogProb : 0, dEntropy: dEntropy * chances.call };
    addCategoricalGradient(this.#mode, modeWeights, dInputs, at + DELEGATION_LOGITS_AT.mode);
    this.#parameters.forEach((logProbs, k) => {
      const isRead = readsParameter(k, meta, mode);
      const weights = {
        chosen: actions[from + ACTION_AT.parameters + k]!,
        dLogProb: isRead ? dLogProb : 0,
        dEntropy: dEntropy * PARAMETER_SHARE * this.#readChance(k, chances),
      };
      const parameterAt = at + DELEGATION_LOGITS_AT.parameters + k * PARAMETER_BINS;
      addCategoricalGradient(logProbs, weights, dInputs, parameterAt);
    });

    const slotsAt = at + DELEGATION_LOGITS_AT.slots;
    const ranksAt = from + ACTION_AT.ranks;
    const calls = meta === CALL || meta === SPAWN_PARALLEL;
    if (this.#setAllowed(head)) {
      const weights = {
        dLogProb: calls ? dLogProb : 0,
        dEntropy: dEntropy * SLOT_SHARE * (chances.call + chances.spawn),
      };
      this.#set.addGradient((j) => actions[ranksAt + j] !== 0, weights, dInputs, slotsAt);
    }
    if (meta === CALL && readsOrder(mode)) {
      const order = { rank: actions, at: ranksAt, size: this.slots };
      addPlackettLuceGradient(head.inputs, slotsAt, order, dLogProb, dInputs);
    }
    if (chances.delegate === 0) return;
    const lead = meta === DELEGATE ? this.#leadOf(actions, from) : -1;
    const leadWeights = {
      ...{ chosen: lead, dLogProb: meta === DELEGATE ? dLogProb : 0, dEntropy: dEntropy * chances.delegate },
    };
    addCategoricalGradient(this.#lead, leadWeights, dInputs, slotsAt);
    for (let l = 0; l < this.slots; l++) {
      const chance = Math.exp(this.#lead[l]!);
      if (chance === 0 || !this.#setConsulted(head, l)) continue;
      const weights = {
        dLogProb: l === lead ? dLogProb : 0,
        dEntropy: dEntropy * SLOT_SHARE * chances.delegate * chance,
      };
      this.#set.addGradient((j) => j !== lead && actions[ranksAt + j] !== 0, weights, dInputs, slotsAt);
    }
  }

  toSpaceValue(actions: Float32Array, row: number): number[] {
    return toActionVector(actions, row, this.slots);
  }

  /** Of the meta-actions; of the modes and slots if somebody is called; of the leads if a part is delegated. */
  odds(head: HeadRow): Odds {
    this.#load(head);
    const named = (names: readonly string[], logProbs: Float64Array): Record<string, number> =>
      Object.fromEntries(
        names.flatMap((name, j) => (logProbs[j] === Number.NEGATIVE_INFINITY ? [] : [[name, Math.exp(logProbs[j]!)]])),
      );
    const slots = Array.from({ length: this.slots }, (_, j) => String(j));
    const hasSet = this.#setAllowed(head);
    return {
      meta: named(META_ACTIONS, this.#meta),
      mode: named(DELEGATION_MODES, this.#mode),
      slot: hasSet
        ? Object.fromEntries(slots.flatMap((name, j) => (this.#set.allows(j) ? [[name, this.#set.chance(j)]] : [])))
        : {},
      lead: named(slots, this.#lead),
    };
  }

  tags(actions: Float32Array, row: number): readonly string[] {
    const from = row * this.actionSize;
    const meta = actions[from + ACTION_AT.meta]!;
    const tag = `meta_${META_ACTIONS[meta]}`;
    return meta === CALL ? [tag, `mode_${DELEGATION_MODES[actions[from + ACTION_AT.mode]!]}`] : [tag];
  }

  #choose(head: HeadRow, actions: Float32Array, rng: Rng | null): void {
    this.#load(head);
    const from = head.row * this.actionSize;
    const pick = (logProbs: Float64Array): number =>
      rng === null ? indexOfLargest(logProbs) : drawIndex(logProbs, rng.uniform());
    // Every part draws, used or not, so that one choice never shifts the stream of the next.
    const meta = pick(this.#meta);
    const mode = pick(this.#mode);
    actions[from + ACTION_AT.meta] = meta;
    actions[from + ACTION_AT.mode] = meta === CALL ? mode : 0;
    this.#parameters.forEach((logProbs, k) => {
      const bin = pick(logProbs);
      actions[from + ACTION_AT.parameters + k] = readsParameter(k, meta, mode) ? bin : ABSENT_BINS[k]!;
    });
    const lead = pick(this.#lead);
    const ranksAt = from + ACTION_AT.ranks;
    actions.fill(0, ranksAt, ranksAt + this.slots);
    const delegates = meta === DELEGATE;
    const hasSet = delegates ? this.#setConsulted(head, lead) : this.#setAllowed(head);
    this.#bits.fill(0);
    if (rng !== null) this.#set.draw(rng, this.#bits);
    else this.#set.mode(this.#bits);
    if (!hasSet || !needsSelection(meta)) this.#bits.fill(0);
    const order = { rank: actions, at: ranksAt };
    const logitsAt = head.row * this.inputSize + DELEGATION_LOGITS_AT.slots;
    choosePlackettLuce(head.inputs, logitsAt, this.#bits, rng, order);
    if (meta === CALL && readsOrder(mode)) return;
    // Where the order means nothing, actions have one form only: ascending slots, after the lead.
    let rank = delegates ? 1 : 0;
    for (let j = 0; j < this.slots; j++) if (this.#bits[j] !== 0) actions[ranksAt + j] = ++rank;
    if (delegates) actions[ranksAt + lead] = 1;
  }

  /** Log-probabilities of a row's categoricals. Throws ALL_MASKED when nothing at all is legal. */
  #load(head: HeadRow): void {
    const at = head.row * this.inputSize;
    for (let j = 0; j < this.inputSize; j++)
      if (!Number.isFinite(head.inputs[at + j]!))
        throw new PraxisError(
          "NON_FINITE_NUMBER",
          `The policy's output ${j} in row ${head.row} is ${head.inputs[at + j]}.`,
        );
    const read = (logProbs: Float64Array, from: number): void => {
      for (let j = 0; j < logProbs.length; j++) logProbs[j] = head.inputs[at + from + j]!;
    };
    read(this.#meta, DELEGATION_LOGITS_AT.meta);
    read(this.#mode, DELEGATION_LOGITS_AT.mode);
    this.#parameters.forEach((logProbs, k) => {
      read(logProbs, DELEGATION_LOGITS_AT.parameters + k * PARAMETER_BINS);
      logSoftmaxLegal(logProbs, () => true);
    });
    read(this.#lead, DELEGATION_LOGITS_AT.slots);
    const hasMode = logSoftmaxLegal(this.#mode, (j) => this.#isLegal(head, this.#maskAt.modes + j));
    const hasLead = logSoftmaxLegal(this.#lead, (j) => this.#isLead(head, j));
    const hasSlot = this.#hasSlot(head);
    const isPossible = (meta: number): boolean => {
      if (meta === CALL) return hasSlot && hasMode;
      if (meta === DELEGATE) return hasLead;
      return meta === SPAWN_PARALLEL ? hasSlot : true;
    };
    // A meta-action whose own choices are all forbidden can't be meant.
    const hasMeta = logSoftmaxLegal(this.#meta, (j) => this.#isLegal(head, this.#maskAt.meta + j) && isPossible(j));
    if (!hasMeta)
      throw new PraxisError(
        "ALL_MASKED",
        `The mask of the meta-action in row ${head.row} allows none that is possible.`,
      );
  }

  #logProb(head: HeadRow, actions: Float32Array): number {
    const from = head.row * this.actionSize;
    const [meta, mode] = [actions[from + ACTION_AT.meta]!, actions[from + ACTION_AT.mode]!];
    let logProb = this.#meta[meta] ?? Number.NEGATIVE_INFINITY;
    if (meta === CALL) logProb += this.#mode[mode] ?? Number.NEGATIVE_INFINITY;
    this.#parameters.forEach((logProbs, k) => {
      if (readsParameter(k, meta, mode)) logProb += logProbs[actions[from + ACTION_AT.parameters + k]!]!;
    });
    if (needsSelection(meta) && logProb > Number.NEGATIVE_INFINITY) {
      const ranksAt = from + ACTION_AT.ranks;
      const lead = meta === DELEGATE ? this.#leadOf(actions, from) : -1;
      if (meta === DELEGATE) logProb += this.#lead[lead] ?? Number.NEGATIVE_INFINITY;
      const hasSet = meta === DELEGATE ? lead >= 0 && this.#setConsulted(head, lead) : this.#setAllowed(head);
      logProb += hasSet ? this.#set.logProb((j) => j !== lead && actions[ranksAt + j] !== 0) : Number.NEGATIVE_INFINITY;
      if (meta === CALL && readsOrder(mode)) {
        const order = { rank: actions, at: ranksAt, size: this.slots };
        logProb += plackettLuceLogProb(head.inputs, head.row * this.inputSize + DELEGATION_LOGITS_AT.slots, order);
      }
    }
    if (logProb > Number.NEGATIVE_INFINITY) return logProb;
    const stored = Array.from(actions.subarray(from, from + this.actionSize)).join(", ");
    throw new PraxisError("VALIDATION_ERROR", `The action [${stored}] of row ${head.row} is not legal under its mask.`);
  }

  #entropy(head: HeadRow): number {
    const chances = this.#chances();
    let entropy = entropyOf(this.#meta);
    if (chances.call > 0) entropy += chances.call * entropyOf(this.#mode);
    this.#parameters.forEach((logProbs, k) => {
      entropy += PARAMETER_SHARE * this.#readChance(k, chances) * entropyOf(logProbs);
    });
    if (this.#setAllowed(head)) entropy += SLOT_SHARE * (chances.call + chances.spawn) * this.#set.entropy();
    if (chances.delegate === 0) return entropy;
    entropy += chances.delegate * entropyOf(this.#lead);
    for (let l = 0; l < this.slots; l++) {
      const chance = Math.exp(this.#lead[l]!);
      if (chance > 0 && this.#setConsulted(head, l))
        entropy += SLOT_SHARE * chances.delegate * chance * this.#set.entropy();
    }
    return entropy;
  }

  /** Chances of the meta-actions that need slots; gradients do not pass through them. */
  #chances() {
    return {
      call: Math.exp(this.#meta[CALL]!),
      delegate: Math.exp(this.#meta[DELEGATE]!),
      spawn: Math.exp(this.#meta[SPAWN_PARALLEL]!),
    };
  }

  /** Chance that a parameter is read. */
  #readChance(k: number, { call, delegate, spawn }: { call: number; delegate: number; spawn: number }): number {
    if (k >= 2) return call + delegate + spawn;
    let inMode = 0;
    for (let mode = 0; mode < this.#mode.length; mode++)
      if (readsParameter(k, CALL, mode)) inMode += Math.exp(this.#mode[mode]!);
    return call * inMode;
  }

  /** Points the set at the slots that a call may choose. */
  #setAllowed(head: HeadRow): boolean {
    const at = head.row * this.inputSize + DELEGATION_LOGITS_AT.slots;
    return this.#set.set(head.inputs, at, (j) => this.#isLegal(head, this.#maskAt.slots + j));
  }

  /** Points the set at those whom a lead may consult. */
  #setConsulted(head: HeadRow, lead: number): boolean {
    const at = head.row * this.inputSize + DELEGATION_LOGITS_AT.slots;
    return this.#set.set(head.inputs, at, (j) => this.#mayConsult(head, lead, j));
  }

  #hasSlot(head: HeadRow): boolean {
    for (let j = 0; j < this.slots; j++) if (this.#isLegal(head, this.#maskAt.slots + j)) return true;
    return false;
  }

  #isLead(head: HeadRow, lead: number): boolean {
    if (!this.#isLegal(head, this.#maskAt.leads + lead)) return false;
    for (let j = 0; j < this.slots; j++) if (this.#mayConsult(head, lead, j)) return true;
    return false;
  }

  #mayConsult(head: HeadRow, lead: number, j: number): boolean {
    return j !== lead && this.#isLegal(head, this.#maskAt.consult + lead * this.slots + j);
  }

  /** Entry `at` of the row's mask. */
  #isLegal({ masks, row }: HeadRow, at: number): boolean {
    return masks === null || masks[row * this.maskSize + at] !== 0;
  }

  #leadOf(actions: Float32Array, from: number): number {
    for (let j = 0; j < this.slots; j++) if (actions[from + ACTION_AT.ranks + j] === 1) return j;
    return -1;
  }
}
