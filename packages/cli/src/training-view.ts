import type { MetricsRow } from "@praxis/train";
import type { Terminal } from "./terminal.ts";

/** What a training run shows while it goes on. */
export interface TrainingView {
  row(row: MetricsRow, timing: { readonly stepsPerS: number; readonly leftS: number }): void;
  end(): void;
}

const COLUMNS: readonly [label: string, name: string][] = [
  ["return", "charts/recent_return"],
  ["evaluated", "evaluation/mean_return"],
  ["KL", "losses/approx_kl"],
  ["entropy", "losses/entropy"],
];

/** A duration in the largest two units: `1 h 5 min`, `42 s`. */
export function formatDuration(seconds: number): string {
  if (!Number.isFinite(seconds)) return "?";
  const s = Math.round(seconds);
  if (s < 60) return `${s} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min ${s % 60} s`;
  return `${Math.floor(s / 3600)} h ${Math.floor((s % 3600) / 60)} min`;
}

/** One line of numbers. */
export function formatTrainingRow(row: MetricsRow, timing: { stepsPerS: number; leftS: number }): string {
  const parts = COLUMNS.flatMap(([label, name]) =>
    row[name] === undefined ? [] : [`${label} ${Number(row[name].toPrecision(4))}`],
  );
  const speed = `${Math.round(timing.stepsPerS)} steps/s`;
  return [`${row.steps ?? row.iteration} steps`, speed, ...parts, `${formatDuration(timing.leftS)} left`].join(" · ");
}

/** Rewrites one line on a terminal; elsewhere prints a line at most every `everyS` seconds. */
export function makeTrainingView(terminal: Terminal, now: () => number, everyS = 10): TrainingView {
  let printedAt = Number.NEGATIVE_INFINITY;
  let last = "";
  return {
    row(row, timing) {
      last = formatTrainingRow(row, timing);
      if (terminal.isInteractive) {
        process.stderr.write(`\r\u001b[K${last}`);
        return;
      }
      if (now() - printedAt < 1000 * everyS) return;
      printedAt = now();
      terminal.err(last);
      last = "";
    },
    end() {
      if (terminal.isInteractive) process.stderr.write("\r\u001b[K");
      if (last !== "") terminal.err(last);
    },
  };
}
