import { COURSE_DAYS } from "../course/context.ts";
import { segmentLoss } from "../course/j.ts";
import { stoppedPath, withdrawalPath } from "../course/withdrawal-path.ts";
import type { EpisodeState } from "../episode.ts";
import { DOSING_MODELS } from "../pharmacology/models.ts";
import type { PolyGuardPolicy } from "../policies/own-play.ts";
import { scoreDeclared } from "../sub-environments/bandit-mining/declaration.ts";
import { isMining } from "../sub-environments/bandit-mining/state.ts";
import { doseOfTarget } from "../sub-environments/longitudinal-deprescribing/score.ts";
import { asModel } from "../sub-environments/precision-dosing/content.ts";

/** A course of a value over an episode: ascending x; y rounded to four places. */
export type EpisodeCourse = readonly (readonly [x: number, y: number])[];

/** Courses of an episode by series: `j`, `dose_share`, `withdrawal`, `level_<drug>`, `mining_recall`, `mining_precision`. */
export type EpisodeCourses = Readonly<Record<string, EpisodeCourse>>;

/** How a series of episodes is read and drawn. */
export interface EvaluationCourse {
  readonly name: string;
  readonly title: string;
  readonly xLabel: string;
  readonly yLabel: string;
  /** Between two points the value goes straight from one to the next, or stays as it was. */
  readonly between: "straight" | "stays";
  /** Where a mean is drawn, ascending. */
  readonly at: readonly number[];
  readonly band?: { readonly low: number; readonly high: number; readonly label: string };
  readonly isFromZero: boolean;
}

const range = (from: number, to: number, step: number): readonly number[] =>
  Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, i) => from + i * step);

/** Age whose target ranges are drawn: the median of the patients (they part at 70 in levothyroxine alone). */
const DRAWN_AGE_YEARS = 78;
/** Longest dosing episode, in steps. */
const DOSING_STEPS = 18;
/** Most probes of any tier. */
const MOST_PROBES = 1500;

/** The series of episodes in the order of a report. */
export const EVALUATION_COURSES: readonly EvaluationCourse[] = [
  {
    name: "j",
    title: "J against course day",
    xLabel: "day of the course",
    yLabel: "mean utility lived so far (J on day 365)",
    between: "straight",
    at: [...range(14, 350, 14), COURSE_DAYS],
    isFromZero: false,
  },
  ...DOSING_MODELS.map(({ drugId, levelCode, unit, target, stepDays }): EvaluationCourse => {
    const { low, high } = target(DRAWN_AGE_YEARS);
    return {
      name: `level_${drugId}`,
      title: `Level against day, ${drugId}`,
      xLabel: "day of treatment",
      yLabel: `${levelCode}, ${unit}`,
      between: "straight",
      at: range(stepDays, DOSING_STEPS * stepDays, stepDays),
      band: { low, high, label: `target ${low}-${high} ${unit}` },
      isFromZero: true,
    };
  }),
  {
    name: "dose_share",
    title: "Dose of the targets against day",
    xLabel: "day of the course",
    yLabel: "share of the dose at the start",
    between: "stays",
    at: range(0, 280, 14),
    isFromZero: true,
  },
  {
    name: "withdrawal",
    title: "Withdrawal W against day",
    xLabel: "day of the course",
    yLabel: "W of the target that is missed most, 0-1",
    between: "straight",
    at: range(0, 280, 14),
    isFromZero: true,
  },
  ...(["recall", "precision"] as const).map(
    (name): EvaluationCourse => ({
      name: `mining_${name}`,
      title: `${name === "recall" ? "Recall" : "Precision"} against probes`,
      xLabel: "probes made",
      yLabel: `${name} of what would be declared, 0-1`,
      between: "stays",
      at: range(0, MOST_PROBES, 25),
      isFromZero: true,
    }),
  ),
];

/** Share of the dangerous combinations at which a miner is timed. */
const TIMED_RECALL = 0.3;

/** Looks on while an episode is played and keeps the courses of it. */
export class CourseRecorder {
  readonly #doses: [number, number][] = [];
  readonly #withdrawals: [number, number][] = [];
  readonly #recall: [number, number][] = [];
  readonly #precision: [number, number][] = [];
  #declared = "";

