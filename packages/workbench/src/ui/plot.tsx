import { useEffect, useLayoutEffect, useRef, useState } from "react";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";

/** One line or set of marks of a plot. */
export interface PlotSeries {
  readonly label: string;
  /** One value for each x; null leaves a gap, as does what is not finite. */
  readonly values: readonly (number | null)[];
  /** Name of a colour of the style sheet, `--plot-1`. */
  readonly colour: string;
  readonly kind?: "line" | "plain" | "marks" | "steps";
  /** Axis it belongs to; default the left one. */
  readonly isRight?: boolean;
}

/** An interval around something, one for each x. */
export interface PlotInterval {
  readonly label: string;
  readonly low: readonly (number | null)[];
  readonly high: readonly (number | null)[];
}

/** A band of values that are wanted, drawn behind. */
export interface PlotBand {
  readonly low: number;
  readonly high: number;
  readonly label: string;
}

const colourOf = (element: HTMLElement, name: string): string =>
  getComputedStyle(element).getPropertyValue(name).trim();

const NO_BANDS: readonly PlotBand[] = [];

/** Curves over numbers, with units on both axes. Its data also stand in a table for those who do not see it. */
export function Plot({
  title,
  x,
  xLabel,
  yLabel,
  rightLabel,
  series,
  bands = NO_BANDS,
  interval = null,
  height = 220,
}: {
  readonly title: string;
  readonly x: readonly number[];
  /** With its unit: `day of the course (d)`. */
  readonly xLabel: string;
  readonly yLabel: string;
  readonly rightLabel?: string;
  readonly series: readonly PlotSeries[];
  readonly bands?: readonly PlotBand[];
  readonly interval?: PlotInterval | null;
  readonly height?: number;
}) {
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  const [scheme, setScheme] = useState(0);
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry?.contentRect.width ?? 0)));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    const redraw = (): void => setScheme((n) => n + 1);
    const media = matchMedia("(prefers-color-scheme: dark)");
    media.addEventListener("change", redraw);
    const observer = new MutationObserver(redraw);
    observer.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    return () => {
      media.removeEventListener("change", redraw);
      observer.disconnect();
    };
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `scheme` counts changes of colours, which are read from the style sheet
  useEffect(() => {
    const element = box.current;
    if (element === null || width === 0) return;
    const text = colourOf(element, "--text-muted");
    const line = colourOf(element, "--line");
    const bandFill = colourOf(element, "--plot-band");
    const axis = (label: string, scale: string, side?: 1): uPlot.Axis => ({
      label,
      scale,
      ...(side === undefined ? {} : { side }),
      stroke: text,
      grid: { stroke: line, width: 1, show: side === undefined },
      ticks: { stroke: line, width: 1 },
      font: "12px system-ui, sans-serif",
      labelFont: "12px system-ui, sans-serif",
      labelSize: 20,
      size: scale === "x" ? 34 : 52,
    });
    const plot = new uPlot(
      {
        width,
        height,
        scales: {
          x: { time: false },
          y: { range: (_self, low, high) => spread(low, high, bands) },
          right: { range: (_self, low, high) => spread(low, high, []) },
        },
        legend: { show: false },
        cursor: { y: false },
        axes: [
          axis(xLabel, "x"),
          axis(yLabel, "y"),
          ...(rightLabel === undefined ? [] : [axis(rightLabel, "right", 1)]),
        ],
        series: [
          { label: xLabel },
          ...series.map(({ label, colour, kind, isRight }): uPlot.Series => {
            const stroke = colourOf(element, colour);
            return {
              label,
              stroke,
              scale: isRight === true ? "right" : "y",
              width: kind === "marks" ? 0 : 2,
              points: { show: kind !== "steps" && kind !== "plain", size: 7, fill: stroke, stroke },
              spanGaps: false,
              ...(kind === "steps" ? { paths: uPlot.paths.stepped!({ align: 1 }) } : {}),
              ...(kind === "marks" ? { paths: () => null } : {}),
            };
          }),
          ...(interval === null ? [] : [HIDDEN_LINE, HIDDEN_LINE]),
        ],
        ...(interval === null
          ? {}
          : {
              bands: [
                {
                  series: [series.length + 2, series.length + 1] as [number, number],
                  fill: colourOf(element, "--plot-interval"),
                },
              ],
            }),
        hooks: {
          drawClear: [
            (self) => {
              for (const { low, high } of bands) {
                const y1 = self.valToPos(high, "y", true);
                const y2 = self.valToPos(low, "y", true);
                self.ctx.fillStyle = bandFill;
                self.ctx.fillRect(self.bbox.left, y1, self.bbox.width, y2 - y1);
              }
            },
          ],
        },
      },
      [
        [...x],
        ...series.map(({ values }) =>
          values.map((value) => (value === null || !Number.isFinite(value) ? null : value)),
        ),
        ...(interval === null ? [] : [[...interval.low], [...interval.high]]),
      ] as uPlot.AlignedData,
      element,
    );
    return () => plot.destroy();
  }, [width, height, x, series, bands, interval, xLabel, yLabel, rightLabel, scheme]);
  return (
    <figure className="plot">
      <div ref={box} className="plot-box" style={{ minHeight: height }} aria-hidden="true" />
      <figcaption>
        {series.map(({ label, colour, kind }) => (
          <span key={label} className="plot-key">
            <span className={`swatch ${kind ?? "line"}`} style={{ ["--swatch" as string]: `var(${colour})` }} />
            {label}
          </span>
        ))}
        {interval === null ? null : (
          <span className="plot-key">
            <span className="swatch interval" />
            {interval.label}
          </span>
        )}
        {bands.map(({ label }) => (
          <span key={label} className="plot-key">
            <span className="swatch band" />
            {label}
          </span>
        ))}
      </figcaption>
      <details className="plot-table">
        <summary>Numbers of this plot</summary>
        <div className="scroll">
          <table>
            <caption className="visually-hidden">{title}</caption>
            <thead>
              <tr>
                <th scope="col">{xLabel}</th>
                {series.map(({ label }) => (
                  <th key={label} scope="col">
                    {label}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {x.slice(-200).map((at, index) => {
                const i = index + Math.max(0, x.length - 200);
                return (
                  <tr key={at}>
                    <td className="number">{at}</td>
                    {series.map(({ label, values }) => (
                      <td key={label} className="number">
                        {values[i] ?? "–"}
                      </td>
                    ))}
                  </tr>
                );
              })}
            </tbody>
          </table>
        </div>
      </details>
    </figure>
  );
}

/** The edges of an interval: only what lies between them is drawn. */
const HIDDEN_LINE: uPlot.Series = { scale: "y", width: 0, points: { show: false } };

/** A range that holds values and bands with some air; one value alone gets some around it. */
function spread(low: number | null, high: number | null, bands: readonly PlotBand[]): [number, number] {
  const lows = [low, ...bands.map((band) => band.low)].filter((value) => value !== null && Number.isFinite(value));
  const highs = [high, ...bands.map((band) => band.high)].filter((value) => value !== null && Number.isFinite(value));
  const from = Math.min(...(lows as number[]), 0);
  const to = Math.max(...(highs as number[]), from + 1e-9);
  const air = (to - from) * 0.08 || 1;
  return [from < 0 ? from - air : 0, to + air];
}
