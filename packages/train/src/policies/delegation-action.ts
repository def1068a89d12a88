import { PraxisError } from "@praxis/env";

/** Meta-actions of an orchestrator, in the order of their numbers. */
export const META_ACTIONS = [
  "callSpecialist",
  "stop",
  "callMediator",
  "clarifyTask",
  "delegateSubtask",
  "retryFailed",
  "parallelSpawn",
  "spawnSpecialist",
] as const;

/** Modes of `callSpecialist`, in the order of their numbers. */
export const DELEGATION_MODES = [
  "sequential",
  "parallel",
  "fanOutReduce",
  "iterative",
  "conditional",
  "priorityQueue",
  "broadcast",
] as const;

/** Numbers of the meta-actions that need specialists. */
export const CALL = 0;
export const DELEGATE = 4;
export const SPAWN_PARALLEL = 6;

/** Whether a meta-action needs a selection of slots. */
export function needsSelection(meta: number): boolean {
  return meta === CALL || meta === DELEGATE || meta === SPAWN_PARALLEL;
}

/** Mode parameters in the order of the action vector: each is one of {@link PARAMETER_BINS} values from 0 to 1. */
export const PARAMETERS = ["rounds", "threshold", "timeBudget", "context"] as const;
/** Values 0, ¼, ½, ¾, 1. */
export const PARAMETER_BINS = 5;

const SEQUENTIAL = 0;
const ITERATIVE = 3;
const CONDITIONAL = 4;
const PRIORITY_QUEUE = 5;

/** Whether the order of the chosen matters in a mode. */
export function readsOrder(mode: number): boolean {
  return mode === SEQUENTIAL || mode === ITERATIVE || mode === CONDITIONAL;
}

/** Whether an action of `meta` (with `mode`, for calls) reads a parameter: the time and context budgets hold for every call. */
export function readsParameter(parameter: number, meta: number, mode: number): boolean {
  if (parameter >= 2) return needsSelection(meta);
  if (meta !== CALL) return false;
  return mode === ITERATIVE || (parameter === 1 && (mode === CONDITIONAL || mode === PRIORITY_QUEUE));
}

/** Bins of parameters that nobody reads: 3 rounds, a threshold of 1, no time budget, 5 scratchpad entries. */
export const ABSENT_BINS: readonly number[] = [2, 4, 4, 4];

/**
 * Where the parts of a stored action stand: meta-action, mode, the bins of the parameters, then by slot 0 or its place in the
 * order (from 1). Whoever leads a `delegateSubtask` is first.
 */
export const ACTION_AT = { meta: 0, mode: 1, parameters: 2, ranks: 2 + PARAMETERS.length } as const;

/** Where the parts of the action vector for the environment stand: meta-action, scores by slot, mode, parameters. */
function vectorAt(slots: number) {
  return { meta: 0, scores: 1, mode: 1 + slots, parameters: 2 + slots };
}

/** Numbers of the action vector. */
export function actionVectorSize(slots: number): number {
  return 2 + slots + PARAMETERS.length;
}

/** Bounds of the action vector, entry by entry. */
export function actionVectorBounds(slots: number): { readonly low: number[]; readonly high: number[] } {
  const scores = (value: number) => new Array<number>(slots).fill(value);
  const share = (value: number) => new Array<number>(PARAMETERS.length).fill(value);
  return {
    low: [0, ...scores(-1), 0, ...share(0)],
    high: [META_ACTIONS.length - 1, ...scores(1), DELEGATION_MODES.length - 1, ...share(1)],
  };
}

/**
 * The action vector: exact numbers for choices, values of bins, and scores 1 − k / slots for the slot chosen k-th (from 0), −1 for
 * the others, so that set and order survive decoding.
 */
export function toActionVector(actions: Float32Array, row: number, slots: number): number[] {
  const from = row * (ACTION_AT.ranks + slots);
  const scores = Array.from({ length: slots }, (_, j) => {
    const rank = actions[from + ACTION_AT.ranks + j]!;
    return rank === 0 ? -1 : 1 - (rank - 1) / slots;
  });
  const parameters = PARAMETERS.map((_, k) => actions[from + ACTION_AT.parameters + k]! / (PARAMETER_BINS - 1));
  return [actions[from + ACTION_AT.meta]!, ...scores, actions[from + ACTION_AT.mode]!, ...parameters];
}

/** Which choices of a `delegateSubtask` and of the others a mask allows; `consult` is [slots, slots], row: the lead. */
export interface SlotMask {
  readonly slots: ArrayLike<number>;
  readonly leads: ArrayLike<number>;
  readonly consult: ArrayLike<number>;
}

const halfUp = (x: number, high: number): number => Math.floor(Math.min(high, Math.max(0, x)) + 0.5);

/**
 * The stored action that an action vector stands for: choices rounded half up, a slot chosen where its score is above 0 and the
 * mask allows it (else the allowed one of highest score), what is not read as when absent, parameters at the nearest bin. The
 * opposite of {@link toActionVector}. Returns null when no allowed slot is left. Throws VALIDATION_ERROR for a wrong length.
 */
export function fromActionVector(vector: ArrayLike<number>, slots: number, mask: SlotMask): Float32Array | null {
  if (vector.length !== actionVectorSize(slots))
    throw new PraxisError(
      "VALIDATION_ERROR",
      `An action vector for ${slots} slots has ${actionVectorSize(slots)} numbers, not ${vector.length}.`,
    );
  const at = vectorAt(slots);
  const choice = new Float32Array(ACTION_AT.ranks + slots);
  const meta = halfUp(vector[at.meta]!, META_ACTIONS.length - 1);
  const mode = meta === CALL ? halfUp(vector[at.mode]!, DELEGATION_MODES.length - 1) : 0;
  choice[ACTION_AT.meta] = meta;
  choice[ACTION_AT.mode] = mode;
  PARAMETERS.forEach((_, k) => {
    choice[ACTION_AT.parameters + k] = readsParameter(k, meta, mode)
      ? halfUp(vector[at.parameters + k]! * (PARAMETER_BINS - 1), PARAMETER_BINS - 1)
      : ABSENT_BINS[k]!;
  });
  if (!needsSelection(meta)) return choice;
  const score = (j: number): number => vector[at.scores + j]!;
  const best = (allowed: (j: number) => boolean): number => {
    let found = -1;
    for (let j = 0; j < slots; j++) if (allowed(j) && (found < 0 || score(j) > score(found))) found = j;
    return found;
  };
  const isLead = (j: number): boolean => mask.leads[j] !== 0;
  const chosenLead = meta === DELEGATE ? best((j) => isLead(j) && score(j) > 0) : -1;
  const lead = meta === DELEGATE && chosenLead < 0 ? best(isLead) : chosenLead;
  if (meta === DELEGATE && lead < 0) return null;
  const allows = (j: number): boolean =>
    meta === DELEGATE ? mask.consult[lead * slots + j] !== 0 && j !== lead : mask.slots[j] !== 0;
  const chosen = Array.from({ length: slots }, (_, j) => j).filter((j) => allows(j) && score(j) > 0);
  if (chosen.length === 0) {
    const fallback = best(allows);
    if (fallback < 0) return null;
    chosen.push(fallback);
  }
  if (meta === CALL && readsOrder(mode)) chosen.sort((a, b) => score(b) - score(a) || a - b);
  const order = meta === DELEGATE ? [lead, ...chosen] : chosen;
  order.forEach((j, k) => {
    choice[ACTION_AT.ranks + j] = k + 1;
  });
  return choice;
}
