import { NOTICE } from "../definition.ts";
import { recordText } from "../fhir/findings.ts";
import { uuidOf } from "../fhir/uuid.ts";
import { type Severity, severityRank } from "../kb/domains.ts";
import type { KnowledgeBase } from "../kb/types.ts";
import type { KnownAlert } from "../observation/types.ts";
import { type Advice, type AdvisedAlert, type Remedy, referenceOf } from "./advise.ts";
import type { CdsRequest } from "./request.ts";
import { suggestionOf } from "./suggestions.ts";

/** Importance of a card; the standard shows critical ones at once and keeps info ones out of the way. */
export const INDICATORS = ["info", "warning", "critical"] as const;
export type Indicator = (typeof INDICATORS)[number];

/** A CDS Hooks 2.0 card. */
export interface Card {
  readonly uuid: string;
  readonly summary: string;
  readonly detail: string;
  readonly indicator: Indicator;
  readonly source: { readonly label: string; readonly topic: Coding };
  readonly suggestions?: readonly Readonly<Record<string, unknown>>[];
  readonly selectionBehavior?: "at-most-one";
  readonly overrideReasons?: readonly Coding[];
}

interface Coding {
  readonly system: string;
  readonly code: string;
  readonly display: string;
}

const SYSTEM = "urn:praxis:polyguard";
const SOURCE_LABEL = "PolyGuard, research simulation";
/** Longest summary of the standard. */
const SUMMARY_LIMIT = 140;

/** Reasons that a client may offer when a card is overridden. */
const OVERRIDE_REASONS: readonly Coding[] = [
  ["benefit-outweighs-risk", "The benefit outweighs the risk"],
  ["will-monitor", "The patient will be monitored"],
  ["tolerated-before", "The patient has tolerated the combination"],
  ["patient-preference", "The patient prefers it"],
  ["not-relevant", "The alert does not apply to this patient"],
].map(([code, display]) => ({ system: `${SYSTEM}:override-reason`, code: code!, display: display! }));

/** A card before it has its identity. */
interface Draft {
  /** What makes it this card and no other. */
  readonly key: string;
  readonly indicator: Indicator;
  readonly topic: string;
  readonly summary: string;
  readonly lines: readonly string[];
  readonly remedies: readonly Remedy[];
}

/**
 * Cards for an advice: one for each drug that causes contraindicated or major hits, one for each rule that a draft breaks,
 * and one non-interruptive card for all moderate hits together. Managed hits and rules whose condition is false have none.
 * What was not checked has a card of its own.
 */
export function cardsOf(kb: KnowledgeBase, advice: Advice, request: CdsRequest): readonly Card[] {
  const drafts = [
    ...interactionDrafts(kb, advice, (drugIndex) => advice.asked.has(drugIndex)),
    ...brokenDrafts(kb, advice),
    ...doseDrafts(kb, advice),
    ...doubledDrafts(kb, advice),
    ...moderateDraft(kb, advice),
    ...uncheckedDraft(advice, request),
  ].sort((a, b) => INDICATORS.indexOf(b.indicator) - INDICATORS.indexOf(a.indicator));
  return drafts.map((draft): Card => {
    const uuid = uuidOf(`${request.hookInstance}/${draft.key}`, INDICATORS.indexOf(draft.indicator));
    const suggestions = draft.remedies.map((remedy, i) =>
      suggestionOf(kb, { advice, request, remedy, uuid: uuidOf(`${uuid}/${i}`), isBest: i === 0 }),
    );
    return {
      uuid,
      summary: shortened(draft.summary),
      detail: [...draft.lines, `_${NOTICE}_`].join("\n\n"),
      indicator: draft.indicator,
      source: {
        label: SOURCE_LABEL,
        topic: { system: `${SYSTEM}:topic`, code: draft.topic, display: draft.topic.replaceAll("-", " ") },
      },
      ...(suggestions.length === 0 ? {} : { suggestions, selectionBehavior: "at-most-one" as const }),
      ...(draft.indicator === "info" ? {} : { overrideReasons: OVERRIDE_REASONS }),
    };
  });
}

function shortened(text: string): string {
  return text.length <= SUMMARY_LIMIT ? text : `${text.slice(0, SUMMARY_LIMIT - 1)}…`;
}

function namesOf(kb: KnowledgeBase, drugIndexes: readonly number[]): string {
  return drugIndexes.map((drugIndex) => kb.drugs[drugIndex]!.genericName).join(" + ");
}

