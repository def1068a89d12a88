import type { Info, ResetResult, StepResult } from "@praxis/env";
import { NOTICE } from "./definition.ts";
import { type Observation, observationSchema } from "./observation/schema.ts";
import { unitInWords } from "./observation/unit-words.ts";
import { harmInWords } from "./policies/explain.ts";
import {
  dosingLines,
  freeActionText,
  learnedLines,
  newDrugLines,
  rankingText,
  type SentAction,
} from "./render-blocks.ts";
import { ProbeFold } from "./render-probes.ts";

/** Text of an episode for a terminal. */
export interface PolyguardRenderer {
  /** The patient as the episode begins. */
  reset(result: ResetResult<unknown>): string;
  /**
   * One step: action, reason, outcome, events, reward by channel and component, what is still open. Steps that only probe
   * are told together: empty until the last of them.
   */
  step(
    step: { readonly step: number; readonly action: unknown; readonly reward: number },
    result: StepResult<unknown>,
  ): string;
}

const SEVERITY_ORDER = ["contraindicated", "major", "moderate"];
const CHANNEL_NAMES: Readonly<Record<string, string>> = {
  safety_legality: "safety",
  clinical_improvement: "clinical",
  dosing_quality: "dosing",
  process_integrity: "process",
};

/** Readable text of PolyGuard episodes; remembers the last observation, so one renderer serves one episode at a time. */
export function renderPolyguard(): PolyguardRenderer {
  let before: Observation | null = null;
  const probes = new ProbeFold();
  return {
    reset: (result) => {
      const observation = parse(result.observation);
      before = observation;
      return observation === null ? plain(result.observation) : patientText(observation, result.info);
    },
    step: (step, result) => {
      const observation = parse(result.observation);
      const last = before;
      before = observation;
      if (observation === null || last === null) return plain(result.observation);
      const { reward, info, terminated, truncated } = result;
      const isOver = terminated || truncated;
      const isFolded =
        !isOver && probes.take(step.action as SentAction, { before: last, after: observation, reward, info });
      if (isFolded) return probes.isFull ? probes.flush().join("\n") : "";
      return [...probes.flush(), stepText(step, last, observation, result)].join("\n");
    },
  };
}

function parse(observation: unknown): Observation | null {
  const parsed = observationSchema.safeParse(observation);
  return parsed.success ? parsed.data : null;
}

function plain(observation: unknown): string {
  return JSON.stringify(observation);
}

function patientText(observation: Observation, info: Info): string {
  const { patient, conditions, organ, labs, vitals, medications, safety, course, budget } = observation;
  const weight = patient.weight_kg === null ? "weight not known" : `${patient.weight_kg} kg`;
  const frailty = patient.frailty_cfs === null ? "" : `, frailty ${patient.frailty_cfs}/9`;
  const kidneys = organ.crcl === null ? "CrCl not known" : `CrCl ${organ.crcl} mL/min`;
  const lines = [
    `${observation.sub_environment}, ${observation.difficulty}${typeof info.scenario_id === "string" ? `, ${info.scenario_id}` : ""}`,
    `Notice: ${NOTICE}`,
    "",
    `Task         ${observation.task.goal}`,
    ...dosingLines(observation),
    `Patient      ${patient.age} years, ${patient.sex === "F" ? "woman" : "man"}, ${weight}${frailty}, ${kidneys}`,
    `Conditions   ${conditions.map(conditionText).join(", ") || "none on the record"}`,
  ];
  if (observation.allergies.length > 0)
    lines.push(
      `Allergies    ${observation.allergies.map(({ substance, reaction }) => `${substance} (${reaction ?? "reaction not known"})`).join(", ")}`,
    );
  const values = { ...(organ.scr === null ? {} : { CREAT: organ.scr }), ...labs, ...vitals };
  lines.push(`Values       ${Object.entries(values).map(valueText).join(", ") || "none"}`);
  lines.push("Medications");
  for (const row of medications) lines.push(`  ${medicationText(row)}`);
  lines.push(`Alerts       ${safety.alerts.length === 0 ? "none shown" : ""}`.trimEnd());
  for (const line of alertLines(observation)) lines.push(`  ${line}`);
  for (const { id, text } of observation.discrepancies) lines.push(`Unclear      ${id}: ${text}`);
  for (const { id, says } of observation.conflicts) lines.push(`Conflict     ${id}: ${says}`);
  lines.push(...newDrugLines(observation));
  lines.push(
    `Budget       ${budget.steps_left} steps, ${course.visits_left} visits, ${course.changes_left} changes, ${budget.evidence_left} look-ups, ${budget.review_left} reviews`,
  );
  return lines.join("\n");
}

function conditionText({ code, status }: Observation["conditions"][number]): string {
  return status === "active" ? code : `${code} (${status})`;
}

function valueText([code, lab]: [string, Observation["labs"][string]]): string {
  const flag = lab.flag === "N" ? "" : ` ${lab.flag === "H" ? "high" : "low"}`;
  const age = lab.age_days === 0 ? "today" : `${lab.age_days} d old`;
  return `${code} ${lab.value}${unitInWords(lab.unit)}${flag} (${age})`;
}

