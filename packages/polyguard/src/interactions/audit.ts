import { traitsOf } from "../actions/drug-traits.ts";
import { ExposureModel } from "../engine/exposure.ts";
import { exposureTablesOf } from "../engine/exposure-tables.ts";
import type { HarmDomain, RiskColumn } from "../kb/domains.ts";
import { severityRank } from "../kb/domains.ts";
import type { Drug, KnowledgeBase } from "../kb/types.ts";
import { severityOfRatio } from "./derived-hits.ts";
import { type PairEntry, pairEntries, pairTableOf } from "./pair-table.ts";

/** Something in the tables that a reader has to look at. */
export interface AuditProblem {
  readonly kind: "contradiction" | "gap" | "missing source";
  /** Rule id or drug ids. */
  readonly where: string;
  readonly text: string;
}

/** One pair that no row names and the exposure model derives. */
export interface DerivedPair {
  readonly victim: string;
  readonly perpetrator: string;
  readonly severity: string;
  /** Exposure of the victim as a multiple of its usual one. */
  readonly ratio: number;
}

/** What the audit of the interaction table found. */
export interface KnowledgeAudit {
  readonly drugs: number;
  readonly rules: number;
  readonly pairs: { readonly all: number; readonly listed: number; readonly derived: number };
  /** Pairs by the highest severity of any of their rules, conditions apart. */
  readonly severities: Readonly<Record<"contraindicated" | "major" | "moderate", number>>;
  readonly derived: readonly DerivedPair[];
  readonly problems: readonly AuditProblem[];
}

/** Ratios within these count as no change. */
const NO_CHANGE = [0.8, 1.25] as const;

/** Pharmacodynamic axes: two drugs with this many risk points each, added up, need a rule in one of the domains. */
const AXES: readonly { readonly column: RiskColumn; readonly domains: readonly HarmDomain[] }[] = [
  { column: "serotonergic", domains: ["SEROTONIN", "HTN_CRISIS"] },
  { column: "bleed", domains: ["BLEED", "GI_BLEED"] },
  { column: "hyperkalemia", domains: ["HYPERK", "AKI"] },
  { column: "resp_depress", domains: ["RESP_DEPR", "FALL_SEDATION"] },
  { column: "bradycardia", domains: ["BRADY", "QT", "NTI_TOX"] },
  { column: "seizure_threshold", domains: ["SEIZURE", "SEROTONIN", "HTN_CRISIS", "FALL_SEDATION"] },
  { column: "nephrotoxic", domains: ["AKI", "NTI_TOX", "BLEED", "GI_BLEED"] },
];
const AXIS_POINTS = 2;

/**
 * Holds the interaction table against what follows from the drug table: the exposure model (enzymes, P-gp) for every
 * ordered pair, and the risk columns for additive effects. A problem is a listed rule whose direction or severity the model
 * contradicts, a pair with strong additive risk and no rule, and a row without a source.
 */
export function auditKnowledge(kb: KnowledgeBase): KnowledgeAudit {
  const table = pairTableOf(kb);
  const problems = new Map<string, AuditProblem>();
  const derived: DerivedPair[] = [];
  const severities = { contraindicated: 0, major: 0, moderate: 0 };
  let listed = 0;
  let derivedPairs = 0;
  const model = new ExposureModel(exposureTablesOf(kb));
  const note = (kind: AuditProblem["kind"], where: string, text: string): void => {
    const key = `${kind}/${where}`;
    if (!problems.has(key)) problems.set(key, { kind, where, text });
  };
  for (const first of kb.drugs) {
    for (const second of kb.drugs) {
      if (second.index <= first.index) continue;
      const entries = pairEntries(table, first.index, second.index);
      const worst = entries.reduce<PairEntry | null>(
        (high, each) => (high === null || each.severityRank > high.severityRank ? each : high),
        null,
      );
      if (worst !== null) severities[worst.severity]++;
      if (entries.some(({ isDerived }) => isDerived)) derivedPairs++;
      else if (entries.length > 0) listed++;
      let decided = -1;
      for (const entry of entries) {
        if (entry.isDerived) derived.push(derivedPair(kb, entry));
        else if (entry.domainIndex !== decided) contradictions(kb, model, entry, note);
        decided = entry.domainIndex;
      }
      // Two of one class are a finding of the whole list (RG6), and nothing is missing beside a contraindication.
      if (worst?.severity !== "contraindicated" && !isDuplicateClass(kb, first, second))
        gaps(first, second, entries, note);
    }
  }
  for (const rule of kb.rules) if (rule.source === "") note("missing source", rule.ruleId, "the row names no source");
  for (const drug of kb.drugs) if (drug.source === "") note("missing source", drug.drugId, "the row names no source");
  const n = kb.drugs.length;
  return {
    drugs: n,
    rules: kb.rules.length,
    pairs: { all: (n * (n - 1)) / 2, listed, derived: derivedPairs },
    severities,
    derived: derived.sort((a, b) => b.ratio - a.ratio),
    problems: [...problems.values()],
  };
}

