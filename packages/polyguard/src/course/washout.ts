import type { Drug } from "../kb/types.ts";

const has = (drug: Drug, group: string): boolean => drug.groups.includes(group);

/**
 * Days between the last dose of one drug and the first of the next that the labels ask for; 0 when the next may start
 * at once. MAO inhibitor beside a serotonergic drug 14 d either way (fluoxetine 35 d before one), ACE inhibitor to
 * sacubitril 36 h, warfarin to a DOAC 5 d (sooner once the INR is below 2). Source: FDA labels.
 */
export function washoutDays(from: Drug, to: Drug): number {
  const isMaoPair = has(from, "MAOI") || has(from, "MAOB") || has(to, "MAOI") || has(to, "MAOB");
  if (isMaoPair) {
    const isToMao = has(to, "MAOI") || has(to, "MAOB");
    const other = isToMao ? from : to;
    const isSerotonergic = has(other, "SEROTONERGIC") || has(other, "MAOI") || has(other, "MAOB");
    if (!isSerotonergic || from.index === to.index) return 0;
    return isToMao && from.drugId === "fluoxetine" ? 35 : 14;
  }
  if ((has(from, "ACEI") && has(to, "ARNI")) || (has(from, "ARNI") && has(to, "ACEI"))) return 1.5;
  if (has(from, "VKA") && has(to, "DOAC")) return 5;
  return 0;
}

/** INR below which a DOAC may follow warfarin at once. Source: FDA labels of the DOACs. */
export const INR_BELOW_FOR_DOAC = 2;