  /** Takes note of a state, and of what a miner would declare in it. */
  see(state: EpisodeState, policy: PolyGuardPolicy): void {
    if (state.sub.id === "LONGITUDINAL_DEPRESCRIBING") this.#seeTargets(state);
    if (isMining(state)) this.#seeFindings(state, policy.findings?.() ?? null);
  }

  /** The courses of the episode that has ended in this state. @param j of the whole course */
  end(state: EpisodeState, j: number): EpisodeCourses {
    const courses: Record<string, EpisodeCourse> = {
      j: livedCourse(state, j),
      dose_share: this.#doses,
      withdrawal: this.#withdrawals,
    };
    const model = asModel(state);
    if (model !== null)
      courses[`level_${model.content.model.drugId}`] = model.special.levels.map(({ day, value }) => [day, value]);
    if (isMining(state)) this.#endMining(state, courses);
    return Object.fromEntries(
      Object.entries(courses)
        .filter(([, course]) => course.length > 0)
        .map(([name, course]) => [name, course.map(([x, y]) => [x, Math.round(1e4 * y) / 1e4] as const)]),
    );
  }

  /** Probes made when the recall of what would be declared came to 30 %; null = it never did. */
  get probesToTimedRecall(): number | null {
    return this.#recall.find(([, recall]) => recall >= TIMED_RECALL)?.[0] ?? null;
  }

  #seeTargets({ context, world }: EpisodeState): void {
    const { targets = [], initial, patient } = context.scenario;
    if (targets.length === 0) return;
    const { day } = world.clock;
    let share = 0;
    let most = 0;
    for (const target of targets) {
      const before = initial.medications.find(({ medRef }) => medRef === target.medRef)!.dosePerDay;
      share += doseOfTarget(context, world, target) / before / targets.length;
      const span = { fromDay: day, toDay: day + 1 };
      const medication = world.medications.find(({ medRef, isTaken }) => medRef === target.medRef && isTaken);
      const stopped = world.stopped.find(({ medRef }) => medRef === target.medRef);
      const path =
        medication !== undefined
          ? withdrawalPath(context.kb, patient, medication, span)
          : stopped !== undefined
            ? stoppedPath(stopped, span)
            : [];
      most = Math.max(most, path[0]?.withdrawal ?? 0);
    }
    put(this.#doses, day, share);
    put(this.#withdrawals, day, most);
  }

  #seeFindings(state: EpisodeState, findings: readonly string[] | null): void {
    if (!isMining(state) || findings === null) return;
    const probes = state.special.probes.length;
    const text = findings.join();
    if (probes > 0 && text === this.#declared) return;
    this.#declared = text;
    const { recall, precision } = scoreDeclared(state.content, findings);
    put(this.#recall, probes, recall);
    if (findings.length > 0) put(this.#precision, probes, precision);
  }

  /** What was declared in the end stands for the probes that were not used. */
  #endMining(state: EpisodeState, courses: Record<string, EpisodeCourse>): void {
    if (!isMining(state) || state.special.declared === null) return;
    const { declared, probes } = state.special;
    put(this.#recall, probes.length, declared.recall);
    put(this.#precision, probes.length, declared.precision);
    const last = state.content.tier.probes;
    courses.mining_recall = [...this.#recall, ...(probes.length < last ? [[last, declared.recall] as const] : [])];
    courses.mining_precision = [
      ...this.#precision,
      ...(probes.length < last ? [[last, declared.precision] as const] : []),
    ];
  }
}

/** Adds a point; of several at one x the last counts. */
function put(course: [number, number][], x: number, y: number): void {
  if (course.at(-1)?.[0] === x) course.pop();
  course.push([x, y]);
}

/** Mean utility of the days lived through so far, at the end of each stretch; J at the end of the year. */
function livedCourse({ context, evaluator, segments }: EpisodeState, j: number): EpisodeCourse {
  let loss = 0;
  const course: [number, number][] = [];
  for (const segment of segments) {
    loss += segmentLoss(context, evaluator, segment);
    const day = Math.min(segment.toDay, COURSE_DAYS);
    if (day > 0) put(course, day, (-loss * COURSE_DAYS) / day);
  }
  if (course.length === 0) return [];
  put(course, COURSE_DAYS, j);
  return course;
}
