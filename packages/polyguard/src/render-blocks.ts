import type { Observation } from "./observation/schema.ts";
import { unitInWords } from "./observation/unit-words.ts";

/** Fields of an action that its candidate's text does not tell. */
export interface SentAction {
  readonly action_type?: string | undefined;
  readonly query?: string | undefined;
  readonly ranking?: readonly string[] | undefined;
  readonly decomposition?: Readonly<Record<string, number>> | undefined;
  readonly plan?: string | undefined;
  readonly combinations?: readonly (readonly string[])[] | undefined;
  readonly findings?: readonly string[] | undefined;
}

/** An action whose payload is free, in words; null for one that its candidate describes. */
export function freeActionText({
  action_type,
  query,
  decomposition,
  plan,
  combinations,
  findings,
}: SentAction): string | null {
  switch (action_type) {
    case "FETCH_EXTERNAL_EVIDENCE":
      return query === undefined ? null : `Look up "${query}"`;
    case "DECOMPOSE_NEW_DRUG":
      return `Judge the new drug: ${planText(plan)}; ${partsText(decomposition ?? {})}`;
    case "PROBE_COMBINATION":
      return `Probe ${counted(combinations?.length ?? 0, "combination")}`;
    case "DECLARE_FINDINGS":
      return `Declare ${counted(findings?.length ?? 0, "finding")}${listed(findings ?? [])}`;
    default:
      return null;
  }
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** Findings that are written out; more would drown the rest. */
const MOST_LISTED = 12;

function listed(findings: readonly string[]): string {
  if (findings.length === 0) return "";
  const more = findings.length > MOST_LISTED ? ", ..." : "";
  return `: ${findings
    .slice(0, MOST_LISTED)
    .map((each) => each.replaceAll("_", " "))
    .join(", ")}${more}`;
}

function planText(plan: string | undefined): string {
  if (plan === undefined) return "no plan";
  if (plan === "none") return "do not start it";
  return plan === "monitored" ? "start the usual dose with monitoring" : `start ${plan} % of the usual dose`;
}

function partsText(decomposition: Readonly<Record<string, number>>): string {
  const parts = Object.entries(decomposition).filter(([, value]) => value > 0);
  return parts.map(([key, value]) => `${key} ${value}`).join(", ") || "nothing stated";
}

/** A recommendation with its options in order; null for another action. */
export function rankingText(
  { action_type: type, ranking }: SentAction,
  { alternative, medications }: Observation,
): string | null {
  if (type !== "RECOMMEND_ALTERNATIVE" || ranking === undefined || alternative === undefined) return null;
  const names = ranking.map((id) => {
    const option = alternative.options.find(({ candidate_id: own }) => own === id)?.option ?? id;
    return option === "nothing" ? "nothing in its place" : option.replaceAll("_", " ");
  });
  const label = medications.find(({ med_ref: ref }) => ref === alternative.med_ref)?.label ?? alternative.drug_id;
  return `Recommend in place of ${label} (${alternative.med_ref}): ${names.map((name, i) => `${i + 1}. ${name}`).join(", ")}`;
}

/** What a drug is dosed to, and its levels so far; none where no level is aimed at. */
export function dosingLines({ dosing }: Observation): readonly string[] {
  if (dosing === undefined) return [];
  const { drug_id: id, level_code: code, target, levels } = dosing;
  const unit = unitInWords(dosing.unit);
  const trough = target.trough_below === null ? "" : `, trough below ${target.trough_below}${unit}`;
  const last = levels.at(-1);
  const known = last === undefined ? "no level yet" : `last level ${last.value}${unit} on day ${last.day}`;
  return [
    `Target       ${id.replaceAll("_", " ")} by ${code}: ${target.low} to ${target.high}${unit}, toxic above ${target.toxic}${unit}${trough}; ${known}`,
  ];
}

/** What the observation says of a new drug before anything is bought; none without one. */
export function newDrugLines({ new_drug: drug }: Observation): readonly string[] {
  if (drug === undefined) return [];
  return [
    `New drug     ${drug.name}, ${drug.class_text}, for ${drug.indication}, usual dose ${drug.usual_dose_mg} mg/d`,
  ];
}

/** Snippets, studies and probes that a step told. */
export function learnedLines(before: Observation, after: Observation): readonly string[] {
  const read = new Set(before.evidence.map(({ id }) => id));
  const snippets = after.evidence
    .filter(({ id }) => !read.has(id))
    .map(({ title, source_type: source, year, snippet }) => `${title} (${source}, ${year}): ${snippet}`);
  const studies = (after.new_drug?.facts ?? []).slice(before.new_drug?.facts.length ?? 0).map(
    ({ kind, value }) =>
      `${kind}: ${Object.entries(value)
        .map(([key, each]) => `${key} ${each}`)
        .join(", ")}`,
  );
  const probes = (after.bandit?.probes ?? [])
    .slice(before.bandit?.probes.length ?? 0)
    .map(
      ({ combination, rr }) =>
        `${combination.map((id) => id.replaceAll("_", " ")).join(" + ")}: relative risk ${rr.toFixed(2)}`,
    );
  return [...snippets, ...studies, ...probes];
}
