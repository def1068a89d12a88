/** A figure: hand-made SVG and the data that it shows. */
export interface Figure {
  /** File name without extension, kebab-case. */
  readonly name: string;
  readonly title: string;
  readonly svg: string;
  readonly data: unknown;
}

// Okabe and Ito 2008, safe for colour-blind readers; shapes, dashes and words tell series apart as well.
const COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b8860b", "#56b4e9", "#000000"];
const DASHES = ["", "6 3", "2 3", "8 3 2 3", "1 2", "10 4", "4 2 1 2"];

/** Width of every figure, px. */
export const WIDTH = 760;
/** Height of a line of text, px. */
export const LINE = 16;

/** A coordinate as it is written. */
export const fixed = (value: number): string => value.toFixed(1);

/** Colour of the series of that place; the palette begins again after seven. */
export function colourOf(index: number): string {
  return COLOURS[index % COLOURS.length]!;
}

/** Attribute that dashes the line of the series of that place; "" = a full line. */
export function dashOf(index: number): string {
  const dash = DASHES[index % DASHES.length]!;
  return dash === "" ? "" : ` stroke-dasharray="${dash}"`;
}

/** Text as it may stand in XML and HTML. */
export function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}

/** The whole picture of a body that is drawn below its title. */
export function frame(height: number, title: string, body: string): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${escapeXml(title)}" font-family="system-ui, sans-serif" font-size="11"><rect width="${WIDTH}" height="${height}" fill="#fff"/><text x="12" y="18" font-size="13" font-weight="600">${escapeXml(title)}</text>${body}</svg>`;
}

/** A mark whose shape tells the series as well as its colour does: circle, square, triangle, diamond, in turns. */
export function mark(index: number, x: number, y: number): string {
  const colour = colourOf(index);
  const path = (points: readonly (readonly [number, number])[]): string =>
    `<polygon points="${points.map(([dx, dy]) => `${fixed(x + dx)},${fixed(y + dy)}`).join(" ")}" fill="${colour}"/>`;
  switch (index % 4) {
    case 0:
      return `<circle cx="${fixed(x)}" cy="${fixed(y)}" r="3.5" fill="${colour}"/>`;
    case 1:
      return `<rect x="${fixed(x - 3.2)}" y="${fixed(y - 3.2)}" width="6.4" height="6.4" fill="${colour}"/>`;
    case 2:
      return path([
        [0, -4.2],
        [4, 3.2],
        [-4, 3.2],
      ]);
    default:
      return path([
        [0, -4.6],
        [4.6, 0],
        [0, 4.6],
        [-4.6, 0],
      ]);
  }
}

/** Round ticks that hold low and high. */
export function ticks(low: number, high: number): number[] {
  const span = high - low || 1;
  const rough = span / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((each) => each >= rough - 1e-12)!;
  const first = Math.floor(low / step + 1e-9);
  const last = Math.ceil(high / step - 1e-9);
  return Array.from({ length: last - first + 1 }, (_, i) => Number(((first + i) * step).toPrecision(10)));
}

/** Where the lines of a chart with two axes lie, px. */
export const PLOT = { left: 64, top: 34, width: 440, height: 260 } as const;

/** An axis: its marks, where a value lies on it, px, and its words. */
export interface Axis {
  readonly marks: readonly number[];
  at(value: number): number;
  readonly label: string;
}

/** Grid, marks and words of two axes, and the clipped body. */
export function drawAxes(x: Axis, y: Axis): string {
  const { left, top, width, height } = PLOT;
  const lines = [
    ...x.marks.map(
      (value) =>
        `<line x1="${fixed(x.at(value))}" x2="${fixed(x.at(value))}" y1="${top}" y2="${top + height}" stroke="#eee"/><text x="${fixed(x.at(value))}" y="${top + height + 14}" text-anchor="middle">${value}</text>`,
    ),
    ...y.marks.map(
      (value) =>
        `<line x1="${left}" x2="${left + width}" y1="${fixed(y.at(value))}" y2="${fixed(y.at(value))}" stroke="#eee"/><text x="${left - 6}" y="${fixed(y.at(value) + 4)}" text-anchor="end">${value}</text>`,
    ),
  ];
  return `${lines.join("")}<text x="${left + width / 2}" y="${top + height + 30}" text-anchor="middle">${escapeXml(x.label)}</text><text x="14" y="${top + height / 2}" transform="rotate(-90 14 ${top + height / 2})" text-anchor="middle">${escapeXml(y.label)}</text>`;
}

/** A linear axis over the values; from 0 where all of them are above it and `isFromZero` says so. */
export function linearAxis(
  values: readonly number[],
  label: string,
  { isVertical, isFromZero = true }: { readonly isVertical: boolean; readonly isFromZero?: boolean },
): Axis {
  const least = Math.min(...values);
  const most = Math.max(...values);
  const low = isFromZero ? Math.min(0, least) : least;
  const marks = ticks(low, Math.max(most, low + 1e-9));
  const [from, to] = [marks[0]!, marks.at(-1)!];
  const share = (value: number): number => (value - from) / (to - from || 1);
  const { left, top, width, height } = PLOT;
  return {
    marks,
    label,
    at: (value) => (isVertical ? top + height - share(value) * height : left + share(value) * width),
  };
}

/** A legend beside the chart: a mark and words for each series. */
export function drawLegend(entries: readonly string[]): string {
  const { left, top, width } = PLOT;
  return entries
    .map((text, i) => {
      const y = top + 10 + i * LINE;
      return `<line x1="${left + width + 10}" x2="${left + width + 30}" y1="${y}" y2="${y}" stroke="${colourOf(i)}" stroke-width="1.5"${dashOf(i)}/>${mark(i, left + width + 20, y)}<text x="${left + width + 36}" y="${y + 4}">${escapeXml(text)}</text>`;
    })
    .join("");
}
