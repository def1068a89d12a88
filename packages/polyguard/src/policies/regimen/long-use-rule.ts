import type { MappedMedication } from "../../actions/legality-context.ts";
import { findCascades } from "../../interactions/cascades.ts";
import type { Chart, ChartOffer } from "../chart.ts";
import type { Decision } from "../decision.ts";
import { nameInWords } from "../explain.ts";

/** Days of use after which a drug of a group is looked at again, and what it may be taken for. Source: Beers 2023, STOPP v3. */
const LONG_USE: readonly { readonly group: string; readonly days: number; readonly conditions: readonly string[] }[] = [
  { group: "BZD", days: 28, conditions: ["INSOMNIA", "ANXIETY"] },
  { group: "ZDRUG", days: 28, conditions: ["INSOMNIA"] },
  { group: "ANTIPSYCH", days: 84, conditions: ["BPSD", "INSOMNIA"] },
  { group: "OPIOID", days: 365, conditions: ["PAIN", "OA_PAIN"] },
  { group: "PPI", days: 56, conditions: [] },
];

/** Ends the cause of a prescribing cascade, then what was given for it, and drugs of long use that no longer help. */
export function endLongUse(chart: Chart): Decision | null {
  for (const { causeIndex, treatmentIndex } of findCascades(chart.kb, chart.legality.listed)) {
    const names = `${nameOf(chart, causeIndex)} causes what ${nameOf(chart, treatmentIndex)} is given for`;
    const decision = end(chart, medicationOf(chart, causeIndex), `${names}; the cause goes first.`);
    if (decision !== null) return decision;
  }
  for (const medication of chart.legality.listed) {
    if (!isLongUse(chart, medication)) continue;
    const decision = end(
      chart,
      medication,
      `${nameInWords(chart, medication.medRef)} has been used for long and no longer pays for its risk.`,
    );
    if (decision !== null) return decision;
  }
  return null;
}

function medicationOf(chart: Chart, drugIndex: number): MappedMedication | undefined {
  return chart.legality.listed.find((each) => each.drugIndex === drugIndex);
}

function nameOf(chart: Chart, drugIndex: number): string {
  const medication = medicationOf(chart, drugIndex);
  return medication === undefined ? chart.kb.drugs[drugIndex]!.genericName : nameInWords(chart, medication.medRef);
}

function isLongUse(chart: Chart, { drugIndex, startDay, indication }: MappedMedication): boolean {
  const { groups } = chart.kb.drugs[drugIndex]!;
  const days = startDay === null ? Number.POSITIVE_INFINITY : chart.known.clock.day - startDay;
  return LONG_USE.some(
    ({ group, days: most, conditions }) =>
      groups.includes(group) && days > most && (indication === null || conditions.includes(indication)),
  );
}

/** The offered end of a drug: a swap, its taper or a stop, whichever is legal first. */
function end(chart: Chart, medication: MappedMedication | undefined, reason: string): Decision | null {
  if (medication === undefined || medication.taper !== null) return null;
  const ofType = (type: ChartOffer["payload"]["type"]): ChartOffer | undefined =>
    chart.offers.find(
      ({ payload, isLegal }) =>
        isLegal && payload.type === type && "medRef" in payload && payload.medRef === medication.medRef,
    );
  const offer = ofType("START_TAPER") ?? ofType("STOP_DRUG");
  return offer === undefined ? null : { offer, reason, confidence: 0.55 };
}
