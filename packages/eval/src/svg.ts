import type { Estimate } from "./statistics.ts";

/** A figure: hand-made SVG and the data that it shows. */
export interface Figure {
  /** File name without extension, kebab-case. */
  readonly name: string;
  readonly title: string;
  readonly svg: string;
  readonly data: unknown;
}

/** One dot with its interval. */
export interface IntervalPoint {
  readonly row: string;
  readonly series: string;
  readonly estimate: Estimate;
}

/** A curve of a line figure. */
export interface Curve {
  readonly series: string;
  readonly n: number;
  readonly points: readonly (readonly [x: number, y: number])[];
}

// Okabe and Ito 2008, safe for colour-blind readers; shapes tell series apart as well.
const COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"];
const WIDTH = 760;
const LEFT = 230;
const RIGHT = 24;
const LINE = 16;

const fixed = (value: number): string => value.toFixed(1);

/** Text as it may stand in XML and HTML. */
export function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}

function frame(height: number, title: string, body: string): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${escapeXml(title)}" font-family="system-ui, sans-serif" font-size="11"><rect width="${WIDTH}" height="${height}" fill="#fff"/><text x="12" y="18" font-size="13" font-weight="600">${escapeXml(title)}</text>${body}</svg>`;
}

function mark(index: number, x: number, y: number): string {
  const colour = COLOURS[index % COLOURS.length]!;
  return index % 2 === 0
    ? `<circle cx="${fixed(x)}" cy="${fixed(y)}" r="3.5" fill="${colour}"/>`
    : `<rect x="${fixed(x - 3.2)}" y="${fixed(y - 3.2)}" width="6.4" height="6.4" fill="${colour}"/>`;
}

/** Round ticks that hold low and high. */
function ticks(low: number, high: number): number[] {
  const span = high - low || 1;
  const rough = span / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((each) => each >= rough - 1e-12)!;
  const first = Math.floor(low / step + 1e-9);
  const last = Math.ceil(high / step - 1e-9);
  return Array.from({ length: last - first + 1 }, (_, i) => Number(((first + i) * step).toPrecision(10)));
}

/** Dots with 95 % intervals, one line a row and series, with n. @param zero draws a line at 0 */
export function plotIntervals(
  name: string,
  title: string,
  points: readonly IntervalPoint[],
  { xLabel, zero = false }: { readonly xLabel: string; readonly zero?: boolean },
): Figure {
  const series = [...new Set(points.map((point) => point.series))];
  const values = points.flatMap(({ estimate }) => [estimate.low, estimate.high]);
  const marks = ticks(Math.min(...values, ...(zero ? [0] : [])), Math.max(...values, ...(zero ? [0] : [])));
  const [low, high] = [marks[0]!, marks.at(-1)!];
  const x = (value: number): number => LEFT + ((value - low) / (high - low || 1)) * (WIDTH - LEFT - RIGHT - 50);
  const top = 34;
  const bottom = top + points.length * LINE + 6;
  const lines = points.map(({ row, series: own, estimate }, i) => {
    const y = top + i * LINE + LINE / 2;
    const colour = COLOURS[series.indexOf(own) % COLOURS.length]!;
    const label = series.length > 1 ? `${row}, ${own}` : row;
    return `<text x="${LEFT - 8}" y="${y + 4}" text-anchor="end">${escapeXml(label)}</text><line x1="${fixed(x(estimate.low))}" x2="${fixed(x(estimate.high))}" y1="${y}" y2="${y}" stroke="${colour}" stroke-width="1.5"/>${mark(series.indexOf(own), x(estimate.mean), y)}<text x="${WIDTH - RIGHT}" y="${y + 4}" text-anchor="end" fill="#555">n=${estimate.n}</text>`;
  });
  const axis = marks.map(
    (value) =>
      `<line x1="${fixed(x(value))}" x2="${fixed(x(value))}" y1="${top}" y2="${bottom}" stroke="${zero && value === 0 ? "#555" : "#ddd"}"/><text x="${fixed(x(value))}" y="${bottom + 14}" text-anchor="middle">${value}</text>`,
  );
  const label = `<text x="${(LEFT + WIDTH) / 2}" y="${bottom + 30}" text-anchor="middle">${escapeXml(xLabel)} (dot: mean, bar: 95 % interval)</text>`;
  return { name, title, svg: frame(bottom + 40, title, axis.join("") + lines.join("") + label), data: points };
}

/** Curves with a legend that tells n. */
export function plotCurves(
  name: string,
  title: string,
  curves: readonly Curve[],
  {
    xLabel,
    yLabel,
    diagonal = false,
  }: { readonly xLabel: string; readonly yLabel: string; readonly diagonal?: boolean },
): Figure {
  const xs = ticks(0, Math.max(1e-9, ...curves.flatMap(({ points }) => points.map(([x]) => x))));
  const ys = ticks(0, Math.max(1e-9, ...curves.flatMap(({ points }) => points.map(([, y]) => y))));
  const [left, top, width, height] = [60, 34, 460, 260];
  const px = (value: number): number => left + (value / xs.at(-1)!) * width;
  const py = (value: number): number => top + height - (value / ys.at(-1)!) * height;
  const grid = [
    ...xs.map(
      (value) =>
        `<line x1="${fixed(px(value))}" x2="${fixed(px(value))}" y1="${top}" y2="${top + height}" stroke="#eee"/><text x="${fixed(px(value))}" y="${top + height + 14}" text-anchor="middle">${value}</text>`,
    ),
    ...ys.map(
      (value) =>
        `<line x1="${left}" x2="${left + width}" y1="${fixed(py(value))}" y2="${fixed(py(value))}" stroke="#eee"/><text x="${left - 6}" y="${fixed(py(value) + 4)}" text-anchor="end">${value}</text>`,
    ),
  ];
  const most = Math.min(xs.at(-1)!, ys.at(-1)!);
  const line = diagonal
    ? `<line x1="${fixed(px(0))}" y1="${fixed(py(0))}" x2="${fixed(px(most))}" y2="${fixed(py(most))}" stroke="#999" stroke-dasharray="4 3"/>`
    : "";
  const drawn = curves.map(({ series, n, points }, i) => {
    const colour = COLOURS[i % COLOURS.length]!;
    const path = points.map(([x, y]) => `${fixed(px(x))},${fixed(py(y))}`).join(" ");
    const y = top + 10 + i * LINE;
    return `<polyline points="${path}" fill="none" stroke="${colour}" stroke-width="1.5"/>${points.map(([x, value]) => mark(i, px(x), py(value))).join("")}${mark(i, left + width + 20, y)}<text x="${left + width + 30}" y="${y + 4}">${escapeXml(series)}, n=${n}</text>`;
  });
  const labels = `<text x="${left + width / 2}" y="${top + height + 30}" text-anchor="middle">${escapeXml(xLabel)}</text><text x="14" y="${top + height / 2}" transform="rotate(-90 14 ${top + height / 2})" text-anchor="middle">${escapeXml(yLabel)}</text>`;
  return {
    name,
    title,
    svg: frame(top + height + 40, title, grid.join("") + line + drawn.join("") + labels),
    data: curves,
  };
}
