import type { Info, ResetResult, StepResult, TraceStep } from "@praxis/env";
import { NOTICE } from "./definition.ts";
import type { Observation } from "./observation/schema.ts";

type Lab = Observation["labs"][string];

const SEVERITY_ORDER = ["contraindicated", "major", "moderate"];
const fixed = (value: number, digits = 3): string => value.toFixed(digits);
const labText = (name: string, lab: Lab): string =>
  `${name} ${lab.value} ${lab.unit}${lab.flag === "N" ? "" : ` ${lab.flag}`} (${lab.age_days} d old)`;

function patientLines({ patient, organ, conditions, allergies, labs, vitals }: Observation): string[] {
  const crCl = organ.crcl === null ? "CrCl unknown" : `CrCl ${fixed(organ.crcl, 0)} mL/min`;
  const values = [
    ...(organ.scr === null ? [] : [labText("creatinine", organ.scr)]),
    ...[...Object.entries(labs), ...Object.entries(vitals)].map(([name, lab]) => labText(name, lab)),
  ];
  return [
    `Patient: ${patient.age} y, ${patient.sex}, ${patient.weight_kg === null ? "weight unknown" : `${patient.weight_kg} kg`}, ${crCl}${patient.frailty_cfs === null ? "" : `, frailty ${patient.frailty_cfs}/9`}`,
    `Conditions: ${conditions.map((each) => (each.status === "active" ? each.code : `${each.code} (${each.status})`)).join(", ") || "none"}`,
    ...(allergies.length === 0
      ? []
      : [
          `Allergies: ${allergies.map((each) => `${each.substance}${each.verified ? "" : " (unverified)"}`).join(", ")}`,
        ]),
    `Values: ${values.join(", ") || "none known"}`,
  ];
}

function listLines({ medications, safety, discrepancies, conflicts }: Observation): string[] {
  const alerts = [...safety.alerts].sort(
    (a, b) => SEVERITY_ORDER.indexOf(a.severity) - SEVERITY_ORDER.indexOf(b.severity),
  );
  return [
    "Medications:",
    ...medications.map(
      (each) =>
        `  ${each.med_ref.padEnd(4)}${each.label} ${each.dose_per_day} ${each.unit} in ${each.freq} dose${each.freq === 1 ? "" : "s"}${each.indication === null ? "" : ` for ${each.indication}`}${each.status === "active" ? "" : ` [${each.status}]`}`,
    ),
    "Alerts:",
    ...(alerts.length === 0
      ? ["  none shown"]
      : alerts.map(
          (each) =>
            `  ${each.severity.toUpperCase().padEnd(16)}${each.drugs.join(" + ")} (${each.domain}; ${each.source})`,
        )),
    ...discrepancies.map((each) => `  unreconciled: ${each.text}`),
    ...conflicts.map((each) => `  conflict: ${each.says}`),
  ];
}

const channelsOf = (info: Info): string =>
  Object.entries((info.channels ?? {}) as Readonly<Record<string, number>>)
    .map(([name, value]) => `${name} ${fixed(value)}`)
    .join(", ");

interface Chosen {
  readonly candidate_id?: string;
  readonly rationale?: string;
  readonly confidence?: number;
  readonly raw?: string;
}

function stepLines(step: TraceStep, before: Observation, after: Observation, info: Info): string[] {
  const action = step.action as Chosen;
  const candidate = before.candidates.find((each) => each.candidate_id === action.candidate_id);
  const components = Object.entries(step.rewardComponents).map(
    ([name, value]) => `${name.replace(/_score$/, "")} ${fixed(value)}`,
  );
  const events = after.course.events
    .slice(before.course.events.length)
    .map(
      (each) => `  event: ${each.kind} on day ${each.day}${each.stopped === null ? "" : `, ${each.stopped} stopped`}`,
    );
  const open = after.safety.alerts.filter((each) => each.severity !== "moderate").length;
  const gates = (info.gates ?? []) as readonly string[];
  return [
    `Step ${step.step}, day ${before.course.day}: ${candidate?.text ?? action.raw ?? "no candidate"}${action.confidence === undefined ? "" : ` (confidence ${action.confidence})`}`,
    ...(action.rationale === undefined || action.rationale === "" ? [] : [`  why: ${action.rationale}`]),
    ...step.violations.map((each) => `  REFUSED ${each.kind}: ${each.message}`),
    ...events,
    `  reward ${fixed(step.reward)}${gates.length === 0 ? "" : ` (gates: ${gates.join(", ")})`}: ${channelsOf(info)}`,
    `  ${components.join(", ")}`,
    `  contraindicated or major alerts still shown: ${open}`,
  ];
}

/** Text of a PolyGuard episode for a terminal: the patient and list at the start, then every action with its reasons and reward. */
export function renderPolyguard(): {
  reset(result: ResetResult<unknown>): string;
  step(step: TraceStep, result: StepResult<unknown>): string;
} {
  let before: Observation | null = null;
  return {
    reset({ observation, info }) {
      before = observation as Observation;
      const { task, sub_environment, difficulty } = before;
      return [
        NOTICE,
        `${sub_environment}, ${difficulty}, scenario ${String(info.scenario_id)}`,
        `Goal: ${task.goal}`,
        ...patientLines(before),
        ...listLines(before),
        "",
      ].join("\n");
    },
    step(step, { observation, info }) {
      const after = observation as Observation;
      const lines = stepLines(step, before ?? after, after, info);
      before = after;
      const outcome =
        info.terminationReason === undefined
          ? []
          : [
              `  success: ${String(info.success)}, J ${fixed(Number(info.j), 4)} against ${fixed(Number(info.keep_j), 4)} for changing nothing${typeof info.task_score === "number" ? `, task score ${fixed(info.task_score)}` : ""}`,
            ];
      return [...lines, ...outcome].join("\n");
    },
  };
}
