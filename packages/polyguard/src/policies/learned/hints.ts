import type { Chart, ChartOffer } from "../chart.ts";
import type { Hints } from "./scene-offer.ts";

/** Scores of symptoms go up to this. */
const WORST_SYMPTOM = 10;
const TAPERS: readonly string[] = ["START_TAPER", "CONTINUE_TAPER", "PAUSE_TAPER", "REVERT_TAPER"];

/** What an offered candidate of the course has to do with task, alerts, symptoms and open questions. */
export function courseHints(chart: Chart, { wire, payload }: ChartOffer): Hints {
  const { observation, known } = chart;
  const ref = "medRef" in payload ? payload.medRef : null;
  const target = ref === null ? undefined : observation.medications.find(({ med_ref: medRef }) => medRef === ref);
  const open = known.alerts.filter(({ isManaged, medRefs }) => !isManaged && ref !== null && medRefs.includes(ref));
  const goal = observation.task.targets?.find(({ med_ref: medRef }) => medRef === ref);
  const symptom = Math.max(
    0,
    ...observation.course.symptoms.map(({ score, suspects }) =>
      target?.drug_id != null && suspects.includes(target.drug_id) ? score : 0,
    ),
  );
  return {
    "target of the task": Number(goal !== undefined),
    "must stay": Number(ref !== null && (observation.task.must_stay?.includes(ref) ?? false)),
    ...(goal === undefined || target === undefined || !TAPERS.includes(wire.action_type)
      ? {}
      : { "dose over the task's floor": target.dose_per_day > goal.floor_dose_per_day ? 1 : -1 }),
    "answers an open contraindicated alert": Number(open.some(({ severity }) => severity === "contraindicated")),
    "answers an open major alert": Number(open.some(({ severity }) => severity === "major")),
    "answers a symptom/10": symptom / WORST_SYMPTOM,
    "answers a discrepancy": Number(observation.discrepancies.some(({ id }) => id === wire.target)),
    "answers a conflict": Number(observation.conflicts.some(({ id }) => id === wire.target)),
    "orders/3": (wire.orders?.length ?? 0) / 3,
    "declares a switch": Number(wire.orders?.some((code) => code.startsWith("SWITCH")) ?? false),
    ...doseHints(chart, payload),
  };
}

/** A level in proportion to its dose, against the target: what a change of dose would lead to. TSH falls as the dose rises. */
function doseHints({ observation }: Chart, payload: ChartOffer["payload"]): Hints {
  const block = observation.dosing;
  const last = block?.levels.at(-1);
  if (block === undefined || last === undefined) return {};
  const row = observation.medications.find(({ med_ref: ref }) => ref === block.med_ref);
  const dose =
    payload.type === "ADJUST_DOSE" && payload.medRef === block.med_ref
      ? payload.dosePerDay
      : payload.type === "KEEP_REGIMEN"
        ? row?.dose_per_day
        : undefined;
  if (dose === undefined || row === undefined || row.dose_per_day <= 0 || dose <= 0) return {};
  const ratio = dose / row.dose_per_day;
  const { low, high, toxic } = block.target;
  const isTsh = block.level_code === "TSH";
  const value = last.value * (isTsh ? 1 / ratio : ratio);
  return {
    "log2 of the level it leads to over mid-target": Math.log2(Math.max(1e-3, (2 * value) / (low + high))),
    "leads into the target": Number(value >= low && value <= high),
    "leads above the toxic bound": Number(isTsh ? value < toxic : value > toxic),
  };
}
