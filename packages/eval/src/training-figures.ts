import { bootstrap, mean } from "./statistics.ts";
import type { Figure } from "./svg.ts";
import { type Curve, plotCurves } from "./svg-curves.ts";

/** What a training run told of itself: values of one metric by training step. */
export interface TrainingSeries {
  /** What runs of several seeds have in common, algorithm and environment say. */
  readonly name: string;
  readonly seed: number;
  readonly metric: string;
  /** Words of the vertical axis, with the unit. */
  readonly label: string;
  /** What the position is counted in, words of the horizontal axis. */
  readonly xLabel: string;
  /** Ascending. */
  readonly points: readonly (readonly [step: number, value: number])[];
}

/** Points of a curve. */
const POINTS = 40;

/** A figure for each metric: the mean over the seeds of each kind of run in equal stretches of steps, with its interval from three seeds on. */
export function trainingFigures(series: readonly TrainingSeries[]): readonly Figure[] {
  const metrics = [...new Set(series.map(({ metric }) => metric))];
  return metrics.flatMap((metric) => {
    const own = series.filter((each) => each.metric === metric && each.points.length > 0);
    if (own.length === 0) return [];
    const last = Math.max(...own.flatMap(({ points }) => points.map(([step]) => step)));
    const names = [...new Set(own.map(({ name }) => name))];
    const curves = names.map((name) =>
      curveOf(
        name,
        own.filter((each) => each.name === name),
        last,
      ),
    );
    const { label, xLabel } = own[0]!;
    return [
      plotCurves(`training-${metric.replaceAll(/[^a-z0-9]+/gi, "-")}`, `${label} against training step`, curves, {
        xLabel,
        yLabel: label,
      }),
    ];
  });
}

/** Fewest seeds whose spread tells something. */
const LEAST_SEEDS = 3;

function curveOf(name: string, runs: readonly TrainingSeries[], last: number): Curve {
  const width = Math.max(last, 1) / POINTS;
  const points = Array.from({ length: POINTS }, (_, i) => {
    const values = runs.flatMap(({ points: own }) => {
      const inside = own.filter(([step]) => step > i * width && step <= (i + 1) * width);
      return inside.length === 0 ? [] : [mean(inside.map(([, value]) => value))];
    });
    if (values.length === 0) return null;
    const x = Math.round((i + 0.5) * width);
    if (values.length < LEAST_SEEDS) return { x, y: mean(values), n: values.length };
    const { mean: y, low, high } = bootstrap(values);
    return { x, y, low, high, n: values.length };
  }).filter((point) => point !== null);
  return { series: name, n: runs.length, points };
}
