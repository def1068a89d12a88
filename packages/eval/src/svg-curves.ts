import {
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

/** A point of a curve, with the bounds of its 95 % interval where it has one. */
export interface CurvePoint {
  readonly x: number;
  readonly y: number;
  readonly low?: number;
  readonly high?: number;
  /** Units behind this point, where it differs from the curve's. */
  readonly n?: number;
}

/** A curve of a line figure. */
export interface Curve {
  readonly series: string;
  readonly n: number;
  readonly points: readonly CurvePoint[];
}

/** How curves are drawn. */
export interface CurveOptions {
  /** What is on the axes, with units. */
  readonly xLabel: string;
  readonly yLabel: string;
  /** Draws the line on which both axes are equal. */
  readonly diagonal?: boolean;
  /** A range to be in, of the vertical axis. */
  readonly band?: { readonly low: number; readonly high: number; readonly label: string };
  /** The vertical axis begins at 0, the default, or at the lowest value. */
  readonly isFromZero?: boolean;
}

/** Curves with their intervals as shaded bands, and a legend that tells n. */
export function plotCurves(
  name: string,
  title: string,
  curves: readonly Curve[],
  { xLabel, yLabel, diagonal = false, band, isFromZero = true }: CurveOptions,
): Figure {
  const all = curves.flatMap(({ points }) => points);
  const heights = all.flatMap(({ y, low = y, high = y }) => [y, low, high]);
  const xAxis = linearAxis(
    all.map(({ x }) => x),
    xLabel,
    { isVertical: false },
  );
  const yAxis = linearAxis([...heights, ...(band === undefined ? [] : [band.low, band.high])], yLabel, {
    isVertical: true,
    isFromZero,
  });
  const { left, top, width, height } = PLOT;
  const at = (x: number, y: number): string => `${fixed(xAxis.at(x))},${fixed(yAxis.at(y))}`;
  const most = Math.min(xAxis.marks.at(-1)!, yAxis.marks.at(-1)!);
  const line = diagonal
    ? `<polyline points="${at(0, 0)} ${at(most, most)}" fill="none" stroke="#999" stroke-dasharray="4 3"/>`
    : "";
  const target =
    band === undefined
      ? ""
      : `<rect x="${left}" y="${fixed(yAxis.at(band.high))}" width="${width}" height="${fixed(yAxis.at(band.low) - yAxis.at(band.high))}" fill="#009e73" fill-opacity="0.13"/><text x="${left + 6}" y="${fixed(yAxis.at(band.high) + 12)}" fill="#00664a">${escapeXml(band.label)}</text>`;
  const drawn = curves.map(({ points }, i) => {
    const bounded = points.filter(({ low, high }) => low !== undefined && high !== undefined);
    const shade =
      bounded.length < 2
        ? ""
        : `<polygon points="${[...bounded.map(({ x, high }) => at(x, high!)), ...bounded.toReversed().map(({ x, low }) => at(x, low!))].join(" ")}" fill="${colourOf(i)}" fill-opacity="0.14"/>`;
    const path = points.map(({ x, y }) => at(x, y)).join(" ");
    // Marks of a long curve would hide it.
    const every = Math.max(1, Math.ceil(points.length / 12));
    const marks = points.filter((_, k) => k % every === 0).map(({ x, y }) => mark(i, xAxis.at(x), yAxis.at(y)));
    return `${shade}<polyline points="${path}" fill="none" stroke="${colourOf(i)}" stroke-width="1.5"${dashOf(i)}/>${marks.join("")}`;
  });
  const legend = drawLegend(curves.map(({ series, n }) => `${series}, n=${n}`));
  const note = all.some(({ low }) => low !== undefined)
    ? `<text x="${left}" y="${top + height + 46}" fill="#555">line: mean, shade: 95 % interval</text>`
    : "";
  const total = Math.max(top + height + 52, top + 20 + curves.length * LINE);
  return {
    name,
    title,
    svg: frame(total, title, target + drawAxes(xAxis, yAxis) + line + drawn.join("") + legend + note),
    data: curves,
  };
}
