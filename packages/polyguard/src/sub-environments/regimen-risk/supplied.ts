import type { CourseContext } from "../../course/context.ts";
import { trueFacts } from "../../interactions/facts.ts";
import { memberTable } from "../../interactions/member-table.ts";
import { targetDose } from "../../kb/dose-grid.ts";
import { drugAt } from "../../kb/lookup.ts";
import { judgeRenalRule } from "../../kb/renal-dose.ts";
import type { MissingTherapy } from "../../scenario/hazard-family.ts";
import type { Medication, WorldState } from "../../world/types.ts";
import { hasOpenHit } from "../ddi/success.ts";

/** Distance from the target dose that still counts as there, as a share of it. */
const DOSE_TOLERANCE = 0.2;

/** Whether every missing therapy of the scenario is supplied, and whether no major hit is left unmanaged. */
export function areTherapiesSupplied(
  context: CourseContext,
  world: WorldState,
): readonly [supplied: boolean, noOpenHit: boolean] {
  const { hazards } = context.scenario;
  const isSupplied = hazards.every(({ missing }) => missing === null || isTherapySupplied(context, world, missing));
  return [isSupplied, !hasOpenHit(context, world)];
}

/** True when a drug for the missing therapy is active at its dose with its monitoring, or an order stands for it. */
export function isTherapySupplied(context: CourseContext, world: WorldState, missing: MissingTherapy): boolean {
  const { kb } = context;
  const { condition, options } = missing;
  if (options !== null && world.orders.some(({ code, endDay }) => endDay === null && options.includes(code)))
    return true;
  const isOption = options === null ? null : memberTable(kb, options);
  return world.medications.some((medication) => {
    const drug = drugAt(kb, medication.drugIndex);
    if (!medication.isTaken || medication.taperPlan !== null || medication.endDay !== null) return false;
    const isAnswer = isOption === null ? drug.indications.includes(condition) : isOption[drug.index] === 1;
    return isAnswer && isAtTarget(context, world, medication) && isMonitored(context, world, medication);
  });
}

function isAtTarget({ kb, scenario }: CourseContext, world: WorldState, medication: Medication): boolean {
  const drug = drugAt(kb, medication.drugIndex);
  const { patient } = scenario;
  const facts = trueFacts(patient, world);
  const verdict = judgeRenalRule(drug, {
    crClMlPerMin: facts.crClMlPerMin,
    egfrMlPerMin: facts.egfrMlPerMin,
    ageYears: patient.ageYears,
    weightKg: patient.weightKg,
    serumCreatinineMgPerDl: world.physiology.serumCreatinineMgPerDl,
    hasAtrialFibrillation: facts.conditions.has("AF_STROKE"),
  });
  if (verdict.isStartForbidden) return false;
  const cap = verdict.doseCap ?? Number.POSITIVE_INFINITY;
  const aim = Math.min(targetDose(drug), cap);
  const { dosePerDay } = medication;
  return dosePerDay <= cap * (1 + 1e-9) && Math.abs(dosePerDay - aim) <= DOSE_TOLERANCE * aim * (1 + 1e-9);
}

/** Every monitoring item of the drug was ordered with its start or before. A protection carries no orders, so it needs none. */
function isMonitored({ kb }: CourseContext, world: WorldState, medication: Medication): boolean {
  const { drugIndex, startDay } = medication;
  const isProtection = world.changes.some(
    ({ actionType, drugIndexes }) => actionType === "ADD_PROTECTION" && drugIndexes.includes(drugIndex),
  );
  return (
    isProtection ||
    drugAt(kb, drugIndex).monitoring.every((item) =>
      world.orders.some((order) => order.code === item && order.startDay <= startDay),
    )
  );
}
