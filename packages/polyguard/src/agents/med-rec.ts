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
  /** How a row without a code was read, in words; null = it has one, or is in no table. */
  readonly readAs: string | null;
}

/** What medication reconciliation finds. */
export interface MedRecReport {
  readonly items: readonly ReconciledItem[];
  /** What has to be settled, in words. */
  readonly issues: readonly { readonly id: string; readonly text: string }[];
  readonly burden: { readonly drugs: number; readonly acb: number; readonly dbi: number; readonly mrci: number };
}

/** Merges the sources of the list, names its drugs in codes, says how rows without a code were read and what disagrees. */
export function reconcileList({ kb, known, observation }: Chart): MedRecReport {
  const open = new Set(known.discrepancies.map(({ medRef }) => medRef));
  const uncoded = new Set(
    observation.medications.flatMap(({ med_ref: medRef, drug_id: id }) => (id === null ? [medRef] : [])),
  );
  const readings = new Map(
    known.medications.flatMap(({ medRef, label, drugIndex }) =>
      drugIndex !== null && uncoded.has(medRef)
        ? [[medRef, `${label} is read as ${drugAt(kb, drugIndex).genericName}`] as const]
        : [],
    ),
  );
  return {
    items: known.medications.map(({ medRef, label, drugIndex, status }) => {
      const drug = drugIndex === null ? null : drugAt(kb, drugIndex);
      return {
        readAs: readings.get(medRef) ?? null,
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
      ...[...readings].map(([id, text]) => ({ id, text })),
      ...known.conflicts.filter(({ isOpen }) => isOpen).map(({ id, from, says }) => ({ id, text: `${from}: ${says}` })),
    ],
    burden: known.burden,
  };
}
