import type { Scenario } from "../scenario/types.ts";

/** Subgroups that results are told apart by. */
export const SUBGROUPS = ["age >= 80", "female", "male", "CrCl < 30", "dementia", "frailty >= 6"] as const;

/** Subgroups of a scenario's patient, in the order of {@link SUBGROUPS}. */
export function subgroupsOf({ patient, initial }: Scenario): readonly string[] {
  const belongs: Readonly<Record<(typeof SUBGROUPS)[number], boolean>> = {
    "age >= 80": patient.ageYears >= 80,
    female: patient.sex === "F",
    male: patient.sex === "M",
    "CrCl < 30": initial.physiology.creatinineClearanceMlPerMin < 30,
    dementia: initial.conditions.some(({ code, severity }) => code === "DEMENTIA" && severity > 0),
    "frailty >= 6": patient.frailtyCfs >= 6,
  };
  return SUBGROUPS.filter((name) => belongs[name]);
}
