import type { Rng, RngStreams } from "@praxis/env";
import type { ActionPayload } from "../../actions/types.ts";
import { copyMemory } from "../../observation/copy-memory.ts";
import { rounded } from "../../observation/measure.ts";
import { findMeasurement } from "../../observation/measurements.ts";
import type { Memory } from "../../observation/types.ts";
import { type DosingModel, TROUGH, VALUE } from "../../pharmacology/dosing-model.ts";
import type { LevelPoint } from "../../pharmacology/estimate.ts";
import { albuminFactor, correctForAlbumin } from "../../pharmacology/phenytoin.ts";
import { copyState } from "../../world/copies.ts";
import type { WorldState } from "../../world/types.ts";
import { passOnCourse } from "../course-hooks.ts";
import type { Decision, Effect, Passed } from "../sub-environment.ts";
import type { ModelContent, ModelSpecial } from "./content.ts";
import { afterStretch, treat, withToxicity } from "./treatment.ts";

/** A trough is reported to two decimals, mg/L; below the limit of quantification as 0. assumption: a usual immunoassay. */
const TROUGH_DECIMALS = 2;
const QUANTIFIED_FROM = 0.2;
/** A level report is never below this share of the last decimal: a proportional error of 0 would weigh without bound. */
const LEAST_REPORT = 0.1;

/**
 * Lets the days of an action pass on the medication course, and treats the patient over the same days. A ward that stops
 * drugs goes on with the one that is dosed.
 */
export function passTreatment(
  at: Decision<ModelContent, ModelSpecial>,
  payload: ActionPayload,
  effect: Effect<ModelSpecial>,
  streams: RngStreams,
): Passed<ModelSpecial> {
  const { context, content } = at;
  const given = effect.applied.state;
  const passed = passOnCourse(at, payload, effect, streams);
  const kept = withoutStop(given, passed.world, content.medRef);
  const days = kept.clock.day - given.clock.day;
  const { closesVisit } = effect.applied.outcome;
  const stretch = treat(context, content, effect.special, given, days);
  const treated = afterStretch(effect.special, stretch, days, closesVisit);
  const isOrdered = payload.type === "ORDER_MONITORING" && payload.orders.includes(content.model.levelCode);
  const isMeasured = isOrdered || (content.isLevelIncluded && closesVisit);
  const level = isMeasured ? reportLevel(content.model, kept, treated, streams.stream("levels")) : null;
  const special = level === null ? treated : { ...treated, levels: [...treated.levels, level] };
  const labelled = copyState(kept);
  labelled.labs = { ...kept.labs, [content.model.levelCode]: treated.state[VALUE]! };
  return {
    ...passed,
    world: withToxicity(context, content, special, labelled),
    memory: withLevel(effect.memory, passed.memory, content.model.levelCode, level, kept.clock.day),
    special,
  };
}

/** The list after the course, with the dosed drug on it as before. */
function withoutStop(before: WorldState, after: WorldState, medRef: string): WorldState {
  if (after.medications.some((each) => each.medRef === medRef)) return after;
  const medication = before.medications.find((each) => each.medRef === medRef);
  if (medication === undefined) return after;
  const restored = copyState(after);
  restored.medications = [...after.medications, medication];
  restored.stopped = after.stopped.filter((each) => each.medRef !== medRef);
  return restored;
}

/** One report with the assay's error. Takes two draws, four with a trough. */
function reportLevel(model: DosingModel, world: WorldState, special: ModelSpecial, rng: Rng): LevelPoint {
  const noisy = (value: number): number => Math.max(0, value * (1 + rng.normal(0, model.assayCv)));
  const { decimals } = findMeasurement(model.levelCode)!;
  const least = LEAST_REPORT / 10 ** decimals;
  const value = noisy(special.state[VALUE]!);
  const trough = special.state[TROUGH]!;
  return {
    day: special.days,
    value: Math.max(
      least,
      rounded(model.levelCode === "PHT_LEVEL" ? corrected(world, value, decimals) : value, decimals),
    ),
    trough: Number.isNaN(trough) ? null : quantified(noisy(trough)),
  };
}

function quantified(trough: number): number {
  return trough < QUANTIFIED_FROM ? 0 : rounded(trough, TROUGH_DECIMALS);
}

/** The laboratory measures the whole level, rounds it, and reports it corrected for albumin. */
function corrected(world: WorldState, value: number, decimals: number): number {
  const { albuminGPerDl, creatinineClearanceMlPerMin } = world.physiology;
  const whole = rounded(value * albuminFactor(albuminGPerDl, creatinineClearanceMlPerMin), decimals);
  return correctForAlbumin(whole, albuminGPerDl, creatinineClearanceMlPerMin);
}

/** The memory after the course with the model's level in place of the course's own. */
function withLevel(before: Memory, after: Memory, code: string, level: LevelPoint | null, day: number): Memory {
  if (level === null && after.values[code] === before.values[code]) return after;
  const learned = copyMemory(after);
  const { [code]: _course, ...values } = after.values;
  const old = before.values[code];
  const known = level === null ? old : { value: level.value, measuredDay: day };
  learned.values = known === undefined ? values : { ...values, [code]: known };
  const others = after.samples.filter((sample) => sample.code !== code || before.samples.includes(sample));
  learned.samples = level === null ? others : [...others, { code, day }];
  return learned;
}