type Note = (kind: AuditProblem["kind"], where: string, text: string) => void;

function derivedPair(kb: KnowledgeBase, { aIndex, bIndex, severity, aucrApprox }: PairEntry): DerivedPair {
  return {
    victim: kb.drugs[aIndex]!.drugId,
    perpetrator: kb.drugs[bIndex]!.drugId,
    severity,
    ratio: aucrApprox!,
  };
}

/** Enzyme and P-gp rules: direction, size and severity against the model. */
function contradictions(kb: KnowledgeBase, model: ExposureModel, entry: PairEntry, note: Note): void {
  const { rule, objectIndex, perpetratorIndex } = entry;
  if (rule === null || objectIndex === null || perpetratorIndex === null) return;
  if (!/^PK: .*(CYP|P-gp|induction)/.test(rule.mechanism) || rule.mechanism.includes("+")) return;
  const victim = kb.drugs[objectIndex]!;
  const perpetrator = kb.drugs[perpetratorIndex]!;
  model.clearPerpetrators();
  model.addPerpetrator(perpetratorIndex, 1);
  const ratio =
    model.isProdrug(objectIndex) && rule.harmDomain === "EFFICACY_LOSS"
      ? model.activationRatio(objectIndex)
      : model.aucr(objectIndex);
  model.clearPerpetrators();
  const pair = `${victim.drugId} with ${perpetrator.drugId}`;
  const isLoss = rule.harmDomain === "EFFICACY_LOSS";
  if (isLoss ? ratio > NO_CHANGE[1] : ratio < NO_CHANGE[0])
    note(
      "contradiction",
      rule.ruleId,
      `${pair}: listed as ${isLoss ? "loss" : "rise"}, the model gives ${ratio.toFixed(2)}`,
    );
  // The size of a class row is that of its strongest member.
  if (rule.aucrApprox !== null && ratio !== 1 && rule.a.kind === "drug" && rule.b.kind === "drug") {
    const steps = Math.abs(classOf(ratio) - classOf(rule.aucrApprox));
    if (steps > 1)
      note(
        "contradiction",
        rule.ruleId,
        `${pair}: listed ratio ${rule.aucrApprox}, the model gives ${ratio.toFixed(2)}`,
      );
  }
  const modelled = severityOfRatio(ratio, victim.isNarrowTi);
  if (modelled !== null && entry.conditionId < 0 && severityRank(modelled.severity) > entry.severityRank + 1)
    note(
      "contradiction",
      `${rule.ruleId} ${pair}`,
      `listed as ${rule.severity}, the model's ratio ${ratio.toFixed(2)} is ${modelled.severity}`,
    );
}

/** Class of an exposure change by the FDA limits: -3 strong loss ... 3 strong rise. */
function classOf(ratio: number): number {
  const rise = ratio >= 1 ? ratio : 1 / ratio;
  const step = rise >= 5 ? 3 : rise >= 2 ? 2 : rise >= 1.25 ? 1 : 0;
  return ratio >= 1 ? step : -step;
}

function isDuplicateClass(kb: KnowledgeBase, first: Drug, second: Drug): boolean {
  const traits = traitsOf(kb);
  return (traits[first.index]!.duplicateClasses & traits[second.index]!.duplicateClasses) !== 0;
}

/** Pairs whose risk points add up in one axis and that no rule names there. */
function gaps(first: Drug, second: Drug, entries: readonly PairEntry[], note: Note): void {
  for (const { column, domains } of AXES) {
    if (first.risk[column] < AXIS_POINTS || second.risk[column] < AXIS_POINTS) continue;
    if (entries.some(({ domain }) => (domains as readonly string[]).includes(domain))) continue;
    note(
      "gap",
      `${first.drugId} + ${second.drugId}`,
      `${AXIS_POINTS} ${column} points each, and no rule in ${domains.join(" or ")}`,
    );
  }
  if (first.qtRisk === "KR" && second.qtRisk === "KR" && !entries.some(({ domain }) => domain === "QT"))
    note("gap", `${first.drugId} + ${second.drugId}`, "both with a known QT risk, and no rule in QT");
  if (first.acb >= 3 && second.acb >= 3 && !entries.some(({ domain }) => domain === "ANTICHOL"))
    note("gap", `${first.drugId} + ${second.drugId}`, "both strongly anticholinergic, and no rule in ANTICHOL");
}
