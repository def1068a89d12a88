import type { Estimate } from "./statistics.ts";
import { colourOf, escapeXml, type Figure, fixed, frame, LINE, mark, ticks, WIDTH } from "./svg.ts";

/** One dot or bar with its interval. */
export interface IntervalPoint {
  readonly row: string;
  readonly series: string;
  readonly estimate: Estimate;
}

/** How a row of estimates is drawn. */
export interface IntervalOptions {
  /** What is on the axis, with its unit. */
  readonly xLabel: string;
  /** Draws a line at 0. */
  readonly zero?: boolean;
  /** Draws bars from 0 instead of dots. */
  readonly areBars?: boolean;
}

const LEFT = 330;
const RIGHT = 24;

/** Dots or bars with 95 % intervals, one line a row and series, with n. */
export function plotIntervals(
  name: string,
  title: string,
  points: readonly IntervalPoint[],
  { xLabel, zero = false, areBars = false }: IntervalOptions,
): Figure {
  const series = [...new Set(points.map((point) => point.series))];
  const values = points.flatMap(({ estimate }) => [estimate.low, estimate.high]);
  const marks = ticks(
    Math.min(...values, ...(zero || areBars ? [0] : [])),
    Math.max(...values, ...(zero || areBars ? [0] : [])),
  );
  const [low, high] = [marks[0]!, marks.at(-1)!];
  const x = (value: number): number => LEFT + ((value - low) / (high - low || 1)) * (WIDTH - LEFT - RIGHT - 50);
  const top = 34;
  const bottom = top + points.length * LINE + 6;
  const lines = points.map(({ row, series: own, estimate }, i) => {
    const y = top + i * LINE + LINE / 2;
    const at = series.indexOf(own);
    const colour = colourOf(at);
    const label = series.length > 1 ? `${row}, ${own}` : row;
    const [from, to] = [Math.min(x(0), x(estimate.mean)), Math.max(x(0), x(estimate.mean))];
    const bar = areBars
      ? `<rect x="${fixed(from)}" y="${fixed(y - 5)}" width="${fixed(to - from)}" height="10" fill="${colour}" fill-opacity="0.35"/>`
      : "";
    return `<text x="${LEFT - 8}" y="${y + 4}" text-anchor="end">${escapeXml(label)}</text>${bar}<line x1="${fixed(x(estimate.low))}" x2="${fixed(x(estimate.high))}" y1="${y}" y2="${y}" stroke="${colour}" stroke-width="1.5"/>${mark(at, x(estimate.mean), y)}<text x="${WIDTH - RIGHT}" y="${y + 4}" text-anchor="end" fill="#555">n=${estimate.n}</text>`;
  });
  const axis = marks.map(
    (value) =>
      `<line x1="${fixed(x(value))}" x2="${fixed(x(value))}" y1="${top}" y2="${bottom}" stroke="${zero && value === 0 ? "#555" : "#ddd"}"/><text x="${fixed(x(value))}" y="${bottom + 14}" text-anchor="middle">${value}</text>`,
  );
  const label = `<text x="${(LEFT + WIDTH) / 2}" y="${bottom + 30}" text-anchor="middle">${escapeXml(xLabel)} (${areBars ? "bar and mark" : "mark"}: mean, line: 95 % interval)</text>`;
  return { name, title, svg: frame(bottom + 40, title, axis.join("") + lines.join("") + label), data: points };
}
