import { verifyPayload } from "../../actions/legality.ts";
import type { LegalityContext, MappedMedication } from "../../actions/legality-context.ts";
import type { CourseContext } from "../../course/context.ts";
import { stepStrengths, targetDose } from "../../kb/dose-grid.ts";
import { drugAt } from "../../kb/lookup.ts";
import type { Drug } from "../../kb/types.ts";
import { KEEP } from "../../policies/plan-node.ts";
import { PlanningModel, reconcileAll } from "../../policies/planning-model.ts";
import type { KeptValue, ScenarioStore } from "../../scenario/store.ts";
import type { Preference, WorldState } from "../../world/types.ts";
import { AT_TARGET, goalDose, nextStep, STYLES, type Style } from "./carry-out.ts";
import { type Option, optionPayload, type Replacement } from "./options.ts";

/** Cost of a soft warning, of a further dose a day and of a violated preference (assumption: sizes). */
const SOFT_COST = 0.01;
const DOSE_COST = 0.003;
const PREFERENCE_COST = 0.01;
/** An option that no legal sequence brings about is worth this much less than keeping the drug (assumption:). */
const IMPOSSIBLE_COST = 0.05;

/** What the options of a scenario are worth under the latent truth. */
export interface Grades {
  /** g by option: J after its best legal sequence, less warnings, doses and preferences. */
  readonly worth: readonly number[];
  /** The style that carries an option out best; null = no legal sequence does. */
  readonly styles: readonly (Style | null)[];
  readonly best: number;
  readonly worst: number;
}

const kept = new WeakMap<Replacement, Grades>();
const stores = new WeakMap<Replacement, ScenarioStore>();

/** Has the grades of a replacement kept in a store, and taken from it where they are there. */
export function keepGradesIn(store: ScenarioStore, replacement: Replacement): void {
  stores.set(replacement, store);
}

/** Grades of the options of a scenario, worked out once. */
export function gradesOf(context: CourseContext, replacement: Replacement): Grades {
  let grades = kept.get(replacement);
  if (grades === undefined) {
    const store = stores.get(replacement);
    const name = `grades|${context.scenario.id}|${context.kb.hash}`;
    grades = readGrades(store?.get(name), replacement.options.length);
    if (grades === undefined) {
      grades = grade(context, replacement);
      store?.set(name, [
        ...grades.worth,
        ...grades.styles.map((style) => (style === null ? -1 : STYLES.indexOf(style))),
      ]);
    }
    kept.set(replacement, grades);
  }
  return grades;
}

/** Grades as they were kept: worth by option, then number of the style by option, -1 = none. Undefined for anything else. */
function readGrades(value: KeptValue | undefined, options: number): Grades | undefined {
  if (typeof value !== "object" || value.length !== 2 * options) return undefined;
  const worth = value.slice(0, options);
  return gradesFrom(
    worth,
    value.slice(options).map((number) => STYLES[number] ?? null),
  );
}

function gradesFrom(worth: readonly number[], styles: Grades["styles"]): Grades {
  return { worth, styles, best: Math.max(...worth), worst: Math.min(...worth) };
}

function grade(context: CourseContext, replacement: Replacement): Grades {
  const model = new PlanningModel(context.kb, context.scenario);
  const start = reconcileAll(context.scenario.initial);
  const legality = model.legality(start);
  const target = legality.byRef.get(replacement.medRef);
  const keptJ = -model.remainingLoss(start);
  const judged = replacement.options.map((option) => {
    let style: Style | null = null;
    let j = Number.NEGATIVE_INFINITY;
    for (const each of stylesFor(option)) {
      const value = courseOf(model, start, replacement.medRef, option, each);
      if (value !== null && value > j) {
        j = value;
        style = each;
      }
    }
    const base = style === null ? keptJ - IMPOSSIBLE_COST : j;
    return { style, worth: target === undefined ? base : base - costOf(legality, target, option) };
  });
  return gradesFrom(
    judged.map((each) => each.worth),
    judged.map((each) => each.style),
  );
}

/** Only a drug can be changed to in more than one way. */
function stylesFor(option: Option): readonly Style[] {
  return option.kind === "drug" ? STYLES : ["stop_first"];
}

/** J of the expected course that carries an option out and then changes nothing; null when it is not there at the end. */
function courseOf(
  model: PlanningModel,
  start: WorldState,
  medRef: string,
  option: Option,
  style: Style,
): number | null {
  let state = start;
  let loss = 0;
  while (state.clock.visitsLeft > 0 && state.clock.stepsLeft > 0) {
    const legality = model.legality(state);
    if (isDone(legality, medRef, option)) break;
    const payload = nextStep(legality, medRef, option, style) ?? KEEP;
    // A change that cannot begin now never begins: nothing of the patient changes while one waits for it.
    if (payload === KEEP && state === start) return null;
    const { state: after, outcome } = model.apply(state, payload);
    const passed = model.pass(after, outcome);
    state = passed.state;
    loss += passed.loss;
  }
  return isDone(model.legality(state), medRef, option) ? -(loss + model.remainingLoss(state)) : null;
}

/** True once the old drug is gone and what takes its place is there, a drug at its target dose. */
export function isDone(context: LegalityContext, medRef: string, option: Option): boolean {
  if (context.byRef.has(medRef)) return false;
  switch (option.kind) {
    case "nothing":
      return true;
    case "order":
      return context.orders.has(option.code);
    case "drug": {
      const fresh = context.listed.find((each) => each.drugIndex === option.drugIndex);
      if (fresh === undefined) return false;
      const goal = goalDose(context.renal, drugAt(context.kb, option.drugIndex));
      return goal !== null && fresh.dosePerDay >= AT_TARGET * goal;
    }
  }
}

/** What an option costs beside its course: soft warnings of its start, further doses a day, violated preferences. */
export function costOf(context: LegalityContext, target: MappedMedication, option: Option): number {
  const { soft } = verifyPayload(context, optionPayload(context, target, option));
  if (option.kind !== "drug") return SOFT_COST * soft.length;
  const drug = drugAt(context.kb, option.drugIndex);
  const old = drugAt(context.kb, target.drugIndex);
  const doses = Math.max(0, drug.dosesPerDay - old.dosesPerDay);
  const violated = context.known.preferences.filter((preference) => violates(drug, old, preference)).length;
  return SOFT_COST * soft.length + DOSE_COST * doses + PREFERENCE_COST * violated;
}

/** True when a drug is not what the patient would rather have. */
function violates(drug: Drug, old: Drug, preference: Preference): boolean {
  switch (preference) {
    case "no_injection":
      return drug.route === "SC" || drug.route === "IV";
    case "once_daily":
      return drug.dosesPerDay > 1;
    case "no_sedation":
      return drug.risk.sedative_load > 0;
    case "fewer_tablets":
      return unitsPerDay(drug) > unitsPerDay(old);
  }
}

/** Tablets (or other units) a day at the target dose, of the largest strength. */
function unitsPerDay(drug: Drug): number {
  const largest = Math.max(...stepStrengths(drug));
  return Math.max(drug.dosesPerDay, Math.ceil(targetDose(drug) / largest));
}
