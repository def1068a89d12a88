import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { didYouMean, PraxisError } from "@praxis/env";
import { renderHtml, renderMarkdown } from "@praxis/eval";
import { PRESETS, type Preset } from "@praxis/spindleflow";
import { makeProgress, type Terminal } from "../terminal.ts";
import {
  EVALUATION_SPLITS,
  type EvaluationSplit,
  evaluateSpindle,
  playersOf,
  playFrontier,
  type SpindleEvaluation,
} from "./evaluation.ts";
import { spindleReport, summarizeSpindle } from "./evaluation-report.ts";

/** Flags of `praxis eval spindleflow`, as they are given. */
export interface SpindleEvalFlags {
  readonly policies: string;
  readonly split: string;
  readonly n: number;
  readonly seed: number;
  readonly sector: string;
  readonly preset: string;
  readonly workers: number;
  readonly frontier: boolean;
  readonly json: boolean;
  readonly out: string;
}

const listed = (text: string): readonly string[] =>
  [...new Set(text.split(",").map((each) => each.trim()))].filter((each) => each !== "");

function named<Name extends string>(what: string, name: string, known: readonly Name[]): Name {
  const found = known.find((each) => each === name);
  if (found !== undefined) return found;
  throw new PraxisError(
    "UNKNOWN_NAME",
    `Unknown ${what} '${name}'.${didYouMean(name, known)} Known: ${known.join(", ")}.`,
  );
}

/** Plays, writes `report.md`, `report.html`, `report.json` and `figures/` into the folder, prints the report. */
export async function runSpindleEvaluation(flags: SpindleEvalFlags, terminal: Terminal): Promise<void> {
  const evaluation: SpindleEvaluation = {
    ...{ sector: flags.sector, preset: named<Preset>("preset", flags.preset, PRESETS), n: flags.n, seed: flags.seed },
    splits: listed(flags.split).map((each) =>
      named("split", each, Object.keys(EVALUATION_SPLITS) as readonly EvaluationSplit[]),
    ),
    players: playersOf(listed(flags.policies)),
  };
  const progress = makeProgress(terminal, "shifts");
  const means = { workers: flags.workers, onProgress: progress.step };
  const played = await evaluateSpindle(evaluation, means).finally(progress.end);
  const frontier = flags.frontier ? await playFrontier(evaluation, means).finally(progress.end) : null;
  const summary = summarizeSpindle(evaluation, played, frontier);
  const report = spindleReport(evaluation, summary);
  const markdown = renderMarkdown(report);
  const json = `${JSON.stringify({ evaluation, ...summary }, null, 1)}\n`;
  mkdirSync(join(flags.out, "figures"), { recursive: true });
  writeFileSync(join(flags.out, "report.md"), markdown);
  writeFileSync(join(flags.out, "report.html"), renderHtml(report));
  writeFileSync(join(flags.out, "report.json"), json);
  for (const { name, svg, data } of report.figures) {
    writeFileSync(join(flags.out, "figures", `${name}.svg`), svg);
    writeFileSync(join(flags.out, "figures", `${name}.json`), `${JSON.stringify(data, null, 1)}\n`);
  }
  terminal.out((flags.json ? json : markdown).trimEnd());
  terminal.err(`Report: ${join(flags.out, "report.html")}`);
}
