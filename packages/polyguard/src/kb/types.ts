import type { RuleCondition } from "./condition.ts";
import type { InteractionDomain, ManagementCode, RiskColumn, Severity, TaperClass } from "./domains.ts";
import type { RenalRule } from "./renal-rule.ts";

/** Unit of every dose column of a drug row; mg/wk means per week. */
export type DoseUnit = "mg/d" | "mg/wk" | "mcg/d" | "U/d";

/** Strength of enzyme inhibition or induction after the FDA definitions. */
export type EnzymeStrength = "weak" | "moderate" | "strong";

/** One enzyme with a number: fraction metabolised, or share of the effect that needs activation. */
export interface EnzymeFraction {
  readonly enzyme: string;
  readonly fraction: number;
}

/** One enzyme (or P-gp) that a drug inhibits or induces. */
export interface EnzymeEffect {
  readonly enzyme: string;
  readonly strength: EnzymeStrength;
}

/** Transporter and role: S substrate, Inh inhibitor, InhW weak inhibitor. */
export interface TransporterRole {
  readonly transporter: string;
  readonly role: "S" | "Inh" | "InhW";
}

/** One entry of the Beers column; `conditions` only for AVOID_COND. */
export interface BeersEntry {
  readonly kind: "AVOID" | "AVOID_COND" | "CAUTION" | "RENAL" | "DDI";
  readonly text: string;
  readonly conditions: readonly string[];
}

/** Unit in which strengths are printed; "dose" = the unit of the dose columns. */
export type StrengthUnit = "dose" | "mcg/h" | "U/mL" | "mg/mL" | "mg/puff";

/** CredibleMeds category; null = not sure. */
export type QtRisk = "KR" | "PR" | "CR" | "none";

/** One drug of the knowledge base. Dose numbers are in `doseUnit`. */
export interface Drug {
  /** Row number, 0-based; the integer every hot table is keyed by. */
  readonly index: number;
  readonly drugId: string;
  readonly genericName: string;
  readonly atc: string | null;
  readonly rxcui: string | null;
  readonly drugClass: string;
  /** Typed groups, then the derived ones, in a fixed order. The first is the class proper. */
  readonly groups: readonly string[];
  readonly route: string;
  readonly form: string;
  readonly doseMin: number;
  readonly doseMax: number;
  readonly doseUnit: DoseUnit;
  /** Absolute daily (weekly) limit; null = individualised. Gentamicin: per kg of body weight, see `isMaxPerKg`. */
  readonly maxDaily: number | null;
  readonly isMaxPerKg: boolean;
  readonly maxDailyAge65: number | null;
  readonly dosesPerDay: number;
  readonly strengths: readonly number[];
  readonly strengthUnit: StrengthUnit;
  readonly renalRule: RenalRule;
  readonly feRenal: number | null;
  readonly halfLifeH: number | null;
  readonly substrates: readonly EnzymeFraction[];
  /** Share of the effect that needs activation by the enzyme; null = no prodrug. */
  readonly prodrug: EnzymeFraction | null;
  readonly fmConfidence: "H" | "M" | "L" | null;
  readonly inhibits: readonly EnzymeEffect[];
  readonly induces: readonly EnzymeEffect[];
  readonly transporters: readonly TransporterRole[];
  /** How strongly P-gp factors reach it, where the row itself tells; else the table of the exposure model. */
  readonly pgpSensitivity?: number;
  readonly qtRisk: QtRisk | null;
  /** Anticholinergic burden 0-3. */
  readonly acb: number;
  readonly risk: Readonly<Record<RiskColumn, number>>;
  readonly beers: readonly BeersEntry[];
  readonly taperClass: TaperClass;
  /** A taper is needed once daily use exceeded this many days; null for NONE. */
  readonly taperIfDaysGt: number | null;
  readonly isNarrowTi: boolean;
  readonly monitoring: readonly string[];
  readonly indications: readonly string[];
  readonly stopHarm: number;
  readonly source: string;
  readonly notes: string;
}

/** One side of an interaction rule. */
export interface RuleSide {
  readonly kind: "drug" | "group";
  readonly name: string;
}

/** One row of the interaction table. */
export interface InteractionRule {
  readonly index: number;
  readonly ruleId: string;
  readonly a: RuleSide;
  readonly b: RuleSide;
  readonly severity: Severity;
  readonly harmDomain: InteractionDomain;
  readonly mechanism: string;
  readonly effect: string;
  /** Side whose exposure or effect changes. */
  readonly object: "a" | "b" | null;
  /** Published exposure ratio of the object, rounded; null = none given. */
  readonly aucrApprox: number | null;
  /** null = always. */
  readonly condition: RuleCondition | null;
  readonly conditionText: string;
  readonly managementCodes: readonly ManagementCode[];
  readonly management: string;
  readonly source: string;
  readonly confidence: "H" | "M" | "L";
}

/** Terminology code of a lab, vital sign or condition. */
export interface CodeEntry {
  readonly kind: "lab" | "condition";
  readonly name: string;
  readonly system: "LOINC" | "ICD-10-CM";
  readonly code: string;
  readonly ucum: string | null;
  readonly snomedCt: string | null;
}

/** The tables as text (UTF-8, tab separated, one header line). */
export interface KnowledgeTables {
  readonly drugs: string;
  readonly interactions: string;
  readonly codes: string;
  /** Other names of drugs; without it only generic names and codes are read. */
  readonly synonyms?: string;
}

/** A name of a drug beside its generic one: a brand, or a name used elsewhere. Lower case. */
export interface Synonym {
  readonly name: string;
  readonly drugIndex: number;
  readonly kind: "brand" | "name";
}

/** The checked knowledge base; immutable. Look drugs up with `findDrug` and `getDrug`. */
export interface KnowledgeBase {
  readonly drugs: readonly Drug[];
  readonly rules: readonly InteractionRule[];
  readonly codes: readonly CodeEntry[];
  readonly drugIndexById: ReadonlyMap<string, number>;
  readonly drugIndexByName: ReadonlyMap<string, number>;
  readonly drugIndexByRxcui: ReadonlyMap<string, number>;
  /** Only codes that stand for one drug of the table. */
  readonly drugIndexByAtc: ReadonlyMap<string, number>;
  readonly synonyms: ReadonlyMap<string, Synonym>;
  /** Members (drug indexes, ascending) of every typed and derived group. */
  readonly groupMembers: ReadonlyMap<string, readonly number[]>;
  /** 16 hex digits over the tables of drugs, interactions and codes. */
  readonly hash: string;
}
