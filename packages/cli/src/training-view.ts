import type { MetricsRow } from "@praxis/train";
import type { Terminal } from "./terminal.ts";

/** Speed in steps or iterations a second, and what is left. */
export interface TrainingTiming {
  readonly perS: number;
  readonly leftS: number;
}

/** What a training run shows while it goes on. */
export interface TrainingView {
  row(row: MetricsRow, timing: TrainingTiming): void;
  end(): void;
}

const COLUMNS: readonly [label: string, name: string][] = [
  ["return", "charts/recent_return"],
  ["return", "charts/completion_return"],
  ["loss", "losses/cross_entropy"],
  ["evaluated", "evaluation/mean_return"],
  ["KL", "losses/approx_kl"],
  ["entropy", "losses/entropy"],
  ["equal groups", "health/frac_zero_std"],
];

/** What is left out of training; shown only where there is some. */
const FAILURES: readonly [label: string, name: string][] = [
  ["steps left out", "health/excluded_steps"],
  ["episodes failed", "health/failed_completions"],
  ["groups dropped", "health/dropped_groups"],
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
export function formatTrainingRow(row: MetricsRow, timing: TrainingTiming): string {
  const parts = COLUMNS.flatMap(([label, name]) =>
    row[name] === undefined ? [] : [`${label} ${Number(row[name].toPrecision(4))}`],
  );
  const failures = FAILURES.flatMap(([label, name]) => ((row[name] ?? 0) > 0 ? [`${row[name]} ${label}`] : []));
  const position =
    row.steps === undefined
      ? [`iteration ${row.iteration}`, `${Number(timing.perS.toPrecision(3))}/s`]
      : [`${row.steps} steps`, `${Math.round(timing.perS)} steps/s`];
  return [...position, ...parts, ...failures, `${formatDuration(timing.leftS)} left`].join(" · ");
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
