import { verifyAction } from "../actions/legality.ts";
import { typedVerdict } from "../actions/parse.ts";
import { MAX_RATIONALE_LENGTH, type StepAction, type WireAction } from "../actions/schema.ts";
import type { InteractionDomain } from "../kb/domains.ts";
import type { KnownAlert } from "../observation/types.ts";
import type { Chart } from "./chart.ts";
import type { Decision } from "./decision.ts";

/** Harm domains in words. */
const HARM_WORDS: Readonly<Record<InteractionDomain, string>> = {
  BLEED: "bleeding",
  GI_BLEED: "gastrointestinal bleeding",
  FALL_SEDATION: "sedation and falls",
  RESP_DEPR: "respiratory depression",
  HYPOTENSION: "low blood pressure",
  BRADY: "slow heart rate",
  QT: "QT prolongation",
  SEROTONIN: "serotonin toxicity",
  HYPERK: "high potassium",
  HYPOK: "low potassium",
  HYPONA: "low sodium",
  HYPOGLY: "low blood sugar",
  AKI: "acute kidney injury",
  MYOPATHY: "muscle damage",
  ANTICHOL: "anticholinergic effects",
  SEIZURE: "seizures",
  MYELOSUPP: "bone marrow suppression",
  NTI_TOX: "toxic levels",
  HTN_CRISIS: "hypertensive crisis",
  OTHER: "harm",
  EFFICACY_LOSS: "loss of effect",
};

/** A harm domain in words; one that is not in the list stays as it is. */
export function harmInWords(domain: string): string {
  return (HARM_WORDS as Readonly<Record<string, string>>)[domain] ?? domain;
}

/** An alert in words: the drugs as the list names them, severity and harm. */
export function alertInWords(chart: Chart, alert: KnownAlert): string {
  const names = alert.medRefs.map((medRef) => nameInWords(chart, medRef));
  const harm = harmInWords(alert.domain);
  const [first = "This drug", ...others] = names;
  const joined = others.length === 0 ? first : `${first} with ${others.join(" and ")}`;
  return alert.severity === "contraindicated"
    ? `${joined} is contraindicated (${harm})`
    : `${joined}: ${alert.severity} risk of ${harm}`;
}

/** A listed medication as `name (ref)`. */
export function nameInWords(chart: Chart, medRef: string): string {
  const row = chart.observation.medications.find(({ med_ref: ref }) => ref === medRef);
  return row === undefined ? medRef : `${row.label} (${medRef})`;
}

/** The typed action that carries a decision out, with its reason and the facts of the observation that it rests on. */
export function actionOf(chart: Chart, decision: Decision): StepAction {
  const { text: _text, orders, ...fields } = decision.offer.wire;
  const action: WireAction = {
    schema_version: "1.0",
    step_nonce: chart.observation.step_nonce,
    ...fields,
    ...(orders === undefined ? {} : { orders: [...orders] }),
    ...queryOf(decision),
    rationale: shorten(decision.reason),
    evidence_ids: [],
    confidence: decision.confidence,
  };
  return { ...action, evidence_ids: citations(chart, decision, action) };
}

/** What an offer comes to, in words; a look-up with the query that will be sent. */
export function offerInWords({ payload, wire }: Decision["offer"]): string {
  return payload.type === "FETCH_EXTERNAL_EVIDENCE" ? `Look up "${payload.query}"` : wire.text;
}

/** The policy's own query, where it looks up something else than was offered. */
function queryOf({ offer: { payload, wire } }: Decision): { readonly query?: string } {
  return payload.type === "FETCH_EXTERNAL_EVIDENCE" && payload.query !== wire.text ? { query: payload.query } : {};
}

/** Ids that the verifier would rest its verdict on, as far as the chart shows them. */
function citations(chart: Chart, { offer }: Decision, action: WireAction): string[] {
  const verdict = verifyAction(chart.legality, typedVerdict(action), {
    candidate: null,
    payload: offer.payload,
    score: 1,
    differences: [],
    isDrugOrDoseMismatch: false,
  });
  return verdict.facts.slice(0, 32);
}

/** At most 600 characters, cut at a sentence or word. */
function shorten(text: string): string {
  if (text.length <= MAX_RATIONALE_LENGTH) return text;
  const cut = text.slice(0, MAX_RATIONALE_LENGTH - 1);
  const sentence = cut.lastIndexOf(". ");
  return sentence > 200 ? cut.slice(0, sentence + 1) : `${cut.slice(0, cut.lastIndexOf(" "))}…`;
}
