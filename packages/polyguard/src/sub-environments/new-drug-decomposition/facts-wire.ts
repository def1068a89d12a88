import { RISK_COLUMNS, type RiskColumn } from "../../kb/domains.ts";
import { type EnzymeLevels, NEW_DRUG_ENZYMES, type NewDrugEnzyme } from "../../new-drug/components.ts";
import type { NewDrugFact } from "../../new-drug/evidence-units.ts";
import type { NewDrugBlock } from "./block-schema.ts";

type WireFact = NewDrugBlock["facts"][number];
type WireValue = WireFact["value"];

/** A fact as the observation carries it; keys are those of a decomposition where there is one. */
export function factToWire(fact: NewDrugFact): WireFact {
  switch (fact.kind) {
    case "phenotyping":
      return {
        kind: fact.kind,
        value: {
          ...prefixed("fm", fact.fm, () => true),
          ...prefixed("inh", fact.inhibits, (level) => level > 0),
          ...prefixed("ind", fact.induces, (level) => level > 0),
        },
      };
    case "ddi":
      return { kind: fact.kind, value: { perpetrator: fact.perpetrator, auc_ratio: fact.ratio } };
    case "renal":
      return { kind: fact.kind, value: { crcl: fact.crClMlPerMin, auc_ratio: fact.ratio } };
    case "qt":
      return { kind: fact.kind, value: { qt: fact.level } };
    case "transporter":
      return { kind: fact.kind, value: { pgp: fact.pgp } };
    case "class": {
      const points = RISK_COLUMNS.filter((column) => fact.risk[column] > 0).map((column) => [
        column,
        fact.risk[column],
      ]);
      return {
        kind: fact.kind,
        value: { resembles: fact.resembles, narrow_ti: fact.isNarrowTi, ...Object.fromEntries(points) },
      };
    }
  }
}

function prefixed(prefix: string, values: EnzymeLevels, isShown: (value: number) => boolean): WireValue {
  const shown = NEW_DRUG_ENZYMES.filter((enzyme) => isShown(values[enzyme]));
  return Object.fromEntries(shown.map((enzyme) => [`${prefix}_${enzyme}`, values[enzyme]]));
}

/** Reads a fact back; null for a level, which is no study, and for anything that is not whole. */
export function factFromWire({ kind, value }: WireFact): NewDrugFact | null {
  const number = (key: string): number => (typeof value[key] === "number" ? value[key] : 0);
  const text = (key: string): string => (typeof value[key] === "string" ? value[key] : "");
  const byEnzyme = (prefix: string): Readonly<Record<NewDrugEnzyme, number>> =>
    Object.fromEntries(NEW_DRUG_ENZYMES.map((enzyme) => [enzyme, number(`${prefix}_${enzyme}`)])) as Record<
      NewDrugEnzyme,
      number
    >;
  switch (kind) {
    case "phenotyping":
      return { kind, fm: byEnzyme("fm"), inhibits: byEnzyme("inh"), induces: byEnzyme("ind") };
    case "ddi":
      return { kind, perpetrator: text("perpetrator"), ratio: number("auc_ratio") };
    case "renal":
      return { kind, crClMlPerMin: number("crcl"), ratio: number("auc_ratio") };
    case "qt":
      return { kind, level: number("qt") };
    case "transporter":
      return { kind, pgp: number("pgp") };
    case "class": {
      const risk = Object.fromEntries(RISK_COLUMNS.map((column) => [column, number(column)]));
      return {
        kind,
        resembles: text("resembles"),
        risk: risk as Record<RiskColumn, number>,
        isNarrowTi: value.narrow_ti === true,
      };
    }
    case "level":
      return null;
  }
}
