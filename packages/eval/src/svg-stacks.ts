import { colourOf, escapeXml, type Figure, fixed, frame, LINE, ticks, WIDTH } from "./svg.ts";

/** A row of a stacked figure: the parts add up to its value. */
export interface Stack {
  readonly row: string;
  readonly n: number;
  /** In the order of the parts' names. */
  readonly parts: readonly { readonly value: number; readonly low: number; readonly high: number }[];
}

const LEFT = 280;
const RIGHT = 24;
const COLUMNS = 3;

/** Bars made of numbered parts, one bar a row; the numbers stand in the bars and in the legend. */
export function plotStacks(
  name: string,
  title: string,
  {
    parts,
    rows,
    xLabel,
  }: { readonly parts: readonly string[]; readonly rows: readonly Stack[]; readonly xLabel: string },
): Figure {
  const totals = rows.map((row) => row.parts.reduce((sum, { value }) => sum + value, 0));
  const marks = ticks(0, Math.max(1e-9, ...totals));
  const x = (value: number): number => LEFT + (value / marks.at(-1)!) * (WIDTH - LEFT - RIGHT - 50);
  const top = 34;
  const bottom = top + rows.length * (LINE + 4) + 4;
  const bars = rows.map((row, r) => {
    const y = top + r * (LINE + 4);
    let from = 0;
    const drawn = row.parts.map(({ value }, i) => {
      const [left, right] = [x(from), x(from + value)];
      from += value;
      const number =
        right - left < 11
          ? ""
          : `<text x="${fixed((left + right) / 2)}" y="${y + 12}" text-anchor="middle" font-size="9" fill="#111">${i + 1}</text>`;
      return `<rect x="${fixed(left)}" y="${y}" width="${fixed(Math.max(0, right - left))}" height="${LINE}" fill="${colourOf(i)}" fill-opacity="${i % 2 === 0 ? 0.55 : 0.3}" stroke="#fff"/>${number}`;
    });
    return `<text x="${LEFT - 8}" y="${y + 12}" text-anchor="end">${escapeXml(row.row)}</text>${drawn.join("")}<text x="${WIDTH - RIGHT}" y="${y + 12}" text-anchor="end" fill="#555">n=${row.n}</text>`;
  });
  const axis = marks.map(
    (value) =>
      `<line x1="${fixed(x(value))}" x2="${fixed(x(value))}" y1="${top}" y2="${bottom}" stroke="#ddd"/><text x="${fixed(x(value))}" y="${bottom + 14}" text-anchor="middle">${value}</text>`,
  );
  const legend = parts.map((part, i) => {
    const [column, line] = [i % COLUMNS, Math.floor(i / COLUMNS)];
    const [left, y] = [12 + column * 245, bottom + 48 + line * LINE];
    return `<rect x="${left}" y="${y - 9}" width="12" height="11" fill="${colourOf(i)}" fill-opacity="${i % 2 === 0 ? 0.55 : 0.3}"/><text x="${left + 18}" y="${y}">${i + 1} ${escapeXml(part)}</text>`;
  });
  const label = `<text x="${(LEFT + WIDTH) / 2}" y="${bottom + 30}" text-anchor="middle">${escapeXml(xLabel)}; intervals of the parts are in the data</text>`;
  const height = bottom + 56 + Math.ceil(parts.length / COLUMNS) * LINE;
  return {
    name,
    title,
    svg: frame(height, title, axis.join("") + bars.join("") + label + legend.join("")),
    data: { parts, rows },
  };
}
