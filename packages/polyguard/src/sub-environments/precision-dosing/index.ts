import type { RngStreams } from "@praxis/env";
import { generalOffers } from "../../actions/candidates.ts";
import type { ActionPayload } from "../../actions/types.ts";
import { COURSE_HOOKS, passOnCourse } from "../course-hooks.ts";
import type { Decision, Drawn, Effect, Facing, Finished, Passed, SubEnvironment } from "../sub-environment.ts";
import type { DosingBlock } from "./block-schema.ts";
import { asModel, type DosingContent, type DosingSpecial, GENOTYPE_ORDER, type OfModel } from "./content.ts";
import { drawModelCase } from "./model-case.ts";
import { dosingOffers } from "./offers.ts";
import { passTreatment } from "./pass.ts";
import { drawRenalCase, shareMended, wrongDoses } from "./renal-case.ts";
import { isGoodDose, judgeTreatment, timeAverage, treatmentComponents } from "./score.ts";
import { beginTreatment } from "./treatment.ts";

/**
 * PRECISION_DOSING: one drug is brought to its target on noisy levels, with a patient whose parameters are hidden; or, in half
 * of the medium and hard scenarios, the doses of a list are brought inside ranges and renal rules.
 */
export const precisionDosing: SubEnvironment<DosingContent, DosingSpecial> = {
  ...COURSE_HOOKS,
  id: "PRECISION_DOSING",
  isFixedLength: true,
  stepCost: 0,
  draw: (tools, key): Drawn<DosingContent> => {
    const hasRenalMode = key.difficulty !== "easy";
    if (hasRenalMode && key.seed % 2 === 1) return drawRenalCase(tools, key);
    return drawModelCase(tools.kb, key, hasRenalMode ? key.seed / 2 : key.seed);
  },
  begin: ({ content }) =>
    content.kind === "model" ? beginTreatment(content) : { kind: "renal", attained: 0, days: 0 },
  offers: (at: Facing<DosingContent, DosingSpecial>) => {
    const model = asModel(at);
    return model === null ? generalOffers(at.legality) : dosingOffers(model);
  },
  apply: (at, payload): Effect<DosingSpecial> => {
    const effect = COURSE_HOOKS.apply(at, payload);
    const { special } = at;
    const isGenotyped =
      payload.type === "ORDER_MONITORING" && payload.orders.includes(GENOTYPE_ORDER) && special.kind === "model";
    return isGenotyped ? { ...effect, special: { ...special, isGenotypeKnown: true } } : { ...effect, special };
  },
  pass: (at, payload, effect, streams): Passed<DosingSpecial> => {
    const model = asModel(at);
    if (model === null || effect.special.kind !== "model") return passRenal(at, payload, effect, streams);
    return passTreatment(model, payload, { ...effect, special: effect.special }, streams);
  },
  components: (at, { payload, effect }) => {
    const model = asModel(at);
    if (model === null) return {};
    const own = effect === null ? null : { ...effect, special: model.special };
    return treatmentComponents(model, payload, own);
  },
  isGoodChoice: (at, payload) => {
    const model = asModel(at);
    return model === null ? null : isGoodDose(model, payload);
  },
  bestJUse: "none",
  criteria: (at: Finished<DosingContent, DosingSpecial>) => {
    const model = asModel(at);
    if (model !== null) return judgeTreatment(model);
    return [wrongDoses(at.context.kb, at.context.scenario, at.world) < 1e-9, !at.hadIllegalAction, !at.hasSevereEvent];
  },
  taskScore: (at) => timeAverage(at),
  observe: (at) => {
    const model = asModel(at);
    return model === null ? {} : { dosing: blockOf(model) };
  },
};

/** Time passes on the course alone; the share of mended doses is that of the list while it passes. */
function passRenal(
  at: Decision<DosingContent, DosingSpecial>,
  payload: ActionPayload,
  effect: Effect<DosingSpecial>,
  streams: RngStreams,
): Passed<DosingSpecial> {
  const passed = passOnCourse(at, payload, effect, streams);
  const { special } = effect;
  if (special.kind === "model") return passed;
  const { kb, scenario } = at.context;
  const days = passed.world.clock.day - at.world.clock.day;
  const mended = shareMended(kb, scenario, effect.applied.state);
  return { ...passed, special: { ...special, attained: special.attained + days * mended, days: special.days + days } };
}

function blockOf({
  content,
  special,
  context,
}: Omit<Decision<DosingContent, DosingSpecial>, "content" | "special"> & OfModel): DosingBlock {
  const { model, covariates } = content;
  const target = model.target(covariates.ageYears);
  const genotype = special.isGenotypeKnown ? covariates.genotype : null;
  return {
    drug_id: model.drugId,
    med_ref: content.medRef,
    level_code: model.levelCode,
    unit: model.unit,
    target: {
      low: target.low,
      high: target.high,
      toxic: target.toxicSide === "above" ? target.zeroAbove : target.zeroBelow,
      trough_below: target.troughBelow,
    },
    step_days: context.scenario.stepDays,
    level_included: content.isLevelIncluded,
    doses: special.doses.map(({ fromDay, dosePerDay, intervalH }) => ({
      day: fromDay,
      dose_per_day: dosePerDay,
      interval_h: intervalH,
    })),
    levels: special.levels.map(({ day, value, trough }) => ({ day, value, trough })),
    genotype: genotype === null ? null : { cyp2c9: genotype.cyp2c9, vkorc1: genotype.vkorc1 },
  };
}
