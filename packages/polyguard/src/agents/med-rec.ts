import { drugAt } from "../kb/lookup.ts";
import type { Chart } from "../policies/chart.ts";

/** One item of the reconciled list. */
export interface ReconciledItem {
  readonly medRef: string;
  readonly label: string;
  /** null = the item is not in the drug table and is checked for nothing. */
  readonly drugId: string | null;
  readonly rxcui: string | null;
  readonly atc: string | null;
  readonly isSettled: boolean;
}

/** What medication reconciliation finds. */
export interface MedRecReport {
  readonly items: readonly ReconciledItem[];
  /** What has to be settled, in words. */
  readonly issues: readonly { readonly id: string; readonly text: string }[];
  readonly burden: { readonly drugs: number; readonly acb: number; readonly dbi: number; readonly mrci: number };
}

/** Merges the sources of the list, names its drugs in codes and lists what disagrees. */
export function reconcileList({ kb, known }: Chart): MedRecReport {
  const open = new Set(known.discrepancies.map(({ medRef }) => medRef));
  return {
    items: known.medications.map(({ medRef, label, drugIndex, status }) => {
      const drug = drugIndex === null ? null : drugAt(kb, drugIndex);
      return {
        medRef,
        label,
        drugId: drug?.drugId ?? null,
        rxcui: drug?.rxcui ?? null,
        atc: drug?.atc ?? null,
        isSettled: drug !== null && status !== "unreconciled" && !open.has(medRef),
      };
    }),
    issues: [
      ...known.discrepancies.map(({ id, text }) => ({ id, text })),
      ...known.medications
        .filter(
          ({ drugIndex, status, medRef }) => drugIndex === null || (status === "unreconciled" && !open.has(medRef)),
        )
        .map(({ medRef, label, drugIndex }) => ({
          id: medRef,
          text:
            drugIndex === null
              ? `${label} is not in the drug table and is checked for nothing`
              : `${label} is not reconciled`,
        })),
      ...known.conflicts.filter(({ isOpen }) => isOpen).map(({ id, from, says }) => ({ id, text: `${from}: ${says}` })),
    ],
    burden: known.burden,
  };
}
