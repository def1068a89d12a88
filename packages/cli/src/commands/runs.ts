import { findRun, listRuns, type MetricsRow, readMetrics, readRunConfig } from "@praxis/train";
import type { Command } from "commander";
import type { Terminal } from "../terminal.ts";

interface RunsOptions {
  readonly runs: string;
  readonly json?: boolean;
}

/** Metrics that a summary shows, newest value. */
const SHOWN = [
  ...["steps", "iteration", "charts/recent_return", "charts/completion_return", "evaluation/mean_return"],
  ...["losses/cross_entropy", "losses/approx_kl", "losses/entropy"],
];

/** Those of {@link SHOWN} that any of the runs has. */
const shownOf = (rows: readonly MetricsRow[]): string[] =>
  SHOWN.filter((metric) => rows.some((row) => row[metric] !== undefined));

/** Newest value of each metric of a run. */
function newest(rows: readonly MetricsRow[]): MetricsRow {
  return Object.assign({}, ...rows) as MetricsRow;
}

function summaryOf(path: string): { readonly name: string; readonly last: MetricsRow } {
  const { env, algorithm, seed } = readRunConfig(path);
  return { name: `${env} ${algorithm} seed ${seed}`, last: newest(readMetrics(path)) };
}

function cell(value: number | undefined): string {
  return value === undefined ? "–" : String(Number(value.toPrecision(5)));
}

function table(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]!.map((_, j) => Math.max(...rows.map((row) => row[j]!.length)));
  return rows.map((row) =>
    row
      .map((text, j) => text.padEnd(widths[j]!))
      .join("  ")
      .trimEnd(),
  );
}

/** Adds `praxis runs list|show|compare`. */
export function registerRuns(program: Command, terminal: Terminal): void {
  const runs = program
    .command("runs")
    .description("Look at training runs.\n\n  praxis runs list\n  praxis runs compare RUN RUN");
  const add = (usage: string, description: string): Command =>
    runs
      .command(usage)
      .description(description)
      .option("--runs <folder>", "where run folders are", "runs")
      .option("--json", "one JSON document on stdout");

  add("list", "All runs with their newest numbers").action(({ runs: root, json }: RunsOptions) => {
    const all = listRuns(root).map((name) => ({ run: name, ...summaryOf(findRun(root, name)) }));
    if (json === true) return terminal.out(JSON.stringify(all));
    if (all.length === 0) return terminal.err(`No runs in '${root}'. Begin one: praxis train cartpole`);
    const shown = shownOf(all.map(({ last }) => last));
    for (const line of table([
      ["run", ...shown],
      ...all.map(({ run, last }) => [run, ...shown.map((m) => cell(last[m]))]),
    ]))
      terminal.out(line);
  });

  add("show <run>", "Settings and newest numbers of a run").action(
    (name: string, { runs: root, json }: RunsOptions) => {
      const path = findRun(root, name);
      const config = readRunConfig(path);
      const { last } = summaryOf(path);
      if (json === true) return terminal.out(JSON.stringify({ config, last }));
      terminal.out(`${path}\n`);
      const settings = Object.entries(config.settings).map(([key, value]) => [key, JSON.stringify(value)]);
      const metrics = Object.entries(last).map(([key, value]) => [key, cell(value)]);
      for (const line of table([["seed", String(config.seed)], ...settings, ...metrics])) terminal.out(line);
    },
  );

  add("compare <run...>", "Settings that differ and newest numbers, side by side").action(
    (names: string[], { runs: root, json }: RunsOptions) => {
      const paths = names.map((name) => findRun(root, name));
      const configs = paths.map(readRunConfig);
      const last = paths.map((path) => summaryOf(path).last);
      const settings = [...new Set(configs.flatMap((config) => Object.keys(config.settings)))].sort();
      const shown = (key: string): string[] => configs.map((config) => JSON.stringify(config.settings[key]) ?? "–");
      const different = settings.filter((key) => new Set(shown(key)).size > 1);
      if (json === true) {
        return terminal.out(
          JSON.stringify({
            runs: paths,
            settings: Object.fromEntries(different.map((key) => [key, shown(key)])),
            last,
          }),
        );
      }
      const rows = [
        ["", ...names],
        ["seed", ...configs.map(({ seed }) => String(seed))],
        ...different.map((key) => [key, ...shown(key)]),
        ...shownOf(last).map((metric) => [metric, ...last.map((row) => cell(row[metric]))]),
      ];
      for (const line of table(rows)) terminal.out(line);
    },
  );
}