function medicationText(row: Observation["medications"][number]): string {
  const since = row.started_days_ago === null ? "since when is not known" : `for ${row.started_days_ago} d`;
  const what = row.indication === null ? "indication not known" : row.indication;
  const status = row.status === "active" ? "" : `, ${row.status}`;
  const asNeeded = row.prn ? ", as needed" : "";
  const unmapped = row.drug_id === null ? ", not recognised: not checked" : "";
  return `${row.med_ref.padEnd(4)} ${row.label} ${row.dose_per_day} ${row.unit}, ${what}, ${since}${asNeeded}${status}${unmapped}`;
}

/** Alerts, the most severe first; what two rules say in the same words stands once. */
function alertLines({ safety, medications }: Observation): string[] {
  const rank = (severity: string): number => SEVERITY_ORDER.indexOf(severity);
  const labels = new Map(medications.map(({ drug_id: id, label }) => [id, label]));
  const lines = [...safety.alerts]
    .sort((x, y) => rank(x.severity) - rank(y.severity))
    .map(({ severity, domain, drugs }) => {
      const names = drugs.map((id) => labels.get(id) ?? id);
      return `${severity.toUpperCase().padEnd(15)} ${names.join(" + ")}: ${harmInWords(domain)}`;
    });
  return [...new Set(lines)];
}

function stepText(
  step: { readonly step: number; readonly action: unknown; readonly reward: number },
  before: Observation,
  after: Observation,
  { info, reward, terminated, truncated }: StepResult<unknown>,
): string {
  const action = step.action as SentAction & {
    readonly candidate_id?: string;
    readonly rationale?: string;
    readonly raw?: string;
  };
  const candidate = before.candidates.find(({ candidate_id: id }) => id === action.candidate_id);
  const what =
    freeActionText(action) ??
    rankingText(action, before) ??
    candidate?.text ??
    (action.raw === undefined ? "an action that was not offered" : "raw text");
  const lines = [`Step ${before.step}, day ${before.course.day}: ${what}`];
  if (action.rationale !== undefined && action.rationale !== "") lines.push(`  Why        ${action.rationale}`);
  const outcome = after.history.find(({ step: number }) => number === before.step)?.outcome ?? "nothing";
  lines.push(`  Outcome    ${outcome}, day ${after.course.day}`);
  for (const line of learnedLines(before, after)) lines.push(`  Told       ${line}`);
  for (const { kind, message } of info.violations ?? []) lines.push(`  Refused    ${kind}: ${message}`);
  const events = after.course.events.slice(before.course.events.length);
  for (const { kind, day, stopped } of events)
    lines.push(`  Event      ${kind} on day ${day}${stopped === null ? "" : `; the ward stopped ${stopped}`}`);
  lines.push(`  Reward     ${reward.toFixed(3)}  ${channelText(info)}`.trimEnd());
  const components = componentText(info);
  if (components !== "") lines.push(`             ${components}`);
  const gates = listOf(info.gates);
  if (gates.length > 0) lines.push(`  Gates      ${gates.join(", ")}`);
  const flags = flagText(info);
  if (flags !== "") lines.push(`  Flags      ${flags}`);
  const open = alertLines(after);
  lines.push(`  Alerts     ${open.length === 0 ? "none shown" : `${open.length} shown`}`);
  for (const line of open.filter((each) => !each.startsWith("MODERATE"))) lines.push(`             ${line}`);
  if (terminated || truncated) lines.push(...endLines(info));
  return lines.join("\n");
}

function numbersOf(value: unknown): readonly (readonly [string, number])[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).filter((entry): entry is [string, number] => typeof entry[1] === "number");
}

function listOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((each): each is string => typeof each === "string") : [];
}

function channelText({ channels }: Info): string {
  return numbersOf(channels)
    .map(([name, value]) => `${CHANNEL_NAMES[name] ?? name} ${value.toFixed(2)}`)
    .join(", ");
}

function componentText({ rewardComponents }: Info): string {
  return numbersOf(rewardComponents)
    .map(([name, value]) => `${name.replace(/_score$/, "").replaceAll("_", " ")} ${value.toFixed(2)}`)
    .join(", ");
}

function flagText({ flags }: Info): string {
  if (!Array.isArray(flags)) return "";
  return flags
    .map(
      (flag: { readonly id?: unknown; readonly level?: unknown; readonly detail?: unknown }) =>
        `${String(flag.id)} ${String(flag.level)} (${String(flag.detail)})`,
    )
    .join(", ");
}

function endLines(info: Info): string[] {
  const number = (value: unknown): string => (typeof value === "number" ? value.toFixed(3) : "not told");
  return [
    `End: ${info.terminationReason ?? "no reason told"}, ${info.success === true ? "success" : "no success"}`,
    `  J ${number(info.j)}, without any change ${number(info.keep_j)}, task score ${number(info.task_score)}, training return ${number(info.training_return)}`,
  ];
}
