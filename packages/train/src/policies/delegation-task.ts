import { type EnvDefinition, flatSize, PraxisError } from "@praxis/env";
import type { RecordedDecision } from "../recorded-small-policy.ts";
import type { DecisionTask, LastResult } from "../small-policy.ts";
import {
  DELEGATION_MODES,
  fromActionVector,
  META_ACTIONS,
  PARAMETER_BINS,
  type SlotMask,
} from "./delegation-action.ts";
import { delegationMaskAt, readDelegationMask } from "./delegation-mask.ts";
import type { DelegationPolicy } from "./delegation-policy.ts";

/** An action of an orchestrator by names, as people and scripts write it; `slots` in order, a lead first. */
interface NamedAction {
  readonly meta: string;
  readonly slots?: readonly number[];
  readonly mode?: string;
  readonly params?: {
    readonly rounds?: number;
    readonly threshold?: number;
    readonly timeBudgetMs?: number | null;
    readonly contextEntries?: number;
  };
}

/**
 * How a {@link DelegationPolicy} with factored actions meets its environment: for cloning scripts and for groups. Throws
 * INVALID_CONFIG for a definition without a box observation space that fits.
 */
export function makeDelegationTask(
  definition: EnvDefinition,
  policy: DelegationPolicy,
): DecisionTask<RecordedDecision> {
  const { observationSpace, id } = definition;
  if (observationSpace?.kind !== "box" || flatSize(observationSpace) !== policy.inputs)
    throw new PraxisError("INVALID_CONFIG", `'${id}' has no box observationSpace of ${policy.inputs} numbers.`);
  const { distribution, slots } = policy;
  const recorder = policy.makeRecorder();
  const maskAt = delegationMaskAt(slots);
  return {
    decisionOf({ observation, info }: LastResult) {
      const numbers = definition.encodeObservation?.(observation, info) ?? observation;
      const mask = new Uint8Array(distribution.maskSize);
      distribution.readMask(info, mask, 0);
      return { record: recorder.record(Float32Array.from(numbers as ArrayLike<number>), info), mask };
    },
    actionOf(choice, _decision, last) {
      const vector = distribution.toSpaceValue(choice, 0);
      return definition.decodeAction?.(vector, last) ?? vector;
    },
    choiceOf(action, _decision, last) {
      const legal = new Uint8Array(maskAt.size);
      readDelegationMask(last.info, slots, legal, 0);
      const mask = {
        slots: legal.subarray(maskAt.slots, maskAt.modes),
        leads: legal.subarray(maskAt.leads, maskAt.consult),
        consult: legal.subarray(maskAt.consult),
      };
      const choice = choiceOf(action, slots, mask, last.info.slaMs);
      if (choice === null) return null;
      return { choice, isLegal: isLegal(choice, legal, maskAt) };
    },
  };
}

/** Whether meta-action and mode are; slots that are not were dropped when the choice was read. */
function isLegal(choice: Float32Array, mask: Uint8Array, at: ReturnType<typeof delegationMaskAt>): boolean {
  const [meta, mode] = [choice[0]!, choice[1]!];
  return mask[at.meta + meta] === 1 && (meta !== 0 || mask[at.modes + mode] === 1);
}

/** The choice that an action by vector or by names stands for; null where the policy has none. */
function choiceOf(action: unknown, slots: number, mask: SlotMask, slaMs: unknown): Float32Array | null {
  const { vector } = action as { readonly vector?: ArrayLike<number> };
  if (vector !== undefined) return fromActionVector(vector, slots, mask);
  if (Array.isArray(action)) return fromActionVector(action, slots, mask);
  const named = action as NamedAction;
  const meta = META_ACTIONS.indexOf(named.meta as (typeof META_ACTIONS)[number]);
  const mode = DELEGATION_MODES.indexOf((named.mode ?? "sequential") as (typeof DELEGATION_MODES)[number]);
  if (meta < 0 || mode < 0) return null;
  const { rounds = 3, threshold = 1, timeBudgetMs = null, contextEntries = 5 } = named.params ?? {};
  const scores = new Array<number>(slots).fill(-1);
  named.slots?.forEach((slot, k) => {
    scores[slot] = 1 - k / slots;
  });
  // A time budget is a share of the task's deadline; without knowing that it can't be told.
  if (timeBudgetMs !== null && typeof slaMs !== "number") return null;
  const budget = timeBudgetMs === null ? 1 : Math.min(0.75, Math.max(0, timeBudgetMs / (slaMs as number) - 0.25));
  const parameters = [(rounds - 1) / (PARAMETER_BINS - 1), 2 * threshold - 1, budget, contextEntries / 5];
  return fromActionVector([meta, ...scores, mode, ...parameters], slots, mask);
}
