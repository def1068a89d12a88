import { TOXIC_ABOVE } from "../actions/dose-limits.ts";
import { targetDose, usualDoseMax } from "../kb/dose-grid.ts";
import { drugAt } from "../kb/lookup.ts";
import { judgeRenalRule } from "../kb/renal-dose.ts";
import type { Chart } from "../policies/chart.ts";

/** What may be advised about a dose. */
export const DOSE_ADVICE = ["keep", "reduce", "stop", "hold", "check"] as const;

/** One of {@link DOSE_ADVICE}. */
type DoseAdvice = (typeof DOSE_ADVICE)[number];

/** A row of the dose table; doses in the unit of the drug's row. */
export interface DoseRow {
  readonly medRef: string;
  readonly drugId: string;
  readonly dosePerDay: number;
  readonly usual: readonly [target: number, highest: number];
  /** By the renal rule and the absolute maximum; null = no limit known. */
  readonly cap: number | null;
  readonly level: { readonly code: string; readonly value: number; readonly isToxic: boolean } | null;
  readonly advice: DoseAdvice;
}

/** Holds each dose against its range, the kidneys as known and the last level. */
export function tabulateDoses({ kb, legality }: Chart): readonly DoseRow[] {
  return legality.listed.map((medication): DoseRow => {
    const drug = drugAt(kb, medication.drugIndex);
    const { doseCap, isStartForbidden } = judgeRenalRule(drug, legality.renal);
    const { lastLevel, dosePerDay, medRef } = medication;
    const toxic = lastLevel === null ? undefined : TOXIC_ABOVE[lastLevel.code];
    const level =
      lastLevel === null
        ? null
        : { code: lastLevel.code, value: lastLevel.value, isToxic: toxic !== undefined && lastLevel.value > toxic };
    const isOver = doseCap !== null && dosePerDay > doseCap;
    return {
      medRef,
      drugId: drug.drugId,
      dosePerDay,
      usual: [targetDose(drug), usualDoseMax(drug)],
      cap: doseCap,
      level,
      advice: adviceOf(level, {
        isOver,
        isForbidden: isStartForbidden && isOver && doseCap === 0,
        needsLevel: drug.isNarrowTi,
      }),
    };
  });
}

function adviceOf(
  level: DoseRow["level"],
  {
    isOver,
    isForbidden,
    needsLevel,
  }: { readonly isOver: boolean; readonly isForbidden: boolean; readonly needsLevel: boolean },
): DoseAdvice {
  if (level?.isToxic === true) return "hold";
  if (isForbidden) return "stop";
  if (isOver) return "reduce";
  return needsLevel && level === null ? "check" : "keep";
}
