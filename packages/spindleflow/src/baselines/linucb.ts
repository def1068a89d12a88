import type { TaskReward } from "../engine/reward.ts";
import type { SpindleFlowParts } from "../env.ts";
import { decide } from "../names.ts";
import { playShift } from "./evaluate.ts";
import { FEATURES, featuresOf } from "./linucb-rule.ts";
import { callable, type Script } from "./script.ts";

/**
 * A linear bandit with upper confidence bounds, one weight vector for all arms. Source: Li, Chu, Langford, Schapire 2010,
 * LinUCB; the inverse is kept by Sherman and Morrison's formula, the ridge is 1.
 */
export class LinearBandit {
  readonly #size: number;
  /** Inverse of I + Σ x xᵀ, [size, size]. */
  readonly #inverse: Float64Array;
  /** Σ reward · x. */
  readonly #sums: Float64Array;

  constructor(size: number) {
    this.#size = size;
    this.#inverse = new Float64Array(size * size);
    for (let i = 0; i < size; i++) this.#inverse[i * size + i] = 1;
    this.#sums = new Float64Array(size);
  }

  /** Ridge estimate of the weights. */
  weights(): number[] {
    return this.#times(this.#sums);
  }

  /** Expected reward of an arm plus `alpha` standard errors of it. */
  bound(x: ArrayLike<number>, alpha: number): number {
    const projected = this.#times(x);
    let mean = 0;
    let variance = 0;
    for (let i = 0; i < this.#size; i++) {
      mean += projected[i]! * this.#sums[i]!;
      variance += projected[i]! * x[i]!;
    }
    return mean + alpha * Math.sqrt(variance);
  }

  /** Learns what an arm paid. */
  learn(x: ArrayLike<number>, reward: number): void {
    const projected = this.#times(x);
    let scale = 1;
    for (let i = 0; i < this.#size; i++) {
      scale += projected[i]! * x[i]!;
      this.#sums[i] = this.#sums[i]! + reward * x[i]!;
    }
    for (let i = 0; i < this.#size; i++)
      for (let j = 0; j < this.#size; j++) {
        const at = i * this.#size + j;
        this.#inverse[at] = this.#inverse[at]! - (projected[i]! * projected[j]!) / scale;
      }
  }

  #times(x: ArrayLike<number>): number[] {
    return Array.from({ length: this.#size }, (_, i) => {
      let sum = 0;
      for (let j = 0; j < this.#size; j++) sum += this.#inverse[i * this.#size + j]! * x[j]!;
      return sum;
    });
  }
}

/** One call of the slot with the highest bound, then stop; learns the task's R if told to. */
function banditScript(bandit: LinearBandit, alpha: number, learns: boolean): Script {
  let chosen: number[] | null = null;
  return {
    choose(scene) {
      if (scene.state.run.callCount > 0) return decide("stop");
      let best = -1;
      let highest = Number.NEGATIVE_INFINITY;
      for (const slot of callable(scene)) {
        const bound = bandit.bound(featuresOf(scene, slot), alpha);
        if (bound <= highest) continue;
        best = slot;
        highest = bound;
      }
      chosen = featuresOf(scene, best);
      return decide("callSpecialist", [best]);
    },
    seen(_before, _after, info) {
      const paid = info.reward as TaskReward | undefined;
      if (!learns || paid === undefined || chosen === null) return;
      bandit.learn(chosen, paid.reward);
    },
  };
}

/** Width of the bound while learning. `assumption:` R has a standard deviation of about a third; one of them. */
const ALPHA = 0.3;

/**
 * The baseline `linucb`: learns over shifts which single call pays, then calls by its frozen estimate. The seeds learnt on
 * must not be those that it is evaluated on. @param firstSeed of the shifts learnt on
 */
export function trainLinUcb(
  parts: SpindleFlowParts,
  { shifts, firstSeed }: { readonly shifts: number; readonly firstSeed: number },
): { readonly weights: readonly number[]; makeScript(): Script } {
  const bandit = new LinearBandit(FEATURES);
  for (let seed = firstSeed; seed < firstSeed + shifts; seed++)
    playShift(parts, banditScript(bandit, ALPHA, true), seed);
  return { weights: bandit.weights(), makeScript: () => banditScript(bandit, 0, false) };
}
