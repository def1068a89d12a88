import { groupedBy } from "./pairing.ts";
import type { Course, ResultRow } from "./rows.ts";
import { bootstrap, mean } from "./statistics.ts";
import type { Curve, CurvePoint } from "./svg-curves.ts";

/** A course of a value that a report draws as the mean of a policy. */
export interface CourseSpec {
  /** Key in a row's `courses`. */
  readonly name: string;
  readonly title: string;
  readonly xLabel: string;
  readonly yLabel: string;
  /** Between two points the value goes straight from one to the next, or stays as it was. */
  readonly between: "straight" | "stays";
  /** Where it is drawn, ascending. */
  readonly at: readonly number[];
  readonly band?: { readonly low: number; readonly high: number; readonly label: string };
  /** The vertical axis begins at 0. */
  readonly isFromZero: boolean;
}

/** Fewest units that a point of a mean stands on. */
const LEAST_UNITS = 2;

/** Mean course of each policy, a point wherever two units or more are on the way, with intervals over units. */
export function meanCurves(
  rows: readonly ResultRow[],
  policies: readonly string[],
  { name, at, between }: Pick<CourseSpec, "name" | "at" | "between">,
): readonly Curve[] {
  return policies.flatMap((policy) => {
    const own = rows.filter((row) => row.policy === policy && (row.courses[name]?.length ?? 0) > 0);
    const units = [...groupedBy(own, ({ unit }) => unit).values()].map((group) =>
      group.map(({ courses }) => courses[name]!),
    );
    const points = at.flatMap((x): CurvePoint[] => {
      const values = units.flatMap((courses) => {
        const found = courses.flatMap((course) => valueAt(course, x, between) ?? []);
        return found.length === 0 ? [] : [mean(found)];
      });
      if (values.length < LEAST_UNITS) return [];
      const { n, mean: y, low, high } = bootstrap(values, { resamples: 2000 });
      return [{ x, y, low, high, n }];
    });
    return points.length === 0 ? [] : [{ series: policy, n: units.length, points }];
  });
}

/** Value of a course at x; undefined before its first point and after its last. */
function valueAt(course: Course, x: number, between: CourseSpec["between"]): number | undefined {
  const after = course.findIndex(([at]) => at >= x);
  if (after < 0) return undefined;
  const [right, high] = course[after]!;
  if (right === x) return course.findLast(([at]) => at === x)![1];
  if (after === 0) return undefined;
  const [left, low] = course[after - 1]!;
  return between === "stays" ? low : low + ((x - left) / (right - left)) * (high - low);
}
