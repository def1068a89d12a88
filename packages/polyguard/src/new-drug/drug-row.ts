import { isDerivedGroup } from "../kb/derived-groups.ts";
import { RISK_COLUMNS, type RiskColumn } from "../kb/domains.ts";
import type { Drug, EnzymeStrength, QtRisk } from "../kb/types.ts";
import type { NewDrugRow } from "../kb/with-drug.ts";
import { type EnzymeLevels, NEW_DRUG_ENZYMES, type NewDrugComponents } from "./components.ts";

/** Usual dose of a new drug and the steps of its grid, mg/d: the percents of the start plans. */
export const USUAL_DOSE = 100;
const DOSE_STEP = 25;

/** Half-life of a new drug, hours. assumption: once daily. */
const HALF_LIFE_H = 12;

/** What everybody may know of a new drug. */
export interface NewDrugIdentity {
  readonly drugId: string;
  readonly name: string;
  readonly classText: string;
  readonly indication: string;
}

const NO_RISK = Object.fromEntries(RISK_COLUMNS.map((column) => [column, 0])) as Readonly<Record<RiskColumn, number>>;

/** The row of a new drug of which nothing is known but name, indication and dose. */
export function knownRow({ drugId, name, classText, indication }: NewDrugIdentity): NewDrugRow {
  return {
    drugId,
    genericName: name,
    atc: null,
    rxcui: null,
    drugClass: classText,
    groups: ["NEW_DRUG"],
    route: "PO",
    form: "cap",
    doseMin: DOSE_STEP,
    doseMax: USUAL_DOSE,
    doseUnit: "mg/d",
    maxDaily: USUAL_DOSE,
    isMaxPerKg: false,
    maxDailyAge65: null,
    dosesPerDay: 1,
    strengths: [DOSE_STEP],
    strengthUnit: "dose",
    renalRule: { clauses: [], isByLevel: false, hasAfRule: false },
    feRenal: null,
    halfLifeH: HALF_LIFE_H,
    substrates: [],
    prodrug: null,
    fmConfidence: null,
    inhibits: [],
    induces: [],
    transporters: [],
    qtRisk: null,
    acb: 0,
    risk: NO_RISK,
    beers: [],
    taperClass: "NONE",
    taperIfDaysGt: null,
    isNarrowTi: false,
    monitoring: [],
    indications: [indication],
    stopHarm: 0,
    source: "generated",
    notes: "",
  };
}

/** How the true or a believed row differs from what everybody knows. */
export interface RowFacts
  extends Pick<NewDrugComponents, "fm" | "fe" | "pgp" | "inhibits" | "induces" | "qt" | "isNarrowTi" | "risk" | "acb"> {
  /** Drug of the knowledge base whose class it is of; null = not known. */
  readonly resembles: Drug | null;
  /** Dose that suffices in the patient, mg/d. */
  readonly sufficientDose: number;
}

/** The row with its components. It belongs to the class of the drug that it resembles. */
export function componentRow(identity: NewDrugIdentity, facts: RowFacts): NewDrugRow {
  const row = knownRow(identity);
  const { fm, fe, pgp, inhibits, induces, qt, isNarrowTi, risk, acb, resembles, sufficientDose } = facts;
  const substrates = NEW_DRUG_ENZYMES.filter((enzyme) => fm[enzyme] > 0).map((enzyme) => ({
    enzyme,
    fraction: fm[enzyme],
  }));
  return {
    ...row,
    groups: resembles === null ? row.groups : resembles.groups.filter((group) => !isDerivedGroup(group)),
    doseMin: Math.min(USUAL_DOSE, Math.max(DOSE_STEP, sufficientDose)),
    feRenal: fe,
    substrates,
    fmConfidence: substrates.length === 0 ? null : "L",
    inhibits: effects(inhibits),
    induces: effects(induces),
    transporters: pgp > 0 ? [{ transporter: "P-gp", role: "S" }] : [],
    pgpSensitivity: pgp,
    qtRisk: QT_RISKS[qt]!,
    acb,
    risk,
    isNarrowTi,
  };
}

/** By level 0-3. */
const QT_RISKS: readonly QtRisk[] = ["none", "CR", "PR", "KR"];
const STRENGTHS: readonly EnzymeStrength[] = ["weak", "moderate", "strong"];

function effects(levels: EnzymeLevels): readonly { readonly enzyme: string; readonly strength: EnzymeStrength }[] {
  return NEW_DRUG_ENZYMES.filter((enzyme) => levels[enzyme] > 0).map((enzyme) => ({
    enzyme,
    strength: STRENGTHS[levels[enzyme] - 1]!,
  }));
}