/** Text that neither Markdown nor HTML reads as markup. */
function plain(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replace(/[\\`*_{}[\]()#+!|]/g, "\\$&");
}

const INDICATOR_OF: Readonly<Record<Severity, Indicator>> = {
  contraindicated: "critical",
  major: "warning",
  moderate: "info",
};

/** Facts that a rule's condition asks for and that the record lacks: such a term counts as true. */
function unknownTerms(conditionText: string, { known }: Advice["context"]): string {
  const isMissing: Readonly<Record<string, boolean>> = {
    CrCl: known.crClMlPerMin === null,
    eGFR: known.egfrMlPerMin === null,
    K: known.values.K === undefined,
    QTc: known.values.QTC === undefined,
  };
  const terms = Object.keys(isMissing).filter(
    (term) => isMissing[term] === true && new RegExp(`\\b${term}[<>=]`).test(conditionText),
  );
  return terms.length === 0 ? "" : ` Not known, so taken as given: ${terms.join(", ")}.`;
}

/** One line of an alert: severity, effect, mechanism, source and what would manage it. */
function lineOf({ severity, domain, hit, source, ruleId }: KnownAlert, context: Advice["context"]): string {
  const rule = hit?.rule ?? null;
  if (rule !== null)
    return `**${severity}**: ${plain(rule.effect)} (${plain(rule.mechanism)}). What would manage it: ${plain(rule.management || "removing one of the two")}. Source: ${plain(rule.source)}.${unknownTerms(rule.conditionText, context)}`;
  const regimen = context.known.regimenHits.find((each) => each.ruleId === ruleId);
  if (regimen !== undefined) return `**${severity}**: ${plain(recordText(regimen))}. Source: ${plain(regimen.source)}.`;
  return `**${severity}**: the exposure of one drug is changed by the other (${domain.toLowerCase().replaceAll("_", " ")}). What would manage it: check dose and effect. Source: ${plain(source)}.`;
}

/** Contraindicated and major hits, gathered by the drug that has most of them: one cause, one card. */
function interactionDrafts(
  kb: KnowledgeBase,
  advice: Advice,
  isAsked: (drugIndex: number) => boolean,
): readonly Draft[] {
  let open = advice.alerts.filter(({ alert }) => alert.severity !== "moderate");
  const drafts: Draft[] = [];
  while (open.length > 0) {
    const cause = drugWithMost(open, isAsked);
    const group = open.filter(({ alert }) => alert.drugIndexes.includes(cause));
    open = open.filter((each) => !group.includes(each));
    drafts.push(interactionDraft(kb, advice, cause, group));
  }
  return drafts;
}

/** Of the drugs that are asked about, the one in most alerts; contraindicated ones count before all others. */
function drugWithMost(alerts: readonly AdvisedAlert[], isAsked: (drugIndex: number) => boolean): number {
  const counts = new Map<number, number>();
  for (const { alert } of alerts)
    for (const drugIndex of alert.drugIndexes)
      if (isAsked(drugIndex)) counts.set(drugIndex, (counts.get(drugIndex) ?? 0) + weightOf(alert));
  return [...counts].reduce((best, each) => (each[1] > best[1] ? each : best))[0];
}

/** More than all major alerts of a list together for a contraindicated one. */
function weightOf({ severity }: KnownAlert): number {
  return severity === "contraindicated" ? 1000 : 1;
}

function interactionDraft(
  kb: KnowledgeBase,
  { context }: Advice,
  cause: number,
  group: readonly AdvisedAlert[],
): Draft {
  const sorted = [...group].sort((a, b) => severityRank(b.alert.severity) - severityRank(a.alert.severity));
  const { alert } = sorted[0]!;
  const word = alert.severity === "contraindicated" ? "Contraindicated" : "Major interaction";
  const others = [...new Set(sorted.flatMap((each) => each.alert.drugIndexes))].filter((each) => each !== cause);
  const effect = alert.hit?.rule?.effect ?? alert.domain.toLowerCase().replaceAll("_", " ");
  return {
    key: `hit/${kb.drugs[cause]!.drugId}/${sorted.map((each) => each.alert.id).join(",")}`,
    indicator: INDICATOR_OF[alert.severity],
    topic: "drug-interaction",
    summary:
      sorted.length === 1
        ? `${word}: ${namesOf(kb, alert.drugIndexes)} (${effect})`
        : `${word}: ${namesOf(kb, [cause])} with ${others.map((each) => namesOf(kb, [each])).join(", ")}`,
    lines: sorted.map((each) => `${plain(namesOf(kb, each.alert.drugIndexes))}. ${lineOf(each.alert, context)}`),
    remedies: bestRemedies(sorted),
  };
}

/** Most suggestions of one card. */
const MOST_REMEDIES = 3;

/** Remedies that answer most of the alerts (contraindicated ones before all others), then those worth most. */
function bestRemedies(group: readonly AdvisedAlert[]): readonly Remedy[] {
  const found = new Map<string, { readonly remedy: Remedy; answers: number }>();
  for (const { alert, remedies } of group)
    for (const remedy of remedies) {
      const known = found.get(remedy.text);
      if (known === undefined) found.set(remedy.text, { remedy, answers: weightOf(alert) });
      else known.answers += weightOf(alert);
    }
  return [...found.values()]
    .sort((a, b) => b.answers - a.answers || b.remedy.utility - a.remedy.utility)
    .slice(0, MOST_REMEDIES)
    .map(({ remedy }) => remedy);
}

function moderateDraft(kb: KnowledgeBase, { alerts, context }: Advice): readonly Draft[] {
  const moderate = alerts.filter(({ alert }) => alert.severity === "moderate");
  if (moderate.length === 0) return [];
  return [
    {
      key: "moderate",
      indicator: "info",
      topic: "drug-interaction",
      summary: `${moderate.length} moderate ${moderate.length === 1 ? "finding" : "findings"}: ${[...new Set(moderate.map(({ alert }) => namesOf(kb, alert.drugIndexes)))].join("; ")}`,
      lines: moderate.map(({ alert }) => `${plain(namesOf(kb, alert.drugIndexes))}. ${lineOf(alert, context)}`),
      remedies: [],
    },
  ];
}

/** What a broken rule is called, and how loud it is. assumption: an allergy interrupts like a contraindication. */
const RULE_CARDS: Readonly<Record<string, { readonly topic: string; readonly indicator: Indicator }>> = {
  V04: { topic: "allergy", indicator: "critical" },
  ALLERGY_CAUTION: { topic: "allergy", indicator: "warning" },
  V06: { topic: "dose", indicator: "warning" },
  V07: { topic: "kidney-function", indicator: "warning" },
  V13: { topic: "washout", indicator: "warning" },
  V16: { topic: "disease", indicator: "warning" },
};

function brokenDrafts(kb: KnowledgeBase, { broken, context }: Advice): readonly Draft[] {
  return broken.map(({ drugIndex, hit }): Draft => {
    const drug = kb.drugs[drugIndex]!;
    const card = RULE_CARDS[hit.id]!;
    const isUnknownKidney = hit.id === "V07" && !context.isKidneyFresh;
    return {
      key: `rule/${hit.id}/${drug.drugId}`,
      indicator: isUnknownKidney ? "info" : card.indicator,
      topic: card.topic,
      summary: `${drug.genericName}: ${hit.text}`,
      lines: [
        `${plain(hit.text)}. Source: ${plain(drug.source)}.${isUnknownKidney ? " **Not checked**: the dose by kidney function." : ""}`,
      ],
      remedies: [],
    };
  });
}

const DOSE_TEXT = {
  above_renal_cap: ["is above the limit for the kidney function", "warning"],
  above_usual_max: ["is above the usual maximum", "warning"],
  weekly_drug_daily: ["is a weekly drug that is written daily", "critical"],
  level_high: ["has a level above its range", "warning"],
} as const;

function doseDrafts(kb: KnowledgeBase, { doses }: Advice): readonly Draft[] {
  return doses.flatMap(({ medication, flag, cap }): Draft[] => {
    if (flag === "below_usual_min" || flag === "level_low") return [];
    const drug = kb.drugs[medication.drugIndex]!;
    const [text, indicator] = DOSE_TEXT[flag];
    return [
      {
        key: `dose/${flag}/${drug.drugId}`,
        indicator,
        topic: "dose",
        summary: `${drug.genericName} ${medication.dosePerDay} ${drug.doseUnit} ${text}${cap === null ? "" : ` (${cap} ${drug.doseUnit})`}`,
        lines: [`Source: ${plain(drug.source)}.`],
        remedies: [],
      },
    ];
  });
}

function doubledDrafts(kb: KnowledgeBase, { doubled }: Advice): readonly Draft[] {
  return doubled.map((medication): Draft => {
    const drug = kb.drugs[medication.drugIndex!]!;
    const total =
      medication.dosePerDay === null ? "dose unknown" : `together ${medication.dosePerDay} ${drug.doseUnit}`;
    return {
      key: `double/${drug.drugId}`,
      indicator: "warning",
      topic: "duplicate-therapy",
      summary: `${drug.genericName} is ordered ${medication.entries.length} times, ${total}`,
      lines: [`Orders: ${plain(medication.entries.map(referenceOf).join(", "))} (${plain(medication.label)}).`],
      remedies: [],
    };
  });
}

function uncheckedDraft({ unchecked, record }: Advice, { missing, asked }: CdsRequest): readonly Draft[] {
  const lines = [
    ...unchecked.map(({ label }) => `${plain(label)}: not recognised, nothing was checked for it.`),
    ...record.unused
      .filter(({ entry }) => entry.includes("Medication") && (asked === null || asked.has(referenceOf(entry))))
      .filter(({ path }) => path !== "medication")
      .map(({ entry, reason }) => `${plain(referenceOf(entry))}: ${plain(reason)}.`),
    ...missing.map((part) => `${part}: not sent, so what depends on them was not checked.`),
  ];
  if (lines.length === 0) return [];
  return [
    {
      key: "unchecked",
      indicator: "info",
      topic: "not-checked",
      summary: `Not checked: ${[...unchecked.map(({ label }) => label), ...missing].join(", ") || "some orders"}`,
      lines,
      remedies: [],
    },
  ];
}
