import { z } from "zod";
import type { MaybePromise } from "../env.ts";
import { PraxisError } from "../errors.ts";
import { weightedTotal, whyNotWeights } from "./components.ts";
import { Rubric, type RubricResult, whenScored } from "./rubric.ts";

type Children<T> = Readonly<Record<string, Rubric<T>>>;

const byIndex = <T>(rubrics: readonly Rubric<T>[]): Children<T> =>
  Object.fromEntries(rubrics.map((rubric, index) => [String(index), rubric]));

function checkNotEmpty(kind: string, children: object): void {
  if (Object.keys(children).length === 0)
    throw new PraxisError("INVALID_CONFIG", `A ${kind} rubric needs at least one child.`);
}

function scoreInOrder<T>(rubrics: readonly Rubric<T>[], transition: T, from: number): MaybePromise<number> {
  let last = 0;
  for (let i = from; i < rubrics.length; i++) {
    const scored = rubrics[i]!.score(transition);
    if (scored instanceof Promise)
      return scored.then((score) =>
        score === 0 || i === rubrics.length - 1 ? score : scoreInOrder(rubrics, transition, i + 1),
      );
    if (scored === 0) return 0;
    last = scored;
  }
  return last;
}

/** Scores children in order: 0 at the first that scores 0 (later ones are not called), else the score of the last. */
export function sequential<T>(children: Children<T>): Rubric<T> {
  checkNotEmpty("sequential", children);
  const rubrics = Object.values(children);
  return new Rubric<T>({ kind: "sequential", children, score: (transition) => scoreInOrder(rubrics, transition, 0) });
}

/** The child's score if it is at least `threshold` (default 1), else 0. */
export function gate<T>(child: Rubric<T>, threshold = 1): Rubric<T, { threshold: number }> {
  return new Rubric<T, { threshold: number }>({
    kind: "gate",
    children: { child },
    settings: { value: { threshold }, schema: z.strictObject({ threshold: z.number() }) },
    score: (transition, { settings }) =>
      whenScored(child.score(transition), (score) => (score >= settings.threshold ? score : 0)),
  });
}

/**
 * Σ weight · score, asynchronous children in parallel; its result names each child's score. Throws INVALID_CONFIG for names
 * that differ, and for weights that are negative or do not sum to 1 ± 1e-6.
 */
export function weightedSum<T>(
  children: Children<T>,
  weights: Readonly<Record<string, number>>,
): Rubric<T, { weights: Record<string, number> }> {
  const names = Object.keys(children);
  const weightsSchema = z.record(z.string(), z.number()).superRefine((value, context) => {
    const why =
      names.find((name) => !Object.hasOwn(value, name)) ?? Object.keys(value).find((name) => !names.includes(name));
    const message = why === undefined ? whyNotWeights(value) : `'${why}' must have both a child and a weight.`;
    if (message !== null) context.addIssue({ code: "custom", message });
  });
  return new Rubric<T, { weights: Record<string, number> }>({
    kind: "weightedSum",
    children,
    settings: { value: { weights: { ...weights } }, schema: z.strictObject({ weights: weightsSchema }) },
    score(transition, { settings }) {
      const combine = (scores: readonly number[]): RubricResult => {
        const components = Object.fromEntries(names.map((name, index) => [name, scores[index]!]));
        return { components, weights: settings.weights, total: weightedTotal(components, settings.weights) };
      };
      const scored: MaybePromise<number>[] = [];
      try {
        for (const name of names) scored.push(children[name]!.score(transition));
      } catch (error) {
        // Children already at work are let go; a rejection nobody waits for would end the process.
        void Promise.allSettled(scored);
        throw error;
      }
      return scored.some((score) => score instanceof Promise)
        ? Promise.all(scored).then(combine)
        : combine(scored as readonly number[]);
    },
  });
}

function holder<T>(kind: string, children: Children<T>): Rubric<T> {
  return new Rubric<T>({
    kind,
    children,
    score() {
      throw new PraxisError("NOT_SUPPORTED", `A ${kind} rubric only holds others; score its children.`);
    },
  });
}

/** Holds rubrics under the names 0, 1, …; it does not aggregate, and scoring it throws NOT_SUPPORTED. */
export function rubricList<T>(rubrics: readonly Rubric<T>[]): Rubric<T> {
  return holder("list", byIndex(rubrics));
}

/** Holds rubrics by name; it does not aggregate, and scoring it throws NOT_SUPPORTED. */
export function rubricDict<T>(children: Children<T>): Rubric<T> {
  return holder("dict", children);
}
