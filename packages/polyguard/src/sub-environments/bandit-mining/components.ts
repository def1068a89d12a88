import type { ActionPayload } from "../../actions/types.ts";
import type { Components } from "../../reward/settings.ts";
import { scoreDeclared } from "./declaration.ts";
import type { MiningInstance } from "./instance.ts";
import { populationOf, riskRank } from "./population.ts";
import { meanRisk } from "./risk.ts";
import { combinationKey, type MiningState, positionsOf } from "./state.ts";

/** A combination is worth this many probes; later ones teach nothing that is paid for. */
const PAID_PROBES = 3;

/**
 * Components of a mining step. Safety is the rank of what is probed in the population's risks (declaring: the task score),
 * burden and disease stand still, dosing quality is the task score so far, calibration holds the confidence of a declaration
 * against its precision, and deciding is always right, as nothing speaks for waiting.
 */
export function miningComponents(
  instance: MiningInstance,
  state: MiningState,
  payload: ActionPayload | null,
  confidence: number,
): Partial<Components> {
  const declared = payload?.type === "DECLARE_FINDINGS" ? scoreDeclared(instance, payload.findings) : null;
  const isDeciding = declared !== null || payload?.type === "PROBE_COMBINATION";
  return {
    safety_delta_score:
      payload?.type === "PROBE_COMBINATION"
        ? probeValue(instance, state, payload.combinations)
        : (declared?.fHalf ?? 0),
    burden_improvement_score: 0.5,
    disease_stability_score: 0.6,
    dosing_quality_score: declared?.fHalf ?? 0,
    abstention_quality_score: isDeciding ? 1 : 0.1,
    uncertainty_calibration_score: declared === null ? 0.5 : calibration(confidence, declared.precision),
  };
}

/** Mean rank of the probed risks in the population, 0-1; nothing from the fourth probe of one combination on. */
function probeValue(
  instance: MiningInstance,
  { keys }: MiningState,
  combinations: readonly (readonly string[])[],
): number {
  const population = populationOf(instance);
  const times = new Map<string, number>();
  let sum = 0;
  for (const combination of combinations) {
    const key = combinationKey(combination);
    // Counted when asked: a table of counts would be copied at every step, as states are values.
    const nth = (times.get(key) ?? countOf(keys, key)) + 1;
    times.set(key, nth);
    if (nth > PAID_PROBES) continue;
    sum += riskRank(population, meanRisk(instance, positionsOf(instance, combination)));
  }
  return sum / combinations.length;
}

function countOf(keys: readonly string[], key: string): number {
  let count = 0;
  for (const each of keys) if (each === key) count++;
  return count;
}

/** Expected quadratic score of c13 when a share `precision` of what was declared is right. */
function calibration(confidence: number, precision: number): number {
  return precision * (1 - (1 - confidence) ** 2 / 2) + ((1 - precision) * (1 - confidence ** 2)) / 2;
}
