import type { Estimate } from "./statistics.ts";
import {
  type Axis,
  colourOf,
  dashOf,
  drawAxes,
  drawLegend,
  escapeXml,
  type Figure,
  fixed,
  frame,
  LINE,
  linearAxis,
  mark,
  PLOT,
} from "./svg.ts";

/** A point of a scatter figure; its intervals are drawn as a cross. */
export interface ScatterPoint {
  readonly series: string;
  /** What it is, for the data file and for who points at it. */
  readonly label: string;
  readonly x: Pick<Estimate, "mean" | "low" | "high"> | number;
  readonly y: Pick<Estimate, "mean" | "low" | "high"> | number;
}

/** A line to read the points against. */
export interface Guide {
  readonly label: string;
  readonly points: readonly (readonly [x: number, y: number])[];
}

/** How points are drawn. */
export interface ScatterOptions {
  /** What is on the axes, with units. */
  readonly xLabel: string;
  readonly yLabel: string;
  readonly isLog?: boolean;
  readonly guides?: readonly Guide[];
  /** Units by series, as the legend tells them. */
  readonly n: Readonly<Record<string, number>>;
}

const middle = (value: ScatterPoint["x"]): number => (typeof value === "number" ? value : value.mean);
const bounds = (value: ScatterPoint["x"]): readonly [number, number] =>
  typeof value === "number" ? [value, value] : [value.low, value.high];

/** Points of two values, with crosses for their intervals and guide lines. Values of a logarithmic figure are above 0. */
export function plotScatter(
  name: string,
  title: string,
  points: readonly ScatterPoint[],
  { xLabel, yLabel, isLog = false, guides = [], n }: ScatterOptions,
): Figure {
  const series = [...new Set(points.map((point) => point.series))];
  const xAxis = axisOf(
    points.flatMap(({ x }) => [middle(x), ...bounds(x)]),
    xLabel,
    { isVertical: false, isLog },
  );
  const yAxis = axisOf(
    points.flatMap(({ y }) => [middle(y), ...bounds(y)]),
    yLabel,
    { isVertical: true, isLog },
  );
  const { left, top, width, height } = PLOT;
  const isInside = ([x, y]: readonly [number, number]): boolean =>
    xAxis.at(x) >= left && xAxis.at(x) <= left + width && yAxis.at(y) >= top && yAxis.at(y) <= top + height;
  const lines = guides.map(({ points: path }, i) => {
    const shown = path.filter(isInside).map(([x, y]) => `${fixed(xAxis.at(x))},${fixed(yAxis.at(y))}`);
    return `<polyline points="${shown.join(" ")}" fill="none" stroke="#777"${dashOf(i)}/>`;
  });
  const drawn = points.map((point) => {
    const at = series.indexOf(point.series);
    const [x, y] = [xAxis.at(middle(point.x)), yAxis.at(middle(point.y))];
    const [left, right] = bounds(point.x).map(xAxis.at);
    const [low, high] = bounds(point.y).map(yAxis.at);
    const cross =
      left === right && low === high
        ? ""
        : `<line x1="${fixed(left!)}" x2="${fixed(right!)}" y1="${fixed(y)}" y2="${fixed(y)}" stroke="${colourOf(at)}" stroke-opacity="0.5"/><line x1="${fixed(x)}" x2="${fixed(x)}" y1="${fixed(low!)}" y2="${fixed(high!)}" stroke="${colourOf(at)}" stroke-opacity="0.5"/>`;
    return `<g><title>${escapeXml(point.label)}</title>${cross}${mark(at, x, y)}</g>`;
  });
  const legend = drawLegend(series.map((each) => `${each}, n=${n[each] ?? points.length}`));
  const guideText = guides.map(({ label }, i) => {
    const y = top + 22 + (series.length + i) * LINE;
    return `<line x1="${left + width + 10}" x2="${left + width + 30}" y1="${y}" y2="${y}" stroke="#777"${dashOf(i)}/><text x="${left + width + 36}" y="${y + 4}">${escapeXml(label)}</text>`;
  });
  const total = Math.max(top + height + 40, top + 30 + (series.length + guides.length) * LINE);
  return {
    name,
    title,
    svg: frame(total, title, drawAxes(xAxis, yAxis) + lines.join("") + drawn.join("") + legend + guideText.join("")),
    data: points,
  };
}

function axisOf(
  values: readonly number[],
  label: string,
  { isVertical, isLog }: { readonly isVertical: boolean; readonly isLog: boolean },
): Axis {
  if (!isLog) return linearAxis(values, label, { isVertical });
  const low = 10 ** Math.floor(Math.log10(Math.min(...values)));
  const high = 10 ** Math.ceil(Math.log10(Math.max(...values)));
  const marks: number[] = [];
  for (let decade = low; decade <= high * 1.0001; decade *= 10)
    for (const factor of [1, 2, 5])
      if (decade * factor <= high * 1.0001) marks.push(Number((decade * factor).toPrecision(3)));
  const share = (value: number): number => Math.log(value / low) / Math.log(high / low);
  const { left, top, width, height } = PLOT;
  return {
    marks,
    label,
    at: (value) => (isVertical ? top + height - share(value) * height : left + share(value) * width),
  };
}
